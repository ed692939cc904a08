import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import * as SandboxDirectory from "../sandbox/SandboxDirectory.ts"
import { SandboxPsp } from "./SandboxPsp.ts"
import type { Process } from "./SandboxWorld.test-data.ts"
import {
  anInbox,
  answered,
  aDriver,
  aPayment,
  aProcess,
  aSandbox,
  begun,
  giveBack,
  later,
  reference,
  seenPayout,
  seenRefund,
  send
} from "./SandboxWorld.test-data.ts"

const automatic = { settleAfter: "1 second" } as const

/** A payout 1, a return 101 that was asked for, and a return 102 that the service makes by itself. */
const allUnderWay = Effect.fnUntraced(function* (process: Process) {
  yield* answered(send(process))
  yield* answered(giveBack(process, yield* aPayment(process, 1), 101))
  yield* answered(giveBack(process, yield* aPayment(process, 2), 102, "automatic"))
})

const statuses = (process: Process) =>
  Effect.map(
    Effect.all([seenPayout(process), seenRefund(process, 101), seenRefund(process, 102)]),
    (all) => all.map(({ status }) => status)
  )

const nothing = ["processing", "processing", "processing"]
const everything = ["completed", "confirmed", "confirmed"]

describe("what time settles", () => {
  it.effect("is everything, once it is due, and once only", () =>
    Effect.gen(function* () {
      const process = yield* aProcess(yield* aDriver, automatic)
      const inbox = anInbox()
      yield* allUnderWay(process)
      yield* process.attach(inbox.receive)
      const before = inbox.received.length
      yield* later(process, "999 millis")
      assert.strictEqual(yield* process.settleDue, 0)
      assert.deepStrictEqual(yield* statuses(process), nothing)
      yield* later(process, "1 second")
      assert.strictEqual(yield* process.settleDue, 3)
      assert.deepStrictEqual(yield* statuses(process), everything)
      assert.strictEqual(yield* process.settleDue, 0)
      assert.strictEqual(inbox.received.length - before, 3)
    })
  )

  it.effect("with hands only, is what nobody asked for", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* allUnderWay(process)
      yield* later(process, "1 day")
      assert.strictEqual(yield* process.settleDue, 1)
      assert.deepStrictEqual(yield* statuses(process), ["processing", "processing", "confirmed"])
    })
  )

  it.effect("leaves alone what a hand has ended", () =>
    Effect.gen(function* () {
      const process = yield* aProcess(yield* aDriver, automatic)
      yield* allUnderWay(process)
      yield* process.settlePayout(reference(1), { _tag: "failed" })
      yield* process.settleRefund(reference(101), "error")
      yield* later(process, "1 second")
      assert.strictEqual(yield* process.settleDue, 1)
      assert.deepStrictEqual(yield* statuses(process), ["rejected", "rejected", "confirmed"])
    })
  )

  it.effect("is settled however much it is, by several processes at once, each thing once", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const processes = [yield* aProcess(driver, automatic), yield* aProcess(driver, automatic)]
      for (let number = 0; number < 230; number++) {
        yield* send(processes[0]!, { reference: reference(number) })
      }
      for (const process of processes) yield* later(process, "1 second")
      yield* Effect.forEach(processes, (process) => process.settleDue, { concurrency: "unbounded" })
      const ids = new Set<string | undefined>()
      for (let number = 0; number < 230; number++) {
        const payout = yield* seenPayout(processes[1]!, number)
        assert.strictEqual(payout.status, "completed")
        ids.add(payout.endToEndId)
      }
      assert.strictEqual(ids.size, 230)
    })
  )
})

describe("the clockwork of the sandbox PSP", () => {
  /** Runs until the scope closes. */
  const running = (process: Process) =>
    Effect.provideContext(Layer.build(SandboxDirectory.settling), Context.make(SandboxPsp, process))

  it.effect("settles by itself after about a second", () =>
    Effect.gen(function* () {
      const process = yield* aProcess(yield* aDriver, automatic)
      yield* running(process)
      yield* allUnderWay(process)
      yield* TestClock.adjust("900 millis")
      assert.deepStrictEqual(yield* statuses(process), nothing)
      yield* TestClock.adjust("350 millis")
      assert.deepStrictEqual(yield* statuses(process), everything)
    })
  )

  it.effect("lets a hand be faster where the machine is so busy that its looks come late", () =>
    Effect.gen(function* () {
      const process = yield* aProcess(yield* aDriver, automatic)
      yield* allUnderWay(process)
      for (let look = 1; look < 4; look++) {
        yield* TestClock.adjust("900 millis")
        assert.strictEqual(yield* process.settleSeen, 0, `look ${look}`)
      }
      yield* TestClock.adjust("250 millis")
      assert.strictEqual(yield* process.settleSeen, 3)
      assert.deepStrictEqual(yield* statuses(process), everything)
    })
  )

  it.effect("goes on with what a process left behind that has ended", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      yield* Effect.scoped(Effect.flatMap(aProcess(driver, automatic), allUnderWay))
      yield* TestClock.adjust("5 seconds")
      const process = yield* aProcess(driver, automatic)
      assert.deepStrictEqual(yield* statuses(process), nothing)
      yield* begun(running(process))
      assert.deepStrictEqual(yield* statuses(process), everything)
    })
  )

  it.effect("survives a storage that is away for a while", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      let isAway = false
      const process = yield* aProcess(
        {
          ...driver,
          list: (query) => (isAway ? Effect.die("away") : driver.list(query))
        },
        automatic
      )
      yield* running(process)
      yield* allUnderWay(process)
      isAway = true
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* statuses(process), nothing)
      isAway = false
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* statuses(process), everything)
    })
  )
})
