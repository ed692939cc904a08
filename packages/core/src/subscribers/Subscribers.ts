import type { Cause } from "effect"
import { Context, Duration, Effect, Exit, Fiber, Layer, Schema, Scope } from "effect"
import type { DeliveryId, EndpointId } from "../kernel/Ids.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { eventSchemas } from "../webhooks/EventSchemas.ts"
import type { EventType } from "../webhooks/EventTypes.ts"
import type { WorkerServices } from "../jobs/JobRunner.ts"
import type { JobWorker } from "../jobs/JobWorker.ts"
import * as Worker from "../jobs/JobWorker.ts"
import type { Subscription } from "./Subscription.ts"
import { cancelAll, cancelWaiting, record, unsubscribed } from "./SubscriberRecords.ts"
import { handlerMax, queueOf, SubscriptionsKind } from "./Subscription.ts"
import { SubscriptionRouter } from "./SubscriptionRouter.ts"
import { hostCause } from "../telemetry/SafeCause.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"

/** Two handlers of one process under one name and kind of event: which of them should get the event? */
export class SubscriberTaken extends Schema.TaggedError<SubscriberTaken>()("SubscriberTaken", {
  name: Schema.String,
  event: Schema.String
}) {}

/** An event as webhooks send it, and whose it is. Amounts are in BRL. */
export type SubscribedEvent<Type extends EventType> = (typeof eventSchemas)[Type]["Type"] & {
  readonly accountId: string
}

/** Which delivery this is: the same id in every attempt, and the attempt's number from 1. */
export interface DeliveryAttempt {
  readonly deliveryId: string
  readonly attempt: number
}

/** What handles an event. The event is done when it succeeds, and comes again when it does not. */
export type Handle<Type extends EventType> = (
  event: SubscribedEvent<Type>,
  delivery: DeliveryAttempt
) => Effect.Effect<unknown, unknown>

export interface SubscriberName {
  /** The same name in every process and after every restart: each event is handled once for it. */
  readonly name: string
}

/**
 * Handlers inside the program: each is an endpoint in all but its transport. Events come at least once, from the same
 * outbox as webhooks, for as long as it takes, and to one of the processes that have registered the name.
 */
export class Subscribers extends Context.Service<
  Subscribers,
  JobWorker & {
    /** From now on every event of this kind, of every account, comes to `handle`, here or in another process. */
    readonly on: <Type extends EventType>(
      event: Type,
      options: SubscriberName,
      handle: Handle<Type>
    ) => Effect.Effect<void, SubscriberTaken | StorageError>
    /** Nothing more comes under this name, in no process; what waits for it is cancelled. */
    readonly off: (name: string) => Effect.Effect<void, StorageError>
  }
>()("@pagora/core/subscribers/Subscribers") {
  static readonly layer: Layer.Layer<
    Subscribers,
    never,
    SubscriptionRouter | Storage | Ids | ServiceTime
  > = Layer.effect(
    Subscribers,
    Effect.gen(function* () {
      const services = { storage: yield* Storage, ids: yield* Ids, time: yield* ServiceTime }
      const router = yield* SubscriptionRouter
      const registered = new Map<string, Registered>()
      // Those of subscribers that were switched off are among them until nothing of them is at work.
      const workers = new Set<Registered>()
      let running: Scope.Scope | undefined

      const begin = Effect.fnUntraced(function* (one: Registered, within: Scope.Scope) {
        one.scope = yield* Scope.fork(within)
        yield* Scope.provide(one.worker.start, one.scope)
      })

      /** Ends its worker once it has cancelled what it had claimed. Its own handler may have switched it off. */
      const retire = Effect.fnUntraced(function* (one: Registered) {
        if (one.scope !== undefined) {
          yield* Effect.ignore(one.worker.drain)
          yield* Scope.close(one.scope, Exit.void)
        }
        workers.delete(one)
        yield* cancelAll(services, one.id)
      })

      const on = Effect.fn("Subscribers.on")(function* <Type extends EventType>(
        event: Type,
        { name }: SubscriberName,
        handle: Handle<Type>
      ) {
        const key = keyOf(event, name)
        if (registered.has(key)) return yield* new SubscriberTaken({ name, event })
        const subscription = yield* subscribe(services, router, { event, name })
        // Another call of this process may have been faster.
        if (registered.has(key)) return yield* new SubscriberTaken({ name, event })
        const worker = Worker.make(services, {
          queues: [queueOf(subscription.id)],
          slots: handledAtOnce,
          slotsOfGroup: handledAtOnce,
          work: work(services, router, handle as Handle<EventType>)
        })
        const one: Registered = { id: subscription.id, worker, scope: undefined }
        registered.set(key, one)
        workers.add(one)
        // Begun by a call of the host, it is not under the guard that all other workers run under.
        if (running !== undefined) yield* underGuard(begin(one, running))
      })

      const off = Effect.fn("Subscribers.off")(function* (name: string) {
        for (const { event, id } of yield* unsubscribe(services, router, name)) {
          const one = registered.get(keyOf(event, name))
          registered.delete(keyOf(event, name))
          yield* cancelWaiting(services, id)
          if (one === undefined) continue
          if (running === undefined) workers.delete(one)
          else yield* Effect.forkIn(underGuard(retire(one)), running)
        }
      })

      return Subscribers.of({
        on,
        off,
        wake: Effect.suspend(() =>
          Effect.forEach([...workers], ({ worker }) => worker.wake, { discard: true })
        ),
        drain: Effect.gen(function* () {
          let worked = 0
          for (const { worker } of workers) worked += yield* worker.drain
          return worked
        }),
        start: Effect.gen(function* () {
          running = yield* Effect.scope
          yield* Effect.addFinalizer(() => Effect.sync(() => (running = undefined)))
          for (const one of workers) yield* begin(one, running)
        })
      })
    })
  )
}

/** A subscription that this process has a handler for. */
interface Registered {
  readonly id: EndpointId
  readonly worker: JobWorker
  /** What its worker runs in; none where no workers run. */
  scope: Scope.Closeable | undefined
}

/** A handler's events at once, and no more in all processes. */
const handledAtOnce = 16

type Router = SubscriptionRouter["Service"]

const keyOf = (event: string, name: string): string => `${event}/${name}`

/** The subscription of a name, new or not. */
const subscribe = (
  { ids, storage, time }: WorkerServices,
  router: Router,
  { event, name }: { readonly event: string; readonly name: string }
): Effect.Effect<Subscription, StorageError> =>
  decideAgain(
    Effect.gen(function* () {
      const stored = yield* router.read
      const found = stored.value.all.find((one) => one.name === name && one.event === event)
      if (found !== undefined) return found
      const added = { id: yield* ids.next<EndpointId>(), name, event }
      const next = { all: [...stored.value.all, added] }
      yield* storage
        .commit({
          at: yield* time.now,
          updates: [Kind.update(SubscriptionsKind, stored, next)]
        })
        .pipe(refusedFor("StaleVersion"))
      return added
    })
  )

/** Answers what was there. */
const unsubscribe = (
  { storage, time }: WorkerServices,
  router: Router,
  name: string
): Effect.Effect<ReadonlyArray<Subscription>, StorageError> =>
  decideAgain(
    Effect.gen(function* () {
      const stored = yield* router.read
      const removed = stored.value.all.filter((one) => one.name === name)
      if (removed.length === 0) return removed
      const next = { all: stored.value.all.filter((one) => one.name !== name) }
      yield* storage
        .commit({
          at: yield* time.now,
          updates: [Kind.update(SubscriptionsKind, stored, next)]
        })
        .pipe(refusedFor("StaleVersion"))
      return removed
    })
  )

/** A handler that never answers is left behind after this; its result counts no more. */
const limited = Effect.fnUntraced(function* (handling: Effect.Effect<unknown, unknown>) {
  // Fibers of their own: the one that waits here is not interrupted when the process stops, and these are.
  const handler = yield* Effect.forkDetach(handling)
  const clock = yield* Effect.forkDetach(
    Effect.andThen(Effect.sleep(handlerMax), Fiber.interrupt(handler))
  )
  const exit = yield* Fiber.await(handler)
  yield* Fiber.interrupt(clock)
  return exit
})

const work = (services: WorkerServices, router: Router, handle: Handle<EventType>) =>
  Effect.fnUntraced(function* (job: Claimed) {
    const { storage, time } = services
    const [delivery] = yield* storage.deliveries({ ids: [job.id as DeliveryId] })
    const [event] = delivery === undefined ? [] : yield* storage.events([delivery.event])
    if (delivery === undefined || event === undefined)
      return yield* Effect.die(new Error(`Delivery ${job.id} is gone.`))
    const at = yield* time.now
    const attempt = delivery.attempts + 1
    const { all } = (yield* router.read).value
    if (!all.some(({ id }) => id === delivery.endpoint))
      return yield* record(services, job, { at, attempt, ending: unsubscribed })
    const [took, exit] = yield* Effect.timed(
      limited(
        Effect.suspend(() =>
          handle({ ...(JSON.parse(event.body) as object), accountId: event.account } as never, {
            deliveryId: delivery.id,
            attempt
          })
        )
      )
    )
    const durationMillis = Math.round(Duration.toMillis(took))
    if (Exit.isSuccess(exit))
      return yield* record(services, job, {
        at,
        attempt,
        ending: { outcome: "handled", durationMillis, status: "delivered" }
      })
    yield* logFailure(exit.cause, { delivery: delivery.id, event: event.type, attempt })
    const outcome = Exit.hasInterrupts(exit) ? "timeout" : "failed"
    yield* record(services, job, {
      at,
      attempt,
      ending: { outcome, durationMillis, status: "queued" }
    })
  })

const logFailure = (cause: Cause.Cause<unknown>, about: Readonly<Record<string, unknown>>) =>
  Effect.logError("A subscriber did not handle an event; it comes again.", hostCause(cause)).pipe(
    Effect.annotateLogs(about)
  )
