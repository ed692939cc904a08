import { Clock, Duration, Effect, FiberSet, Latch, Semaphore } from "effect"
import type { LeaseToken, Uuid } from "../kernel/Ids.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { Queue } from "../ports/Unit.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { Loaded, SenderPorts } from "./DeliverySender.ts"
import { load, tryOnce } from "./DeliverySender.ts"
import { paces } from "./Paces.ts"
import type { PlaceLimits } from "./Places.ts"
import { makePlaces } from "./Places.ts"

const limits = {
  /** More than a send and its commit can take: a request has ten seconds. */
  lease: Duration.seconds(30),
  /** How long a line rests after a claim that failed. */
  restFor: Duration.seconds(1),
  stopWithin: Duration.seconds(10)
} as const

/** One line of deliveries, with places of its own. */
export const makeLine = Effect.fnUntraced(function* (
  ports: SenderPorts,
  queue: Queue,
  of: PlaceLimits
) {
  const pool = yield* makePool(ports, queue, of)

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
      ports.storage.onWork({ queues: [queue], wake: () => wake }),
      Effect.asVoid(Effect.forkScoped(Effect.forever(goOn)))
    )
  }
})

/** For paces, whatever clocks do. */
const nowMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

const accountOf = ({ delivery, endpoint }: Loaded): Uuid =>
  endpoint?.value.account ?? delivery.account

/** The places of a line, and what happens in them. */
const makePool = Effect.fnUntraced(function* (ports: SenderPorts, queue: Queue, of: PlaceLimits) {
  const { ids, storage, time } = ports
  const sending = yield* FiberSet.make<void>()
  const turnstile = Semaphore.makeUnsafe(1)
  const hint = Latch.makeUnsafe(true)
  const listeners = new Set<Latch.Latch>()
  const places = makePlaces(of)
  let isStopped = false
  // Where the last claim may have left work lying. It is told when the claim has answered, not when a send ends: by
  // then others of its batch may not even have begun, so that what is taken says nothing.
  let isAnyAwaited = true
  let awaited: ReadonlySet<Uuid> = new Set()

  yield* Effect.addFinalizer(() => {
    isStopped = true
    return Effect.timeoutOption(FiberSet.awaitEmpty(sending), limits.stopWithin)
  })

  const send = (loaded: Loaded) => {
    const { group } = loaded.job
    let outcome: Effect.Success<ReturnType<typeof tryOnce>>
    const leave = Effect.map(nowMillis, (endedMillis) => {
      places.leave(group, accountOf(loaded), outcome, endedMillis)
      // Whoever is told acts at once, here and now: everything must be in order before.
      const told = [...listeners]
      listeners.clear()
      if (isAnyAwaited || awaited.has(group)) hint.openUnsafe()
      for (const listener of told) listener.openUnsafe()
    })
    return tryOnce(ports, loaded).pipe(
      Effect.map((answer) => {
        outcome = answer
      }),
      Effect.ensuring(leave)
    )
  }

  const claim = Effect.fnUntraced(function* (max: number) {
    const bounds = places.bounds(yield* nowMillis)
    return yield* storage.claim({
      queue,
      now: yield* time.now,
      lease: limits.lease,
      max,
      perGroup: paces.first,
      bounds,
      perAccount: of.ofAccount,
      token: yield* ids.next<LeaseToken>()
    })
  })

  const take = Effect.gen(function* () {
    const free = places.free()
    if (isStopped || free <= 0) return 0
    // Whoever ends while the claim is under way makes room that it may not have seen.
    isAnyAwaited = true
    const jobs: ReadonlyArray<Claimed> = yield* claim(free)
    const loaded = jobs.length === 0 ? [] : yield* load(storage, jobs)
    for (const one of loaded) places.enter(one.job.group, accountOf(one))
    isAnyAwaited = jobs.length >= free
    awaited = places.full()
    for (const one of loaded) yield* FiberSet.run(sending, send(one))
    return jobs.length
  })
  return {
    /** Opened when there may be something to claim. */
    hint,
    isIdle: places.isIdle,
    /** Opened when any of the sends has ended since. */
    nextEnd: () => {
      const listener = Latch.makeUnsafe(false)
      listeners.add(listener)
      return listener
    },
    /** Claims what is due and has a place, and starts sending it. What was claimed is also begun. */
    take: Effect.uninterruptible(turnstile.withPermits(1)(take))
  }
})
