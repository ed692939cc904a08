import type { Cause, Duration, Scope } from "effect"
import { Deferred, Effect, Exit, Fiber, Queue } from "effect"
import { makeContendedLane } from "./ContendedLane.ts"
import { makeFlights, secondMin } from "./Flights.ts"
import { pick } from "./Group.ts"
import type { OnWritten, Waiting } from "./GroupWriter.ts"
import { answerAll, makeWriter } from "./GroupWriter.ts"
import { namedTwice } from "../units/NamedTwice.ts"
import type { Refused } from "../units/Refused.ts"
import { StorageError } from "../units/Refused.ts"
import type { StorageDriverShape } from "../ports/StorageDriver.ts"
import type { Unit } from "../units/Unit.ts"

/** How the lane behaves. The defaults were measured (docs/decisions/0003-group-commit.md). */
export interface GroupCommitOptions {
  /** Units written together at most. 1 turns grouping off. Default 100: more costs latency and gains nothing. */
  readonly groupMax?: number
  /** Units that may wait before callers are told `Overloaded`. Default 10,000. */
  readonly waitingMax?: number
  /** How long a closing lane goes on writing what waits. Default 10 seconds. */
  readonly drain?: Duration.Input
}

/** Writes one unit, all of it or nothing, and says which expectation does not hold. */
export type Commit = (unit: Unit) => Effect.Effect<void, Refused | StorageError>

/**
 * Turns a storage driver into the write door. Units that arrive while one group is being written go together
 * in the next one, in one round trip, each still all or nothing for itself; where the storage gains by it, a second group
 * goes beside the first (`Flights.ts`). One that meets somebody else's lock, or that
 * neighbours of other processes keep outrunning, is set aside (`ContendedLane.ts`) and never holds up the others.
 *
 * A caller that is interrupted while its unit waits withdraws it; once it is being written it goes on, and
 * only that caller stops waiting. Closing the scope refuses new units and writes those that wait.
 */
export const groupCommit = Effect.fnUntraced(function* (
  driver: StorageDriverShape,
  options: GroupCommitOptions = {},
  onWritten: OnWritten = () => {}
): Effect.fn.Return<Commit, never, Scope.Scope> {
  const waitingMax = options.waitingMax ?? 10_000
  const groupMax = options.groupMax ?? 100
  const inbox = yield* Queue.bounded<Waiting, Cause.Done>(waitingMax)
  const writer = makeWriter(driver, true, onWritten)
  const contended = yield* makeContendedLane(driver, onWritten)
  const flights = makeFlights({ writer, contended, atOnce: driver.writesAtOnce ?? 1, groupMax })
  let line: ReadonlyArray<Waiting> = []

  const turn = Effect.gen(function* () {
    if (flights.isNone() && line.length === 0) line = yield* Queue.takeAll(inbox)
    // Whoever was just answered sends the next unit now: one yield doubles the group, a timer would not.
    yield* Effect.yieldNow
    yield* flights.sound
    line = line.concat(yield* Queue.clear(inbox)).filter((entry) => !entry.withdrawn)
    if (!contended.isEmpty()) line = yield* contended.divert(line)
    const picked = pick(line, flights.mostNow(line.length), unitOf, flights.touched())
    line = picked.rest
    if (picked.group.length > 0) {
      yield* flights.begin(picked)
      if (flights.mostNow(line.length) > 0) return
    }
    if (!flights.isNone()) yield* flights.ended
  })
  // However the lane ends, nobody is left without an answer; those who have one already keep it.
  const abandon = Effect.gen(function* () {
    yield* Queue.end(inbox)
    answerAll(flights.entries(), Exit.fail(new StorageError({ reason: "OutcomeUnknown" })))
    answerAll(
      line.concat(yield* Queue.clear(inbox)),
      Exit.fail(new StorageError({ reason: "Closed" }))
    )
  })
  const lane = yield* Effect.forever(turn).pipe(
    Effect.catch(() => Effect.void),
    Effect.ensuring(abandon),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() =>
    Queue.end(inbox).pipe(
      Effect.andThen(Fiber.await(lane)),
      Effect.andThen(contended.emptied),
      Effect.timeoutOption(options.drain ?? "10 seconds")
    )
  )

  return (unit) =>
    Effect.suspend(() => {
      const mistake = namedTwice(unit)
      if (mistake !== undefined) return Effect.die(new Error(mistake))
      const entry: Waiting = { unit, done: Deferred.makeUnsafe(), withdrawn: false }
      if (inbox.state._tag !== "Open") return new StorageError({ reason: "Closed" })
      if (line.length + Queue.sizeUnsafe(inbox) >= waitingMax || !Queue.offerUnsafe(inbox, entry)) {
        return new StorageError({ reason: "Overloaded" })
      }
      if (Queue.sizeUnsafe(inbox) === secondMin) flights.wake()
      return Effect.onInterrupt(Deferred.await(entry.done), () =>
        Effect.sync(() => {
          entry.withdrawn = true
        })
      )
    })
})

const unitOf = ({ unit }: Waiting): Unit => unit
