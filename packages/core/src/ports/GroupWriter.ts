import { Cause, Deferred, Duration, Effect, Exit } from "effect"
import { decideAll } from "./Decision.ts"
import { factKeys } from "./Facts.ts"
import { merge, witnessOf } from "./MergedUnit.ts"
import type { Refused } from "./Refused.ts"
import { StorageError } from "./Refused.ts"
import type { StorageDriverShape } from "./StorageDriver.ts"
import type { Unit } from "./Unit.ts"

/** A unit in line, and where its caller waits for the answer. */
export interface Waiting {
  readonly unit: Unit
  readonly done: Deferred.Deferred<void, Refused | StorageError>
  withdrawn: boolean
}

/** Decide, write, and decide anew while neighbours of other processes get in between; then one by one. */
const roundsMax = 4
/** How often a unit is sent again, and how often the database is asked, after a connection broke. */
const resendsMax = 4
const looksMax = 8

/** Writes groups that do not meet themselves, one after the other, and answers every caller. */
export const makeWriter = (driver: StorageDriverShape) => {
  const door = makeDoor(driver)
  const look = looking(driver)
  const alone = sending(door.write, look)

  const answerAlone = (entries: ReadonlyArray<Waiting>, sent: boolean) =>
    Effect.forEach(
      entries,
      (entry) =>
        Effect.map(Effect.exit(alone(entry.unit, sent)), (exit) =>
          Deferred.doneUnsafe(entry.done, exit)
        ),
      { discard: true }
    )

  /** Answers those whose write may be in or not. */
  const answerTaken = Effect.fnUntraced(function* (taken: ReadonlyArray<Waiting>) {
    const [traced, traceless] = split(taken, (entry) => witnessOf(entry.unit) !== undefined)
    const there = yield* look(traced.map((entry) => entry.unit))
    // The write was all or nothing: where one unit of it is in, those that leave no trace are in too.
    if (there?.includes(true)) return answerAll(taken, Exit.void)
    // It may still arrive. Then what a unit minted keeps it from being in twice; one without a trace might be.
    answerAll(
      there === undefined ? taken : traceless,
      Exit.fail(new StorageError({ reason: "OutcomeUnknown" }))
    )
    if (there !== undefined) yield* answerAlone(traced, true)
  })

  const answer = Effect.fnUntraced(function* (group: ReadonlyArray<Waiting>) {
    const exit = yield* Effect.exit(door.write(group.map((entry) => entry.unit)))
    if (Exit.isSuccess(exit)) return answerEach(group, exit.value)
    door.doubt()
    if (isNotWritten(exit.cause)) return answerAll(group, exit)
    if (!isUnknown(exit.cause)) return yield* answerAlone(group, false)
    const sent = door.sent()
    const [taken, left] = split(group, (entry) => sent.includes(entry.unit))
    if (taken.length > 0) yield* answerTaken(taken)
    yield* answerAlone(left, false)
  })

  return { answer }
}

/** The write itself; it holds the little that a lane remembers from write to write. */
const makeDoor = (driver: StorageDriverShape) => {
  // Whether the last group was written as hoped. After a refusal it pays to read the facts first.
  let hopeful = true
  // What the last write took along, while its answer has not come.
  let sent: ReadonlyArray<Unit> = []

  const write = Effect.fnUntraced(function* (units: ReadonlyArray<Unit>) {
    sent = []
    for (let round = 0; round < roundsMax; round++) {
      const refusals = hopeful
        ? units.map(() => undefined)
        : decideAll(yield* driver.facts(factKeys(units)), units)
      const accepted = units.filter((_, index) => refusals[index] === undefined)
      hopeful = accepted.length === units.length
      if (accepted.length === 0) return refusals
      sent = accepted
      const failed = yield* driver.write(merge(accepted))
      sent = []
      if (failed === null) return refusals
      hopeful = false
    }
    return yield* new StorageError({ reason: "Contended" })
  })

  return {
    write,
    sent: () => sent,
    doubt: () => {
      hopeful = false
    }
  }
}

type Write = ReturnType<typeof makeDoor>["write"]

/** Which units are in, by what each of them minted itself; undefined while the database does not answer. */
const looking = (driver: StorageDriverShape) =>
  Effect.fnUntraced(function* (units: ReadonlyArray<Unit>) {
    const witnesses = units.map(witnessOf)
    const asked = witnesses.filter((witness) => witness !== undefined)
    for (let attempt = 0; attempt < looksMax; attempt++) {
      const exit = yield* Effect.exit(driver.witnesses(asked))
      if (Exit.isSuccess(exit)) {
        const answers = exit.value.values()
        return witnesses.map((witness) => witness !== undefined && answers.next().value === true)
      }
      yield* Effect.sleep(Duration.millis(Math.min(2_000, 25 * 2 ** attempt)))
    }
    return undefined
  })

/**
 * Writes one unit. `sent` says that it may be on its way already by a connection that broke: then a refusal
 * can be its own echo, and only its witness tells.
 */
const sending = (write: Write, look: ReturnType<typeof looking>) =>
  Effect.fnUntraced(function* (unit: Unit, sent: boolean) {
    let echo = sent
    for (let resend = 0; resend < resendsMax; resend++) {
      const exit = yield* Effect.exit(write([unit]))
      const refused = Exit.isSuccess(exit) ? exit.value[0] : undefined
      if (Exit.isSuccess(exit) && refused === undefined) return
      const unknown = Exit.isFailure(exit) && isUnknown(exit.cause)
      if (!unknown && !echo)
        return yield* refused ?? Effect.failCause((exit as Exit.Failure<never, StorageError>).cause)
      const there = yield* look([unit])
      if (there?.[0] === true) return
      if (!unknown && there !== undefined && witnessOf(unit) !== undefined) {
        return yield* refused ?? Effect.failCause((exit as Exit.Failure<never, StorageError>).cause)
      }
      if (witnessOf(unit) === undefined || there === undefined) break
      echo = true
    }
    return yield* new StorageError({ reason: "OutcomeUnknown" })
  })

const split = <A>(values: ReadonlyArray<A>, isFirst: (value: A) => boolean) =>
  [values.filter(isFirst), values.filter((value) => !isFirst(value))] as const

const answerEach = (
  group: ReadonlyArray<Waiting>,
  refusals: ReadonlyArray<Refused | undefined>
): void => {
  for (const [index, entry] of group.entries()) {
    const refused = refusals[index]
    Deferred.doneUnsafe(entry.done, refused === undefined ? Exit.void : Exit.fail(refused))
  }
}

/** The same answer for all; those who have one already keep it. */
export const answerAll = (
  group: ReadonlyArray<Waiting>,
  exit: Exit.Exit<void, StorageError>
): void => {
  for (const entry of group) Deferred.doneUnsafe(entry.done, exit)
}

const hasReason = (
  cause: Cause.Cause<StorageError>,
  reasons: ReadonlyArray<StorageError["reason"]>
): boolean =>
  cause.reasons.some(
    (reason) => Cause.isFailReason(reason) && reasons.includes(reason.error.reason)
  )

const isUnknown = (cause: Cause.Cause<StorageError>): boolean =>
  hasReason(cause, ["OutcomeUnknown"])

/** The database is away, and said so before anything was sent: each by itself would only hear the same. */
const isNotWritten = (cause: Cause.Cause<StorageError>): boolean =>
  hasReason(cause, ["Unavailable"])
