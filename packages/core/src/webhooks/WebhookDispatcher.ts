import {
  Clock,
  Context,
  DateTime,
  Duration,
  Effect,
  FiberSet,
  Latch,
  Layer,
  Semaphore
} from "effect"
import type { LeaseToken, Uuid } from "../kernel/Ids.ts"
import { Ids } from "../ports/Ids.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import type { JobWorker } from "../workers/JobWorker.ts"
import type { SenderPorts } from "./DeliverySender.ts"
import { load, tryOnce } from "./DeliverySender.ts"
import { safeCause } from "../telemetry/SafeCause.ts"

/**
 * Sends due deliveries, many at once and each by itself: whoever is done makes room for the next, and nobody
 * waits for the slowest. An endpoint has a few of the places and never all of them.
 *
 * A delivery is sent at least once. Each try ends in one commit that records it and finishes or puts off the
 * job, and only for the holder of the job's lease; a process that dies between the two sends it again, with
 * the same bytes under the same ids.
 *
 * Closing the layer's scope claims nothing more and lets what is on its way arrive, for ten seconds.
 */
export class WebhookDispatcher extends Context.Service<WebhookDispatcher, JobWorker>()(
  "@pagora/core/webhooks/WebhookDispatcher"
) {
  static readonly layer: Layer.Layer<
    WebhookDispatcher,
    never,
    Storage | Secrets | Ids | ServiceTime | WebhookTransport
  > = Layer.effect(
    WebhookDispatcher,
    Effect.gen(function* () {
      const ports: SenderPorts = {
        storage: yield* Storage,
        secrets: yield* Secrets,
        ids: yield* Ids,
        time: yield* ServiceTime,
        transport: yield* WebhookTransport
      }
      const pool = yield* makePool(ports)
      const wake = Effect.asVoid(pool.hint.open)

      const drain = Effect.gen(function* () {
        for (let worked = 0; ;) {
          // Listens before it claims, so that no end slips through between the two.
          const nextEnd = pool.nextEnd()
          const taken = yield* pool.take
          worked += taken
          if (taken > 0) continue
          if (pool.isIdle()) return worked
          yield* nextEnd
        }
      })

      const turn = Effect.gen(function* () {
        const now = yield* ports.time.now
        yield* pool.hint.close
        yield* pool.take
        if (pool.hint.isOpen()) return
        yield* Effect.timeoutOption(pool.hint.await, yield* untilDue(ports, now))
      })
      const goOn = Effect.catchCause(turn, (cause) =>
        Effect.andThen(
          Effect.logError("Webhooks cannot be claimed; trying again.", safeCause(cause)),
          Effect.sleep(limits.pollEvery)
        )
      )
      return WebhookDispatcher.of({
        wake,
        drain,
        start: Effect.andThen(
          ports.storage.onWork("webhook", wake),
          Effect.asVoid(Effect.forkScoped(Effect.forever(goOn)))
        )
      })
    })
  )
}

const limits = {
  /** Sends at once. */
  places: 64,
  placesOfEndpoint: 4,
  /** More than a send and its commit can take: a request has ten seconds. */
  lease: Duration.seconds(30),
  /** How late, at most, work of other processes is seen. */
  pollEvery: Duration.seconds(1),
  stopWithin: Duration.seconds(10)
} as const

/** How long to wait for more, after claiming what was due at an instant. */
const untilDue = Effect.fnUntraced(function* (
  { storage, time }: SenderPorts,
  claimedAt: DateTime.Utc
) {
  const due = yield* storage.nextDue(["webhook"])
  // What was due and not given out waits for a place of its endpoint, and the end of a send wakes us.
  if (due === undefined || DateTime.isLessThanOrEqualTo(due, claimedAt)) return limits.pollEvery
  const away = DateTime.toEpochMillis(due) - DateTime.toEpochMillis(yield* time.now)
  return Duration.min(limits.pollEvery, Duration.millis(Math.max(0, away)))
})

/** The endpoints that a claim gave all their places, or that had them: more may be waiting for one. */
const fullOf = (before: ReadonlyMap<Uuid, number>, jobs: ReadonlyArray<Claimed>) => {
  const taken = new Map(before)
  for (const { group } of jobs) taken.set(group, (taken.get(group) ?? 0) + 1)
  return new Set(
    [...taken].filter(([, count]) => count >= limits.placesOfEndpoint).map(([group]) => group)
  )
}

/** The places, and who is in them. */
const makePool = Effect.fnUntraced(function* (ports: SenderPorts) {
  const { ids, storage, time } = ports
  const sending = yield* FiberSet.make<void>()
  const turnstile = Semaphore.makeUnsafe(1)
  const hint = Latch.makeUnsafe(false)
  const listeners = new Set<Latch.Latch>()
  const takenOf = new Map<Uuid, number>()
  let taken = 0
  let isStopped = false
  // Where the last claim may have left work lying. It is told when the claim answers, not when a send ends: by
  // then others of its batch may not even have begun, so that what is taken says nothing.
  let isAnyAwaited = true
  let awaited: ReadonlySet<Uuid> = new Set()

  yield* Effect.addFinalizer(() => {
    isStopped = true
    return Effect.timeoutOption(FiberSet.awaitEmpty(sending), limits.stopWithin)
  })

  const enter = (endpoint: Uuid) => {
    taken++
    takenOf.set(endpoint, (takenOf.get(endpoint) ?? 0) + 1)
  }
  const leave = (endpoint: Uuid) => {
    const ofEndpoint = takenOf.get(endpoint) ?? 0
    taken--
    if (ofEndpoint > 1) takenOf.set(endpoint, ofEndpoint - 1)
    else takenOf.delete(endpoint)
    // Whoever is told acts at once, here and now: everything must be in order before.
    const told = [...listeners]
    listeners.clear()
    if (isAnyAwaited || awaited.has(endpoint)) hint.openUnsafe()
    for (const listener of told) listener.openUnsafe()
  }

  const take = Effect.gen(function* () {
    const free = limits.places - taken
    if (isStopped || free === 0) return 0
    const before = new Map(takenOf)
    // Whoever ends while the claim is under way makes room that it may not have seen.
    isAnyAwaited = true
    const jobs = yield* storage.claim({
      queue: "webhook",
      now: yield* time.now,
      clock: DateTime.makeUnsafe(yield* Clock.currentTimeMillis),
      lease: limits.lease,
      max: free,
      perGroup: limits.placesOfEndpoint,
      token: yield* ids.next<LeaseToken>()
    })
    isAnyAwaited = jobs.length >= free
    awaited = fullOf(before, jobs)
    for (const loaded of jobs.length === 0 ? [] : yield* load(storage, jobs)) {
      const { group } = loaded.job
      enter(group)
      const out = Effect.sync(() => leave(group))
      yield* FiberSet.run(sending, Effect.ensuring(tryOnce(ports, loaded), out))
    }
    return jobs.length
  })
  return {
    /** Opened when there may be something to claim. */
    hint,
    isIdle: () => taken === 0,
    /** Completes when any of the sends has ended since. */
    nextEnd: () => {
      const listener = Latch.makeUnsafe(false)
      listeners.add(listener)
      return listener.await
    },
    /** Claims what is due and has a place, and starts sending it. What was claimed is also begun. */
    take: Effect.uninterruptible(turnstile.withPermits(1)(take))
  }
})
