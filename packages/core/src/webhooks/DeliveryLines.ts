import { Clock, Duration, Effect, FiberSet, Latch, Semaphore } from "effect"
import type { LeaseToken, Uuid } from "../kernel/Ids.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Claim, Claimed } from "../ports/StorageDriver.ts"
import type { Queue } from "../units/Unit.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { makeSignal } from "../jobs/Signal.ts"
import type { SenderPorts } from "./DeliverySender.ts"
import { load, makeSender } from "./DeliverySender.ts"
import type { Loaded, Tried } from "./DeliveryTries.ts"
import { paces } from "./Paces.ts"
import type { SlotLimits } from "./DeliverySlots.ts"
import { makeSlots } from "./DeliverySlots.ts"

const limits = {
  /** More than a send and its commit can take: a request has ten seconds. */
  lease: Duration.seconds(30),
  /** How long a line rests after a claim that failed. */
  restFor: Duration.seconds(1),
  stopWithin: Duration.seconds(10)
} as const

interface Making {
  readonly ports: SenderPorts
  /** Completes when a try is recorded. */
  readonly record: (tried: Tried) => Effect.Effect<void>
}

/** One line of deliveries, with slots of its own. */
export const makeLine = Effect.fnUntraced(function* (making: Making, queue: Queue, of: SlotLimits) {
  const { ports } = making
  const pool = yield* makePool(making, queue, of)

  const turn = Effect.gen(function* () {
    yield* pool.hint.await
    // Closed before the claim: what comes while it is under way opens it again.
    yield* pool.hint.close
    yield* pool.take
  })
  const goOn = Effect.catchCause(turn, (cause) =>
    Effect.andThen(
      Effect.logError("Webhooks cannot be claimed; trying again.", safeCause(cause)),
      Effect.sleep(limits.restFor)
    )
  )
  const wake = Effect.asVoid(pool.hint.open)

  return {
    wake,
    drain: Effect.gen(function* () {
      for (let worked = 0; ;) {
        // Listens before it claims, so that no end slips through between the two.
        const end = pool.nextEnd()
        const taken = yield* pool.take
        worked += taken
        // What has ended meanwhile made room that the claim may not have seen.
        if (taken > 0 || end.isOpen()) continue
        if (pool.isIdle()) return worked
        yield* end.await
      }
    }),
    start: Effect.andThen(
      ports.storage.onWork({ queues: [queue], now: ports.time.now, wake: () => wake }),
      Effect.asVoid(Effect.forkScoped(Effect.forever(goOn)))
    )
  }
})

/** For paces, whatever clocks do. */
const nowMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

const accountOf = ({ delivery, endpoint }: Loaded): Uuid =>
  endpoint?.value.account ?? delivery.account

/** The slots of a line, and what happens in them. */
const makePool = Effect.fnUntraced(function* (
  { ports, record }: Making,
  queue: Queue,
  of: SlotLimits
) {
  const tryOnce = makeSender(ports)
  const sending = yield* FiberSet.make<void>()
  const turnstile = Semaphore.makeUnsafe(1)
  const hint = Latch.makeUnsafe(true)
  const ended = makeSignal()
  const slots = makeSlots(of)
  // What was sent and is about to be recorded. It has left its slot.
  const unrecorded = new Set<Claimed>()
  let isStopped = false
  // Where the last claim may have left work lying. It is told when the claim has answered, not when a send ends: by
  // then others of its batch may not even have begun, so that what is taken says nothing.
  let isAnyAwaited = true
  let awaited: ReadonlySet<Uuid> = new Set()

  yield* Effect.addFinalizer(() => {
    isStopped = true
    return Effect.timeoutOption(FiberSet.awaitEmpty(sending), limits.stopWithin)
  })

  const tell = (isRoom: boolean) => {
    if (isRoom) hint.openUnsafe()
    ended.notifyAll()
  }
  const isCrowded = () => unrecorded.size >= of.all

  const send = (loaded: Loaded) => {
    const { job } = loaded
    let tried: Tried | undefined
    const leave = Effect.map(nowMillis, (endedMillis) => {
      if (tried !== undefined) unrecorded.add(job)
      slots.leave(job.group, accountOf(loaded), tried?.ending.answer, endedMillis)
      tell(isAnyAwaited || awaited.has(job.group))
    })
    const over = Effect.sync(() => {
      const wasCrowded = isCrowded()
      unrecorded.delete(job)
      tell(wasCrowded)
    })
    return tryOnce(loaded).pipe(
      Effect.map((ended) => {
        tried = ended
      }),
      Effect.ensuring(leave),
      Effect.andThen(Effect.suspend(() => (tried === undefined ? Effect.void : record(tried)))),
      Effect.ensuring(over)
    )
  }

  const take = Effect.gen(function* () {
    const free = isCrowded() ? 0 : slots.free()
    if (isStopped || free <= 0) return 0
    // Whoever ends while the claim is under way makes room that it may not have seen.
    isAnyAwaited = true
    const bounds = slots.bounds(yield* nowMillis)
    const jobs = yield* claim(ports, { queue, of, bounds, spared: [...unrecorded], max: free })
    const loaded = jobs.length === 0 ? [] : yield* load(ports.storage, jobs)
    for (const one of loaded) slots.enter(one.job.group, accountOf(one))
    isAnyAwaited = jobs.length >= free
    awaited = slots.full()
    for (const one of loaded) yield* FiberSet.run(sending, send(one))
    return jobs.length
  })
  return {
    /** Opened when there may be something to claim. */
    hint,
    isIdle: () => slots.isIdle() && unrecorded.size === 0,
    /** Opened when any of the sends or of their records has ended since. */
    nextEnd: ended.next,
    /** Claims what is due and has a slot, and starts sending it. What was claimed is also begun. */
    take: Effect.uninterruptible(turnstile.withPermits(1)(take))
  }
})

interface Asking extends Pick<Claim, "queue" | "max" | "bounds" | "spared"> {
  readonly of: SlotLimits
}

const claim = Effect.fnUntraced(function* (
  { ids, storage, time }: SenderPorts,
  { of, ...asked }: Asking
): Effect.fn.Return<ReadonlyArray<Claimed>, StorageError> {
  return yield* storage.claim({
    ...asked,
    now: yield* time.now,
    lease: limits.lease,
    perGroup: paces.first,
    perAccount: of.ofAccount,
    token: yield* ids.next<LeaseToken>()
  })
})
