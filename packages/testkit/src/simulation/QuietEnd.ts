import type { Queue, StorageDriverShape, Uuid } from "@pagora/core"
import { workQueues } from "@pagora/core"
import { DateTime, Effect } from "effect"
import { parkedAmong, shortAmong } from "./Books.ts"
import type { Engine } from "./Engine.ts"
import type { Machine } from "./Machine.ts"

/** Time goes on like this while something is due. */
const littleMillis = 1_000
/** Or like this, once somebody outside has been busy for so many rounds while nothing was due. */
const longMillis = 60_000
const slowAfter = 600
/** What is due later than this is slept through: everybody stands still until then. */
const soonMillis = 4_000
const overMillisMax = 1_800_000
/** The last late look comes seven days after an end. A line that is not empty after this never will be. */
const patienceMillis = 30 * 86_400_000
const roundsMax = 1_500
/** A process that stood still may have a request in hand whose client has given up. It takes less than this, a PSP's answer included. */
const requestMillisMax = 30_000
/** By then a bank has been asked more than once about all that it may have of payouts, and what was late has come. */
const askedMillis = 600_000

/**
 * Lets time go on, faults being over, until nobody is busy and nothing stands in line; answers what still does. `outside` tells
 * when somebody outside does something next; undefined once nobody ever will.
 */
export const untilQuiet = async (
  engine: Engine,
  driver: StorageDriverShape,
  machines: ReadonlyArray<Machine>,
  outside: () => number | undefined,
  psps: ReadonlySet<string>
): Promise<ReadonlyArray<string>> => {
  const beginning = engine.now()
  for (let rounds = 0; ; rounds++) {
    const wakesAt = outside()
    const woken = (wakesAt ?? Number.POSITIVE_INFINITY) - engine.now()
    // As long as somebody outside is busy nobody sleeps, whatever stands in line: then it need not be looked at.
    const isBusy = woken <= soonMillis && rounds <= slowAfter
    const all = isBusy ? [] : await jobsOf(driver, engine.now(), beginning + askedMillis)
    // What a PSP is asked about itself comes again for ever.
    const jobs = all.filter(({ id }) => !psps.has(id))
    if (jobs.length === 0 && wakesAt === undefined) {
      const left = beginning + requestMillisMax - engine.now()
      if (left <= 0) return []
      await passing(engine, left)
      continue
    }
    const isOver = engine.now() - beginning > patienceMillis || rounds > roundsMax
    if (isOver && wakesAt !== undefined) return ["somebody outside has not come to an end"]
    if (isOver)
      return jobs.map(({ due, id, queue }) => `${id} stands in line ${queue} for ever, due ${due}`)
    const due = Math.min(...jobs.map((job) => job.due)) - engine.now()
    const idle = Math.min(woken, due)
    const isAsleep = idle > soonMillis
    // A little longer than it has to be: what is due soon after is worked off together with it.
    const asleep = isAsleep ? Math.min(woken, idle + Math.min(idle / 4, overMillisMax)) : 0
    // What is left to do in days, one process does as well as four; best the one that remembers most.
    if (isAsleep) {
      const [last, ...others] = machines.toSorted((one, other) =>
        one.runsSince === other.runsSince ? 0 : one.runsSince - other.runsSince
      )
      // Whoever comes back finds all of them.
      for (const machine of others)
        if (wakesAt === undefined) machine.retire()
        else machine.pause(asleep)
      last?.pause(asleep)
    }
    // A bank that tells again in half an hour what nobody has taken is waited for awake, and not by the second.
    const isSlow = !isAsleep && rounds > slowAfter && due > longMillis
    await passing(engine, asleep + (isSlow ? longMillis : littleMillis))
  }
}

/** So many milliseconds go by. */
export const passing = async (engine: Engine, millis: number): Promise<void> => {
  let isOver = false
  engine.after(millis, () => {
    isOver = true
  })
  await engine.run(() => isOver)
}

interface Waiting {
  readonly queue: Queue
  readonly id: Uuid
  readonly due: number
}

/** A block that has claimed what it can looks less and less often whether money has come in since. */
const isClaim = (queue: Queue, leftMillis: number): boolean =>
  queue === "block" && leftMillis > overMillisMax

/**
 * What stands in line, but what may stay there: what is asked about while a person is awaited, and payouts whose owner may not
 * pay, once they were asked about since the faults were over. What waits for money is no such thing: by now there is enough.
 */
const jobsOf = (
  driver: StorageDriverShape,
  nowMillis: number,
  askedBy: number
): Promise<ReadonlyArray<Waiting>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const all = yield* Effect.forEach(workQueues, (queue) =>
        Effect.map(driver.jobs({ queue, limit: 500 }), (jobs) =>
          jobs.map(({ due, id }) => ({ queue, id, due: DateTime.toEpochMillis(due) }))
        )
      )
      const reviews = yield* driver.jobs({ queue: "review", limit: 500 })
      const reviewed = reviews.map(({ id }) => id)
      const short = yield* shortAmong(driver, reviewed)
      const inReview = new Set<string>(reviewed.filter((id) => !short.has(id)))
      const waiting = all
        .flat()
        .filter(({ due, id, queue }) => !inReview.has(id) && !isClaim(queue, due - nowMillis))
      const payouts = waiting.filter(({ queue }) => queue === "payout").map(({ id }) => id)
      const parked = yield* parkedAmong(driver, payouts)
      return waiting.filter(({ due, id }) => !parked.has(id) || due <= askedBy)
    })
  )
