import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Layer } from "effect"
import type { UnitId, Uuid } from "../kernel/Ids.ts"
import { Ids } from "../ports/Ids.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { layerMemory } from "../ports/StorageMemory.ts"
import { make } from "./JobWorker.ts"

const layer = Storage.layer().pipe(
  Layer.provide(layerMemory),
  Layer.provideMerge(Ids.layerSeeded),
  Layer.provideMerge(ServiceTime.layer)
)

const setUp = Effect.gen(function* () {
  const services = { storage: yield* Storage, time: yield* ServiceTime, ids: yield* Ids }
  const schedule = Effect.fnUntraced(function* (after: Duration.Duration = Duration.zero) {
    const id = yield* services.ids.next<Uuid>()
    const now = yield* services.time.now
    yield* services.storage.commit({
      id: yield* services.ids.next<UnitId>(),
      at: now,
      jobs: [
        { _tag: "Schedule", queue: "charge", id, group: id, due: DateTime.addDuration(now, after) }
      ]
    })
    return id
  })
  const finish = (job: Claimed) =>
    Effect.gen(function* () {
      yield* services.storage.commit({
        id: yield* services.ids.next<UnitId>(),
        at: yield* services.time.now,
        jobs: [{ _tag: "Finish", queue: job.queue, id: job.id, token: job.token }]
      })
    }).pipe(Effect.orDie)
  return { services, schedule, finish }
})

it.effect("drain works off what is due, and leaves what is not", () =>
  Effect.gen(function* () {
    const { finish, schedule, services } = yield* setUp
    const worked: Array<Uuid> = []
    const due = [yield* schedule(), yield* schedule()]
    yield* schedule(Duration.seconds(1))
    const worker = make(services, {
      queues: ["charge"],
      work: (job) =>
        Effect.andThen(
          Effect.sync(() => worked.push(job.id)),
          finish(job)
        )
    })
    assert.strictEqual(yield* worker.drain, 2)
    assert.deepStrictEqual(worked.toSorted(), due.toSorted())
    yield* services.time.setOffset(Duration.seconds(1))
    assert.strictEqual(yield* worker.drain, 1)
  }).pipe(Effect.provide(layer))
)

it.effect("a job that dies is left to its lease and takes no neighbour along", () =>
  Effect.gen(function* () {
    const { finish, schedule, services } = yield* setUp
    const bad = yield* schedule()
    const good = yield* schedule()
    const worked: Array<Uuid> = []
    const worker = make(services, {
      queues: ["charge"],
      work: (job) =>
        job.id === bad
          ? Effect.die("broken")
          : Effect.andThen(
              Effect.sync(() => worked.push(job.id)),
              finish(job)
            )
    })
    assert.strictEqual(yield* worker.drain, 2)
    assert.deepStrictEqual(worked, [good])
    assert.strictEqual(yield* worker.drain, 0)
  }).pipe(Effect.provide(layer))
)

it.effect("starts when work is put in line here, without waiting for the next look", () =>
  Effect.gen(function* () {
    const { finish, schedule, services } = yield* setUp
    const worked = yield* Deferred.make<Uuid>()
    const worker = make(services, {
      queues: ["charge"],
      work: (job) => Effect.andThen(finish(job), Effect.asVoid(Deferred.succeed(worked, job.id)))
    })
    yield* worker.start
    yield* Effect.yieldNow
    const id = yield* schedule()
    // The test clock stands still: a worker that only polled would never come.
    assert.strictEqual(yield* Deferred.await(worked), id)
  }).pipe(Effect.provide(layer))
)

it.effect("brings a job that was begun to its end before it stops", () =>
  Effect.gen(function* () {
    const { finish, schedule, services } = yield* setUp
    yield* schedule()
    const begun = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const worker = make(services, {
      queues: ["charge"],
      work: (job) =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Deferred.await(go)),
          Effect.andThen(finish(job))
        )
    })
    const running = yield* Effect.forkChild(
      Effect.scoped(Effect.andThen(worker.start, Effect.never))
    )
    yield* Deferred.await(begun)
    const stopping = yield* Effect.forkChild(Fiber.interrupt(running))
    yield* Effect.yieldNow
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(stopping)
    assert.strictEqual(yield* services.storage.nextDue(["charge"]), undefined)
    yield* services.time.setOffset(Duration.days(1))
    assert.strictEqual(yield* worker.drain, 0)
  }).pipe(Effect.provide(layer))
)
