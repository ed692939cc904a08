import { Effect, Scheduler } from "effect"

/** What runs with it gives way once, before a step: as each fiber does after some thousands of them, wherever it is then. */
export const givingWayAt = (step: number) => {
  let steps = 0
  const shouldYield = () => ++steps === step
  return Effect.provideService(
    Scheduler.Scheduler,
    Object.assign(new Scheduler.MixedScheduler(), { shouldYield })
  )
}

/** More than anything has that is tried with it. */
export const stepsMax = 40
