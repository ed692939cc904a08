import type { Duration } from "effect"
import { Effect, Schema } from "effect"
import { EnvironmentKeeper } from "../operator/EnvironmentKeeper.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceClock } from "../workers/ServiceClock.ts"
import { Workers } from "../workers/Workers.ts"

/** Ten years a call, as on the sandbox's clock. */
const advanceMax = 315_360_000
/** How often work that brings work is looked for. */
const roundsMax = 100

/** What is wrong with a number of seconds to move time by. */
export const advanceFault = (seconds: unknown): string | undefined =>
  Number.isSafeInteger(seconds) && Number(seconds) > 0 && Number(seconds) <= advanceMax
    ? undefined
    : `Give seconds as a whole number from 1 to ${advanceMax}, as in { seconds: 3600 }.`

/** The PSPs of this deployment move money, and their time is everybody's. */
export class TimeIsReal extends Schema.TaggedError<TimeIsReal>()("TimeIsReal", {}) {}

/** Moves business time, and works off what became due (decision 0080). */
export const advance = (
  by: Duration.Duration
): Effect.Effect<void, TimeIsReal | StorageError, EnvironmentKeeper | ServiceClock | Workers> =>
  Effect.gen(function* () {
    if ((yield* EnvironmentKeeper) !== "sandbox") return yield* new TimeIsReal()
    yield* (yield* ServiceClock).advance(by)
    const { drain } = yield* Workers
    for (let round = 0; round < roundsMax; round++) if ((yield* drain) === 0) return
  })
