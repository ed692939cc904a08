import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Layer } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { layerMemory } from "../storage-memory/StorageMemory.ts"
import { TestClock } from "effect/testing"
import { make } from "./JobWorker.ts"

const layer = Ids.layerSeeded.pipe(
  Layer.provideMerge(ServiceTime.layer),
  Layer.provideMerge(Storage.layer()),
  Layer.provide(layerMemory)
)

const setUp = Effect.gen(function* () {
  const services = { storage: yield* Storage, time: yield* ServiceTime, ids: yield* Ids }
  const schedule = Effect.fnUntraced(function* (
    after: Duration.Duration = Duration.zero,
    group?: Uuid
  ) {
    const id = yield* services.ids.next<Uuid>()
    const now = yield* services.time.now
    yield* services.storage.commit({
      at: now,
      jobs: [
        {
          _tag: "Schedule",
          queue: "charge",
          id,
          group: group ?? id,
          due: DateTime.addDuration(now, after)
        }
      ]
    })
    return id
  })
  const finish = (job: Claimed) =>
    Effect.gen(function* () {
      yield* services.storage.commit({
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

it.effect("each job begins when it is due, also where others become due a moment before", () =>
  Effect.gen(function* () {
    const { finish, schedule, services } = yield* setUp
    const late: Array<number> = []
    for (const millis of [2_050, 2_200, 2_340, 2_700, 4_900]) {
      yield* schedule(Duration.millis(millis))
    }
    const worker = make(services, {
      queues: ["charge"],
      work: (job) =>
        Effect.gen(function* () {
          const now = yield* services.time.now
          late.push(DateTime.toEpochMillis(now) - DateTime.toEpochMillis(job.due))
          yield* finish(job)
        })
    })
    yield* worker.start
    for (let step = 0; step < 500; step++) yield* TestClock.adjust("10 millis")
    assert.strictEqual(late.length, 5)
    // What becomes due within a tenth of a second after a ring is claimed together.
    for (const millis of late) assert.isAtMost(millis, 110)
  }).pipe(Effect.provide(layer))
)

it.effect("waits until so many slots of a group are free that it claims several at once", () =>
  Effect.gen(function* () {
    const { finish, schedule, services } = yield* setUp
    const group = "00000000-0000-7000-8000-0000000000aa" as Uuid
    yield* Effect.replicateEffect(schedule(Duration.zero, group), 8)
    const gates: Array<Deferred.Deferred<void>> = []
    const worker = make(services, {
      queues: ["charge"],
      slotsOfGroup: 4,
      freeOfGroup: 2,
      work: (job) =>
        Effect.gen(function* () {
          const gate = yield* Deferred.make<void>()
          gates.push(gate)
          yield* Deferred.await(gate)
          yield* finish(job)
        })
    })
    yield* worker.start
    const quiet = Effect.replicateEffect(Effect.yieldNow, 200, { discard: true })
    const end = (...which: ReadonlyArray<number>) =>
      Effect.andThen(
        Effect.forEach(which, (index) => Deferred.succeed(gates[index]!, undefined)),
        quiet
      )
    yield* quiet
    assert.strictEqual(gates.length, 4)
    yield* end(0)
    assert.strictEqual(gates.length, 4)
    yield* end(1)
    assert.strictEqual(gates.length, 6)
    yield* end(2)
    assert.strictEqual(gates.length, 6)
    // What is slow holds nothing up for longer than a second.
    yield* TestClock.adjust("1 second")
    yield* quiet
    assert.strictEqual(gates.length, 7)
    yield* end(3, 4, 5)
    assert.strictEqual(gates.length, 8)
    yield* end(6, 7)
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
          // As a call of a PSP does.
          Effect.andThen(Effect.interruptible(Deferred.await(go))),
          Effect.andThen(finish(job))
        )
    })
    const running = yield* Effect.forkChild(
      Effect.scoped(Effect.andThen(worker.start, Effect.never))
    )
    yield* Deferred.await(begun)
    const stopping = yield* Effect.forkChild(Fiber.interrupt(running))
    yield* TestClock.adjust("1 second")
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(stopping)
    assert.strictEqual(yield* services.storage.nextDue(["charge"]), undefined)
    // Nothing is left to a lease.
    yield* TestClock.adjust("1 day")
    assert.strictEqual(yield* worker.drain, 0)
  }).pipe(Effect.provide(layer))
)

it.effect(
  "waits no longer than ten seconds for a job when it stops, and leaves it to its lease",
  () =>
    Effect.gen(function* () {
      const { schedule, services } = yield* setUp
      yield* schedule()
      const begun = yield* Deferred.make<void>()
      const worker = make(services, {
        queues: ["charge"],
        work: () =>
          Effect.andThen(Deferred.succeed(begun, undefined), Effect.interruptible(Effect.never))
      })
      const running = yield* Effect.forkChild(
        Effect.scoped(Effect.andThen(worker.start, Effect.never))
      )
      yield* Deferred.await(begun)
      const stopping = yield* Effect.forkChild(Fiber.interrupt(running))
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(stopping.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(stopping)
    }).pipe(Effect.provide(layer))
)

it.effect("nobody waits for the slowest: whoever is done makes room", () =>
  Effect.gen(function* () {
    const { finish, schedule, services } = yield* setUp
    const slow = yield* schedule()
    const worked: Array<Uuid> = []
    const worker = make(services, {
      queues: ["charge"],
      slots: 2,
      work: (job) =>
        Effect.gen(function* () {
          if (job.id === slow) yield* Effect.sleep("2 minutes")
          worked.push(job.id)
          yield* finish(job)
        })
    })
    yield* worker.start
    const quick = yield* Effect.forEach(Array.from({ length: 150 }), () => schedule())
    // The test clock stands still: no poll comes to help.
    for (let turns = 0; turns < 10_000 && worked.length < 150; turns++) yield* Effect.yieldNow
    const meanwhile = worked.toSorted()
    yield* TestClock.adjust("2 minutes")
    assert.deepStrictEqual(meanwhile, quick.toSorted())
    assert.strictEqual(worked.at(-1), slow)
  }).pipe(Effect.provide(layer))
)

it.effect("an account with 1,000 jobs keeps no other waiting", () =>
  Effect.gen(function* () {
    const { finish, schedule, services } = yield* setUp
    const busy = yield* services.ids.next<Uuid>()
    yield* Effect.forEach(Array.from({ length: 1_000 }), () => schedule(Duration.zero, busy))
    let atOnce = 0
    let atOnceMax = 0
    let isCalmDone = false
    const worker = make(services, {
      queues: ["charge"],
      work: (job) =>
        job.group === busy
          ? Effect.gen(function* () {
              atOnceMax = Math.max(atOnceMax, ++atOnce)
              yield* Effect.sleep("10 seconds")
              atOnce--
              yield* finish(job)
            })
          : Effect.andThen(
              finish(job),
              Effect.sync(() => {
                isCalmDone = true
              })
            )
    })
    yield* worker.start
    yield* TestClock.adjust("1 second")
    yield* schedule()
    yield* TestClock.adjust("1 second")
    const wasCalmDone = isCalmDone
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual(yield* services.storage.nextDue(["charge"]), undefined)
    assert.deepStrictEqual({ wasCalmDone, atOnceMax }, { wasCalmDone: true, atOnceMax: 32 })
  }).pipe(Effect.provide(layer))
)

it.effect("a job that runs for three leases is not taken by a second process", () =>
  Effect.gen(function* () {
    const { finish, schedule, services } = yield* setUp
    yield* schedule()
    const begun: Array<string> = []
    const process = (name: string) =>
      make(services, {
        queues: ["charge"],
        work: (job) =>
          Effect.gen(function* () {
            begun.push(name)
            if (begun.length === 1) yield* Effect.sleep("3 minutes")
            yield* finish(job)
          })
      })
    yield* process("first").start
    yield* TestClock.adjust("1 second")
    yield* process("second").start
    yield* TestClock.adjust("4 minutes")
    assert.deepStrictEqual(begun, ["first"])
    assert.strictEqual(yield* services.storage.nextDue(["charge"]), undefined)
  }).pipe(Effect.provide(layer))
)

it.effect("a job that does not come to its end is given up after ten minutes", () =>
  Effect.gen(function* () {
    const { schedule, services } = yield* setUp
    yield* schedule()
    const begun: Array<string> = []
    const end = yield* Deferred.make<void>()
    const process = (name: string) =>
      make(services, {
        queues: ["charge"],
        work: () =>
          Effect.andThen(
            Effect.sync(() => begun.push(name)),
            Deferred.await(end)
          )
      })
    yield* process("first").start
    yield* TestClock.adjust("1 second")
    yield* process("second").start
    yield* TestClock.adjust("10 minutes")
    const before = [...begun]
    yield* TestClock.adjust("2 minutes")
    yield* Deferred.succeed(end, undefined)
    assert.deepStrictEqual(before, ["first"])
    // By whichever of them: it is due again.
    assert.strictEqual(begun.length, 2)
  }).pipe(Effect.provide(layer))
)

it.effect("work that comes while a claim is under way is not slept through", () =>
  Effect.gen(function* () {
    const { finish, schedule, services } = yield* setUp
    const worked: Array<Uuid> = []
    // Puts another job in line just after each claim has looked.
    const late: Array<Uuid> = []
    const storage: typeof services.storage = {
      ...services.storage,
      claim: (claim) =>
        Effect.tap(services.storage.claim(claim), () =>
          late.length < 20
            ? Effect.orDie(Effect.map(schedule(), (id) => void late.push(id)))
            : Effect.void
        )
    }
    const worker = make(
      { ...services, storage },
      {
        queues: ["charge"],
        work: (job) =>
          Effect.andThen(
            Effect.sync(() => worked.push(job.id)),
            finish(job)
          )
      }
    )
    yield* worker.start
    for (let turns = 0; turns < 5_000 && worked.length < 20; turns++) yield* Effect.yieldNow
    assert.deepStrictEqual(worked.toSorted(), late.toSorted())
  }).pipe(Effect.provide(layer))
)
