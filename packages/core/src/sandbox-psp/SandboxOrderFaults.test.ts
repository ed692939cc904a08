import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import type { PspOutcome } from "../ports/Psp.ts"
import type { SandboxOperation } from "./SandboxFault.ts"
import type { Process } from "./SandboxWorld.test-data.ts"
import {
  answered,
  aPayment,
  aSandbox,
  begun,
  giveBack,
  reference,
  seenPayout,
  seenRefund,
  send
} from "./SandboxWorld.test-data.ts"

/** The two orders that move money: what makes one, what finds it, and the operations that faults name. */
const orders: ReadonlyArray<{
  readonly name: string
  readonly making: SandboxOperation
  readonly finding: SandboxOperation
  readonly make: (process: Process) => Effect.Effect<PspOutcome<unknown>>
  readonly find: (process: Process) => Effect.Effect<PspOutcome<unknown>>
}> = [
  {
    name: "payout",
    making: "sendPayout",
    finding: "findPayout",
    make: (process) => send(process),
    find: (process) => process.psp.findPayout({ reference: reference(1) })
  },
  {
    name: "return",
    making: "refund",
    finding: "findRefund",
    make: (process) =>
      Effect.flatMap(process.psp.findCharge(reference(1)), (outcome) => {
        const payment = outcome._tag === "Done" ? outcome.value?.payments[0] : undefined
        if (payment === undefined) throw new Error("There is no payment")
        return giveBack(process, payment)
      }),
    find: (process) => process.psp.findRefund({ reference: reference(101), endToEndId: "" })
  }
]

/** A sandbox with a charge that was paid. */
const aPaidSandbox = Effect.tap(aSandbox, (process) => Effect.orDie(aPayment(process)))

for (const { find, finding, make, making, name } of orders) {
  describe(`faults of a ${name}`, () => {
    it.effect("dropRequest does nothing and leaves the outcome unknown", () =>
      Effect.gen(function* () {
        const process = yield* aPaidSandbox
        yield* process.setFaults([{ operation: making, kind: "dropRequest", times: 1 }])
        assert.strictEqual((yield* make(process))._tag, "Unknown")
        assert.isUndefined(yield* answered(find(process)))
        assert.strictEqual((yield* make(process))._tag, "Done")
      })
    )

    for (const kind of ["dropAnswer", "errorAfterDoing"] as const) {
      it.effect(`${kind} does it, and told again it does it no second time`, () =>
        Effect.gen(function* () {
          const process = yield* aPaidSandbox
          yield* process.setFaults([{ operation: making, kind, times: 1 }])
          assert.strictEqual((yield* make(process))._tag, "Unknown")
          const first = yield* answered(find(process))
          assert.isDefined(first)
          assert.deepStrictEqual(yield* answered(make(process)), first)
        })
      )
    }

    it.effect("delay does it at once and answers late on the real clock", () =>
      Effect.gen(function* () {
        const process = yield* aPaidSandbox
        yield* process.setFaults([{ operation: making, kind: "delay", delaySeconds: 20 }])
        const beginning = yield* begun(make(process))
        yield* TestClock.adjust("19 seconds")
        assert.isUndefined(beginning.pollUnsafe())
        assert.isDefined(yield* answered(find(process)))
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(beginning))._tag, "Done")
      })
    )

    it.effect("lie says that it is not there although it is, and only then strikes", () =>
      Effect.gen(function* () {
        const process = yield* aPaidSandbox
        yield* process.setFaults([{ operation: finding, kind: "lie", times: 1 }])
        assert.isUndefined(yield* answered(find(process)))
        yield* make(process)
        assert.strictEqual((yield* process.faults)[0]?.times, 1)
        assert.isUndefined(yield* answered(find(process)))
        assert.isDefined(yield* answered(find(process)))
      })
    )
  })
}

describe("a sandbox PSP that is told to lie about everything", () => {
  it.effect("does not lie where a lie means nothing", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const payment = yield* aPayment(process)
      yield* process.setFaults([{ kind: "lie" }])
      const payout = yield* answered(send(process))
      const refund = yield* answered(giveBack(process, payment))
      yield* process.setFaults([])
      assert.deepStrictEqual(yield* seenPayout(process), payout)
      assert.deepStrictEqual(yield* seenRefund(process), refund)
    })
  )
})
