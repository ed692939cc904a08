import { Cause, Clock, Deferred, Duration, Effect, Exit } from "effect"
import type { LeaseToken, WriteId } from "../kernel/Ids.ts"
import { epochMillisOf } from "../kernel/Ids.ts"
import { decideAll } from "../units/Decision.ts"
import { factKeys } from "../units/Facts.ts"
import type { MergedUnit } from "../units/MergedUnit.ts"
import { merge } from "../units/MergedUnit.ts"
import { madeOfRandom } from "../kernel/IdMaker.ts"
import type { Refused } from "../units/Refused.ts"
import { StorageError } from "../units/Refused.ts"
import { locksOf } from "../units/RowLocks.ts"
import type { FailedExpectation, Leaseless, StorageDriverShape } from "../ports/StorageDriver.ts"
import { isWritten } from "../ports/StorageDriver.ts"
import type { Unit } from "../units/Unit.ts"

/** A unit in line, and where its caller waits for the answer. */
export interface Waiting {
  readonly unit: Unit
  readonly done: Deferred.Deferred<void, Refused | StorageError>
  withdrawn: boolean
}

/** A unit that was not written: somebody else has locked something that it writes, or was faster each time. */
export interface Blocked {
  readonly entry: Waiting
  /** Whether it has met a lock. */
  readonly isLocked: boolean
  /** The names of what is locked; none where the storage could not tell. */
  readonly locks: ReadonlySet<string>
}

/**
 * Is told of each write that is in before its callers are, and also where they have left: with the leases that it did not
 * give. Of one whose answer was lost nobody knows those.
 */
export type OnWritten = (merged: MergedUnit, leaseless: ReadonlyArray<LeaseToken>) => void

/** Decide, write, and decide anew while neighbours of other processes get in between: then in smaller groups. */
const roundsMax = 4
/** How often the database is asked what became of a write, after a connection broke, and for how long at most. */
const looksMax = 8
const lookedFor = Duration.seconds(15)
/**
 * From this age on a write is not asked about any more. Storages keep identities for a day: what they had forgotten
 * would seem not to be in.
 */
const resolvedWithin = Duration.hours(1)

/** Not written, though everything held: the connection broke, and what was sent never comes in any more. */
const lost: FailedExpectation = { expectation: "connection" }

/**
 * Writes groups that meet neither themselves nor each other, and answers every caller but those whose unit is blocked.
 * `hopes` says whether a group may be written before the facts were read.
 */
export const makeWriter = (driver: StorageDriverShape, hopes: boolean, onWritten: OnWritten) => {
  const door = makeDoor(driver, hopes, onWritten)

  const answer: (
    group: ReadonlyArray<Waiting>,
    lockWait: Duration.Duration | undefined
  ) => Effect.Effect<ReadonlyArray<Blocked>> = Effect.fnUntraced(function* (group, lockWait) {
    const units = group.map((entry) => entry.unit)
    const flight: Flight = { sent: [] }
    const exit = yield* Effect.exit(door.write(units, lockWait, flight))
    if (Exit.isSuccess(exit)) {
      const [blocked, behind] = split(answerEach(group, exit.value), ({ isLocked }) => isLocked)
      return behind.length === 0 ? blocked : [...blocked, ...(yield* smaller(behind, lockWait))]
    }
    door.doubt()
    const [sent, others] = split(group, (entry) => flight.sent.includes(entry.unit))
    if (isUnknown(exit.cause)) {
      answerAll(sent, exit)
      return yield* alone(others, lockWait)
    }
    // What breaks a write is the affair of one unit, mostly; that the database is away is everybody's.
    if (group.length > 1 && Cause.hasDies(exit.cause)) return yield* alone(group, lockWait)
    answerAll(group, exit)
    return []
  })
  const each = (
    groups: ReadonlyArray<ReadonlyArray<Waiting>>,
    lockWait: Duration.Duration | undefined
  ) =>
    Effect.map(
      Effect.forEach(groups, (group) => answer(group, lockWait)),
      (blocked) => blocked.flat()
    )
  const alone = (entries: ReadonlyArray<Waiting>, lockWait: Duration.Duration | undefined) =>
    each(
      entries.map((entry) => [entry]),
      lockWait
    )
  /** Fewer units have fewer neighbours. One that is outrun by itself is not to hold up the others any longer. */
  const smaller = (behind: ReadonlyArray<Blocked>, lockWait: Duration.Duration | undefined) => {
    if (behind.length === 1) return Effect.succeed(behind)
    const entries = behind.map(({ entry }) => entry)
    const half = Math.ceil(entries.length / 2)
    return each([entries.slice(0, half), entries.slice(half)], lockWait)
  }
  return { answer, isHopeful: door.isHopeful }
}

/** What a write took along, while its outcome is not known. */
interface Flight {
  sent: ReadonlyArray<Unit>
}

type Obstacle = Omit<Blocked, "entry">
/** Neighbours got in between each time. */
const outrun: Obstacle = { isLocked: false, locks: new Set() }
/** What became of one unit of a group. */
type Outcome = Exit.Exit<void, Refused> | Obstacle

/** The write itself; it holds the little that a lane remembers from write to write. */
const makeDoor = (driver: StorageDriverShape, hopes: boolean, onWritten: OnWritten) => {
  const writeSurely = makingSure(driver)
  const ids = madeOfRandom()
  // Whether the last group was written as hoped. After a refusal it pays to read the facts first.
  let hopeful = hopes

  const write = Effect.fnUntraced(function* (
    units: ReadonlyArray<Unit>,
    lockWait: Duration.Duration | undefined,
    flight: Flight
  ) {
    const blocked = new Map<Unit, Obstacle>()
    let failed: FailedExpectation | null = null
    for (let round = 0; round < roundsMax; round++) {
      flight.sent = []
      const free = units.filter((unit) => !blocked.has(unit))
      const refusals =
        (hopeful && round === 0) || free.length === 0
          ? free.map(() => undefined)
          : decideAll(yield* driver.facts(factKeys(free)), free)
      const accepted = free.filter((_, index) => refusals[index] === undefined)
      hopeful = hopes && accepted.length === units.length
      if (accepted.length === 0) return outcomesOf(units, blocked, refusals)
      flight.sent = accepted
      const merged = merge(accepted, yield* ids.next<WriteId>(), lockWait)
      const answer: FailedExpectation | Leaseless | null = yield* writeSurely(merged)
      flight.sent = []
      if (isWritten(answer)) {
        onWritten(merged, answer?.leaseless ?? [])
        return outcomesOf(units, blocked, refusals)
      }
      failed = answer
      hopeful = false
      if (failed.locked !== undefined) block(blocked, accepted, new Set(failed.locked))
    }
    if (failed === lost) return yield* new StorageError({ reason: "Unavailable" })
    return units.map((unit): Outcome => blocked.get(unit) ?? outrun)
  })

  return {
    write,
    isHopeful: () => hopeful,
    doubt: () => {
      hopeful = false
    }
  }
}

/** Refusals are those of the units that are not blocked, in order. */
const outcomesOf = (
  units: ReadonlyArray<Unit>,
  blocked: ReadonlyMap<Unit, Obstacle>,
  refusals: ReadonlyArray<Refused | undefined>
): ReadonlyArray<Outcome> => {
  const rest = refusals.values()
  return units.map((unit) => {
    const obstacle = blocked.get(unit)
    if (obstacle !== undefined) return obstacle
    const refused = rest.next().value
    return refused === undefined ? Exit.void : Exit.fail(refused)
  })
}

/** Takes out those units that have met a lock; all of them, where the storage cannot tell which of them did. */
const block = (
  blocked: Map<Unit, Obstacle>,
  units: ReadonlyArray<Unit>,
  locked: ReadonlySet<string>
): void => {
  const met = units.map(
    (unit) => [unit, new Set(locksOf(unit).filter((lock) => locked.has(lock)))] as const
  )
  const isNamed = met.some(([, locks]) => locks.size > 0)
  for (const [unit, locks] of met) {
    if (!isNamed || locks.size > 0) blocked.set(unit, { isLocked: true, locks })
  }
}

/**
 * Writes, and where the answer is lost makes sure what became of it: it is in, or it never will be. Only while the
 * database cannot be asked the outcome is unknown.
 */
const makingSure = (driver: StorageDriverShape) => {
  const resolve = resolver(driver)
  return Effect.fnUntraced(function* (merged: MergedUnit) {
    const exit = yield* Effect.exit(driver.write(merged))
    if (Exit.isSuccess(exit)) return exit.value
    const isBroken = isUnknown(exit.cause)
    // What the driver died of may have happened after the storage was done.
    if (!isBroken && !Cause.hasDies(exit.cause)) return yield* exit
    const isIn = yield* resolve(merged.id)
    if (isIn === undefined) return yield* new StorageError({ reason: "OutcomeUnknown" })
    if (isIn) return null
    return isBroken ? lost : yield* exit
  })
}

/** Whether a write is in; undefined while the storage does not answer, or may have forgotten it. */
const resolver = (driver: StorageDriverShape) =>
  Effect.fnUntraced(function* (id: WriteId) {
    const begun = yield* Clock.monotonicTimeNanos
    for (let attempt = 0; attempt < looksMax; attempt++) {
      if (attempt > 0) yield* Effect.sleep(Duration.millis(25 * 2 ** (attempt - 1)))
      const taken = Duration.nanos((yield* Clock.monotonicTimeNanos) - begun)
      if (Duration.isGreaterThan(taken, lookedFor)) return undefined
      const exit = yield* Effect.exit(driver.resolveWrite(id))
      if (Exit.isSuccess(exit)) {
        const age = (yield* Clock.currentTimeMillis) - epochMillisOf(id)
        return exit.value || age < Duration.toMillis(resolvedWithin) ? exit.value : undefined
      }
    }
    return undefined
  })

const split = <A>(values: ReadonlyArray<A>, isFirst: (value: A) => boolean) =>
  [values.filter(isFirst), values.filter((value) => !isFirst(value))] as const

/** Answers those whose outcome is final, and tells who is blocked. */
const answerEach = (
  group: ReadonlyArray<Waiting>,
  outcomes: ReadonlyArray<Outcome>
): ReadonlyArray<Blocked> =>
  group.flatMap((entry, index) => {
    const outcome = outcomes[index] ?? Exit.void
    if (!Exit.isExit(outcome)) return [{ entry, ...outcome }]
    Deferred.doneUnsafe(entry.done, outcome)
    return []
  })

/** The same answer for all; those who have one already keep it. */
export const answerAll = (
  group: ReadonlyArray<Waiting>,
  exit: Exit.Exit<void, StorageError> | Exit.Exit<never, StorageError>
): void => {
  for (const entry of group) Deferred.doneUnsafe(entry.done, exit)
}

const isUnknown = (cause: Cause.Cause<StorageError>): boolean =>
  cause.reasons.some(
    (reason) => Cause.isFailReason(reason) && reason.error.reason === "OutcomeUnknown"
  )
