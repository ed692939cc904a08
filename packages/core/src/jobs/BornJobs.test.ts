import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Exit, Fiber, Latch, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { LeaseToken, Uuid } from "../kernel/Ids.ts"
import { Ids } from "../time/Ids.ts"
import { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Claimed, StorageDriverShape } from "../ports/StorageDriver.ts"
import { StorageDriver } from "../ports/StorageDriver.ts"
import { layerMemory } from "../storage-memory/StorageMemory.ts"
import type { JobWrite } from "../units/Unit.ts"
import type { WorkerOptions } from "./JobRunner.ts"
import { make } from "./JobWorker.ts"

const group = "00000000-0000-7000-8000-0000000000aa" as Uuid

/** Does everything that can be done while the clock stands still: nobody polls. */
const quiet = Effect.replicateEffect(Effect.yieldNow, 500, { discard: true })

/** One process over a storage, and what it claims. */
const process = Effect.fnUntraced(function* (driver: StorageDriverShape) {
  let claims = 0
  const counting: StorageDriverShape = {
    ...driver,
    claim: (all) => {
      claims++
      return driver.claim(all)
    }
  }
  const context = yield* Layer.build(
    Ids.layerSeeded.pipe(
      Layer.provideMerge(ServiceTime.layer),
      Layer.provideMerge(Layer.fresh(Storage.layer())),
      Layer.provide(Layer.succeed(StorageDriver, counting))
    )
  )
  return yield* Effect.gen(function* () {
    const services = { storage: yield* Storage, time: yield* ServiceTime, ids: yield* Ids }
    const { ids, storage, time } = services
    const commit = Effect.fnUntraced(function* (...jobs: ReadonlyArray<JobWrite>) {
      yield* storage.commit({ at: yield* time.now, jobs })
    })
    const schedule = Effect.fnUntraced(function* (of?: Uuid) {
      const id = yield* ids.next<Uuid>()
      const due = yield* time.now
      yield* commit({ _tag: "Schedule", queue: "inbox", id, group: of ?? id, due })
      return id
    })
    const finish = ({ id, queue, token }: Claimed) =>
      Effect.orDie(commit({ _tag: "Finish", queue, id, token }))
    const worker = (options: Partial<WorkerOptions> = {}) =>
      make(services, { queues: ["inbox"], work: finish, mayBear: () => true, ...options })
    /** What a process that takes all it may would be given. */
    const claimAll = Effect.gen(function* () {
      return yield* driver.claim([
        {
          queue: "inbox",
          now: yield* time.now,
          lease: Duration.minutes(1),
          max: 1_000,
          perGroup: 1_000,
          token: yield* ids.next<LeaseToken>()
        }
      ])
    })
    return { services, commit, schedule, finish, worker, claimAll, claims: () => claims }
  }).pipe(Effect.provide(context))
})

const aDriver = Effect.provide(StorageDriver, Layer.fresh(layerMemory))

/** A process whose writes wait while `writes` is closed. */
const withSlowWrites = Effect.gen(function* () {
  const driver = yield* aDriver
  const writes = Latch.makeUnsafe(true)
  const one = yield* process({
    ...driver,
    write: (merged) => Effect.andThen(writes.await, driver.write(merged))
  })
  return { one, writes }
})

/** A worker whose jobs wait until they may end. */
const gated = (
  one: Effect.Success<ReturnType<typeof process>>,
  options: Partial<WorkerOptions> = {}
) => {
  const gate = Deferred.makeUnsafe<void>()
  const begun: Array<Uuid> = []
  const worker = one.worker({
    work: (job) =>
      Effect.suspend(() => {
        begun.push(job.id)
        return Effect.andThen(Deferred.await(gate), one.finish(job))
      }),
    ...options
  })
  return { begun, worker, open: Deferred.succeed(gate, undefined) }
}

describe("what a commit puts in line here and is due", () => {
  it.effect("is begun without a claim", () =>
    Effect.gen(function* () {
      const one = yield* process(yield* aDriver)
      const { begun, open, worker } = gated(one)
      yield* worker.start
      yield* quiet
      const before = one.claims()
      const id = yield* one.schedule()
      yield* quiet
      assert.deepStrictEqual(begun, [id])
      assert.strictEqual(one.claims(), before)
      // It is in our hands, and nobody else's.
      assert.deepStrictEqual(yield* one.claimAll, [])
      yield* open
      yield* quiet
      assert.strictEqual(one.claims(), before)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* one.claimAll, [])
    }).pipe(Effect.scoped)
  )

  for (const [why, set] of [
    ["no worker runs here", () => Effect.void],
    ["its worker may not", (one) => one.worker({ mayBear: () => false }).start],
    ["its worker takes another queue", (one) => one.worker({ queues: ["payout"] }).start]
  ] as ReadonlyArray<
    [
      string,
      (one: Effect.Success<ReturnType<typeof process>>) => Effect.Effect<void, never, Scope.Scope>
    ]
  >) {
    it.effect(`is anybody's where ${why}`, () =>
      Effect.gen(function* () {
        const driver = yield* aDriver
        let isLeased = false
        const one = yield* process({
          ...driver,
          write: (merged) => {
            isLeased ||= merged.jobs.some(({ lease }) => lease !== null)
            return driver.write(merged)
          }
        })
        yield* set(one)
        yield* quiet
        yield* one.schedule()
        assert.isFalse(isLeased)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("is anybody's where the clock of this machine is wrong", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      let aheadMillis = 0
      const one = yield* process({
        ...driver,
        clock: Effect.map(driver.clock, (clock) =>
          DateTime.add(clock, { milliseconds: aheadMillis })
        )
      })
      const { begun, worker } = gated(one)
      yield* worker.start
      yield* quiet
      aheadMillis = 60_000
      yield* one.services.storage.clock.ask
      yield* one.schedule()
      yield* quiet
      assert.deepStrictEqual(begun, [])
      assert.strictEqual((yield* one.claimAll).length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is begun for no more of a group than may be, and the rest as slots are left", () =>
    Effect.gen(function* () {
      const one = yield* process(yield* aDriver)
      const { begun, open, worker } = gated(one, { slotsOfGroup: 2 })
      yield* worker.start
      yield* quiet
      const before = one.claims()
      const jobs = yield* Effect.replicateEffect(one.schedule(group), 5)
      yield* quiet
      assert.deepStrictEqual(begun, jobs.slice(0, 2))
      // To ask for more of a group that is full would be in vain.
      assert.strictEqual(one.claims(), before)
      const other = yield* one.schedule()
      yield* quiet
      assert.deepStrictEqual(begun.at(-1), other)
      yield* open
      yield* quiet
      assert.deepStrictEqual(begun.toSorted(), [...jobs, other].toSorted())
    }).pipe(Effect.scoped)
  )

  it.effect("waits behind what waits already, also while a claim is under way", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const one = yield* process({
        ...driver,
        claim: (all) => Effect.andThen(Effect.sleep("100 millis"), driver.claim(all))
      })
      const old = yield* Effect.replicateEffect(one.schedule(group), 2)
      const begun: Array<Uuid> = []
      const worker = one.worker({
        slotsOfGroup: 1,
        work: (job) =>
          Effect.suspend(() => {
            begun.push(job.id)
            return Effect.andThen(Effect.sleep("500 millis"), one.finish(job))
          })
      })
      yield* worker.start
      // The first of them has ended, and the next is being claimed.
      yield* TestClock.adjust("650 millis")
      assert.deepStrictEqual(begun, old.slice(0, 1))
      const late = yield* one.schedule(group)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(begun, [...old, late])
    }).pipe(Effect.scoped)
  )

  it.effect("counts for a second process, whose own stay within the bound of both", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const [one, two] = [yield* process(driver), yield* process(driver)]
      const [here, there] = [gated(one, { slotsOfGroup: 3 }), gated(two, { slotsOfGroup: 3 })]
      yield* here.worker.start
      yield* there.worker.start
      yield* quiet
      yield* Effect.replicateEffect(one.schedule(group), 2)
      yield* Effect.replicateEffect(two.schedule(group), 2)
      yield* quiet
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(here.begun.length + there.begun.length, 3)
      yield* here.open
      yield* there.open
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(here.begun.length + there.begun.length, 4)
    }).pipe(Effect.scoped)
  )
})

describe("a slot that was reserved for a job", () => {
  it.effect("is given back where the commit is refused", () =>
    Effect.gen(function* () {
      const one = yield* process(yield* aDriver)
      const { begun, open, worker } = gated(one, { slots: 1 })
      yield* worker.start
      yield* quiet
      const id = yield* one.services.ids.next<Uuid>()
      const due = yield* one.services.time.now
      const token = yield* one.services.ids.next<LeaseToken>()
      yield* Effect.flip(
        one.commit(
          { _tag: "Schedule", queue: "inbox", id, group, due },
          { _tag: "Finish", queue: "payout", id, token }
        )
      )
      const before = one.claims()
      const next = yield* one.schedule()
      yield* quiet
      assert.deepStrictEqual([begun, one.claims()], [[next], before])
      yield* open
    }).pipe(Effect.scoped)
  )

  it.effect("is used although the caller has left meanwhile", () =>
    Effect.gen(function* () {
      const { one, writes } = yield* withSlowWrites
      const { begun, open, worker } = gated(one)
      yield* worker.start
      yield* quiet
      yield* writes.close
      const caller = yield* Effect.forkChild(one.schedule())
      yield* quiet
      yield* Fiber.interrupt(caller)
      yield* writes.open
      yield* quiet
      assert.strictEqual(begun.length, 1)
      yield* open
      yield* quiet
      // Everything is counted right after that.
      assert.strictEqual(yield* worker.drain, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("is used where the answer was lost and the write turns out to be in", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const one = yield* process({
        ...driver,
        write: (merged) =>
          Effect.andThen(driver.write(merged), new StorageError({ reason: "OutcomeUnknown" }))
      })
      const begun: Array<Uuid> = []
      const worker = one.worker({ work: (job) => Effect.sync(() => void begun.push(job.id)) })
      yield* worker.start
      yield* quiet
      const id = yield* one.schedule()
      yield* quiet
      assert.deepStrictEqual(begun, [id])
    }).pipe(Effect.scoped)
  )

  it.effect("is given back where nobody can tell; the job is anybody's when its lease ends", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const lost = new StorageError({ reason: "OutcomeUnknown" })
      let isAway = false
      const one = yield* process({
        ...driver,
        write: (merged) =>
          Effect.andThen(driver.write(merged), isAway ? lost : Effect.succeed(null)),
        resolveWrite: (id) => (isAway ? lost : driver.resolveWrite(id))
      })
      const { begun, open, worker } = gated(one, { slots: 1 })
      yield* worker.start
      yield* quiet
      isAway = true
      const failing = yield* Effect.forkChild(Effect.exit(one.schedule()))
      yield* TestClock.adjust("20 seconds")
      assert.isTrue(Exit.isFailure(yield* Fiber.join(failing)))
      assert.deepStrictEqual(begun, [])
      isAway = false
      yield* open
      const next = yield* one.schedule()
      yield* quiet
      assert.deepStrictEqual(begun, [next])
      yield* TestClock.adjust("39 seconds")
      assert.strictEqual(begun.length, 1)
      // What was lost is claimed every five seconds.
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(begun.length, 2)
    }).pipe(Effect.scoped)
  )
})

describe("a worker that stops", () => {
  it.effect("brings to its end what is born meanwhile", () =>
    Effect.gen(function* () {
      const { one, writes } = yield* withSlowWrites
      const scope = yield* Scope.make()
      yield* Scope.provide(one.worker().start, scope)
      yield* quiet
      yield* writes.close
      const caller = yield* Effect.forkChild(one.schedule())
      yield* quiet
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* quiet
      yield* writes.open
      yield* Fiber.join(caller)
      yield* Fiber.join(stopping)
      // Nothing is left to a lease.
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* one.claimAll, [])
    }).pipe(Effect.scoped)
  )
})
