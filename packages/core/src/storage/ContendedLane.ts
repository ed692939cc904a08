import type { Scope } from "effect"
import { Clock, Deferred, Duration, Effect, Exit, Latch } from "effect"
import { pick } from "./Group.ts"
import type { Blocked, OnWritten, Waiting } from "./GroupWriter.ts"
import { answerAll, makeWriter } from "./GroupWriter.ts"
import { StorageError } from "../units/Refused.ts"
import { locksOf } from "../units/RowLocks.ts"
import type { StorageDriverShape } from "../ports/StorageDriver.ts"

/** How long a write waits for a lock while one is known. It holds what it has locked itself for as long. */
const briefLockWait = Duration.millis(100)
/** How long a unit stands aside before its caller is told `Contended`. */
const contendedWithin = Duration.seconds(5)
/** So many stand aside at most; the next one is told `Contended` at once. */
const contendedMax = 1_000
/** How long nobody tries anew, after all have failed: doubled each time up to the latter. */
const pauseMin = Duration.millis(50)
const pauseMax = Duration.millis(400)
const groupMax = 100

interface Parked extends Blocked {
  /** By the monotonic clock. */
  readonly untilMillis: number
}

/** Where there is one lock there may be more: each is to cost the others little. */
const lockWaitOf = (contended: ReadonlyArray<Blocked>) =>
  contended.some(({ isLocked }) => isLocked) ? briefLockWait : undefined

/** Who stands aside, and behind which locks. */
const makeParked = () => {
  const filled = Latch.makeUnsafe(false)
  const emptied = Latch.makeUnsafe(true)
  let parked: ReadonlyArray<Parked> = []
  let locks: ReadonlySet<string> = new Set()

  const hold = (next: ReadonlyArray<Parked>) => {
    parked = next
    locks = new Set(next.flatMap((one) => [...one.locks]))
    const [toOpen, toClose] = next.length === 0 ? [emptied, filled] : [filled, emptied]
    toClose.closeUnsafe()
    toOpen.openUnsafe()
  }
  const take = Effect.fnUntraced(function* (blocked: ReadonlyArray<Blocked>) {
    if (blocked.length === 0) return
    const untilMillis = (yield* nowMillis) + Duration.toMillis(contendedWithin)
    const room = Math.max(0, contendedMax - parked.length)
    for (const { entry } of blocked.slice(room)) Deferred.doneUnsafe(entry.done, tellContended)
    const before = locks
    hold([...parked, ...blocked.slice(0, room).map((one) => ({ ...one, untilMillis }))])
    const found = [...locks].filter((lock) => !before.has(lock) && isTold(lock))
    if (found.length === 0) return
    yield* Effect.logWarning(
      "Another session holds locks on what is to be written; the units that need it wait aside."
    ).pipe(Effect.annotateLogs({ locks: found.join(", ") }))
  })
  const divert = Effect.fnUntraced(function* (line: ReadonlyArray<Waiting>) {
    const met = line.flatMap((entry): ReadonlyArray<Blocked> => {
      const known = locks.size === 0 ? [] : locksOf(entry.unit).filter((lock) => locks.has(lock))
      return known.length === 0 ? [] : [{ entry, isLocked: true, locks: new Set(known) }]
    })
    yield* take(met)
    const gone = new Set(met.map(({ entry }) => entry))
    return gone.size === 0 ? line : line.filter((entry) => !gone.has(entry))
  })
  /** Lets those go whose callers have left, and those who have waited long enough. */
  const dismiss = Effect.map(nowMillis, (now) => {
    const isOver = ({ untilMillis }: Parked) => untilMillis <= now
    answerAll(entriesOf(parked.filter(isOver)), tellContended)
    const stays = (one: Parked) => !one.entry.withdrawn && !isOver(one)
    if (!parked.every(stays)) hold(parked.filter(stays))
  })
  return { filled, emptied, parked: () => parked, hold, take, divert, dismiss }
}

/**
 * Where units stand that somebody else's lock keeps from being written: a session of an administrator, mostly. They are
 * tried again on a lane of their own, the first behind each lock for all, and go on together once the lock is gone. Those
 * that neighbours keep outrunning are tried one by one (decision 0058).
 */
export const makeContendedLane = Effect.fnUntraced(function* (
  driver: StorageDriverShape,
  onWritten: OnWritten
): Effect.fn.Return<ContendedLane, never, Scope.Scope> {
  const { dismiss, divert, emptied, filled, hold, parked, take } = makeParked()
  const writer = makeWriter(driver, false, onWritten)
  let trying: ReadonlyArray<Waiting> = []

  /** Writes what it can of a group; who is still blocked stays. Answers the locks that are gone, and those that are not. */
  const tryAll = Effect.fnUntraced(function* (group: ReadonlyArray<Parked>) {
    trying = entriesOf(group)
    const blocked = new Map(
      (yield* writer.answer(trying, lockWaitOf(parked()))).map((one) => [one.entry, one])
    )
    const answered = new Set(trying.filter((entry) => !blocked.has(entry)))
    trying = []
    hold(
      parked()
        .filter(({ entry }) => !answered.has(entry))
        .map((one) => ({ ...one, ...blocked.get(one.entry) }))
    )
    return {
      gone: group.filter(({ entry }) => answered.has(entry)).flatMap(({ locks }) => [...locks]),
      held: [...blocked.values()].flatMap(({ locks }) => [...locks]),
      isProgress: answered.size > 0
    }
  })

  /** Tries everybody who does not stand behind a lock that is still there, and tells whether somebody is done. */
  const sweep = Effect.gen(function* () {
    const tried = new Set<Waiting>()
    const [held, gone] = [new Set<string>(), new Set<string>()]
    for (let isProgress = false; ;) {
      yield* dismiss
      const line = parked().filter((one) => !tried.has(one.entry) && !isBehind(one, held))
      const freed = line.filter((one) => isBehind(one, gone))
      const { group } = pick(freed.length > 0 ? freed : line.slice(0, 1), groupMax, unitOf)
      if (group.length === 0) return isProgress
      for (const { entry } of group) tried.add(entry)
      const seen = yield* tryAll(group)
      for (const lock of seen.gone) gone.add(lock)
      for (const lock of seen.held) held.add(lock)
      isProgress ||= seen.isProgress
    }
  })

  const turn = Effect.gen(function* () {
    yield* filled.await
    for (let pause = pauseMin; parked().length > 0;) {
      yield* Effect.sleep(pause)
      pause = (yield* sweep) ? pauseMin : Duration.min(pauseMax, Duration.times(pause, 2))
    }
  })
  const abandon = Effect.sync(() => {
    answerAll(trying, Exit.fail(new StorageError({ reason: "OutcomeUnknown" })))
    answerAll(entriesOf(parked()), Exit.fail(new StorageError({ reason: "Closed" })))
  })
  yield* Effect.forever(turn).pipe(Effect.ensuring(abandon), Effect.forkScoped)
  return {
    isEmpty: () => parked().length === 0,
    lockWait: () => lockWaitOf(parked()),
    emptied: emptied.await,
    take,
    divert
  }
})

export interface ContendedLane {
  readonly isEmpty: () => boolean
  /** How long the others wait for a lock meanwhile; as long as the storage does otherwise, where undefined. */
  readonly lockWait: () => Duration.Duration | undefined
  /** Completes once nobody stands aside. */
  readonly emptied: Effect.Effect<void>
  /** Sets blocked units aside. */
  readonly take: (blocked: ReadonlyArray<Blocked>) => Effect.Effect<void>
  /** Sets those aside who would meet a lock that is known, and answers the others. */
  readonly divert: (line: ReadonlyArray<Waiting>) => Effect.Effect<ReadonlyArray<Waiting>>
}

const tellContended = Exit.fail(new StorageError({ reason: "Contended" }))

const nowMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

const unitOf = ({ entry }: Parked) => entry.unit
const entriesOf = (all: ReadonlyArray<Blocked>) => all.map(({ entry }) => entry)

const isBehind = (one: Parked, locks: ReadonlySet<string>): boolean =>
  [...one.locks].some((lock) => locks.has(lock))

/** Keys of callers are not told. */
const isTold = (lock: string): boolean => !lock.startsWith("idempotency ")
