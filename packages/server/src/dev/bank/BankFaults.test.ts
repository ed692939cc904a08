import type { SandboxFault } from "@pagora/core"
import type { Fault, FaultBook } from "@pagora/fake-bank"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bankRoute, makeBankFaults, wooviRoute } from "./BankFaults.ts"

/** A book that only keeps what is written in it. */
const aBook = (): FaultBook => {
  let all: ReadonlyArray<Fault> = []
  return {
    set: (faults) => void (all = faults),
    add: (fault) => void (all = [...all, fault]),
    clear: () => void (all = []),
    list: () => all,
    struck: () => 0
  }
}

const translated = (...faults: ReadonlyArray<SandboxFault>) =>
  Effect.gen(function* () {
    const book = aBook()
    yield* makeBankFaults(book, bankRoute).setFaults(faults)
    const all: ReadonlyArray<Fault & { readonly number?: number }> = book.list()
    return all
  })

describe("the faults of the sandbox at a fake bank", () => {
  it.effect("strike the route at which the call arrives", () =>
    Effect.gen(function* () {
      const expected = [
        [{ operation: "refund", kind: "dropAnswer" }, "createReturn", "loseAnswer"],
        [{ operation: "cancelCharge", kind: "dropRequest" }, "changeCharge", "cut"],
        [{ operation: "confirmPayer", kind: "lie" }, "listPayments", "lie"],
        [{ operation: "findInfraction", kind: "lie" }, "listInfractions", "lie"],
        [{ operation: "listInfractions", kind: "lie" }, "listInfractions", "lie"],
        [{ operation: "sendPayout", kind: "answerAnother" }, "sendPayout", "answerAnother"],
        [{ operation: "notify", kind: "dropRequest" }, "callback", "drop"],
        [{ operation: "notify", kind: "errorAfterDoing" }, "callback", "loseAnswer"],
        [{ operation: "notify", kind: "forget" }, "callback", "forget"]
      ] as const
      for (const [fault, operation, kind] of expected)
        assert.deepStrictEqual(yield* translated(fault), [{ operation, kind, number: 0 }])
    })
  )

  it.effect("strike at Woovi where it tells what was paid, and of fraud", () =>
    Effect.gen(function* () {
      const book = aBook()
      yield* makeBankFaults(book, wooviRoute).setFaults([
        { operation: "findCharge", kind: "lie" },
        { operation: "findCharge", kind: "dropAnswer" },
        { operation: "findInfraction", kind: "lie" },
        { operation: "refund", kind: "refuse" }
      ])
      assert.deepStrictEqual(
        book.list().map(({ kind, operation }) => [operation, kind]),
        [
          ["listPaymentsOfCharge", "lie"],
          ["findCharge", "loseAnswer"],
          ["findInfraction", "lie"],
          ["createReturn", "refuse"]
        ]
      )
    })
  )

  it.effect("keep how often, how likely and how late they strike", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* translated(
          { operation: "createCharge", kind: "delay", delaySeconds: 0.5, times: 2 },
          { operation: "createCharge", kind: "notNow", probability: 0.5 },
          { operation: "createCharge", kind: "refuseAfterDoing" },
          { operation: "createCharge", kind: "errorAfterDoing" },
          { operation: "notify", kind: "reorder" }
        ),
        [
          { operation: "createCharge", kind: "slow", millis: 500, number: 0, times: 2 },
          {
            operation: "createCharge",
            kind: "tooMany",
            retryAfterSeconds: 1,
            number: 1,
            probability: 0.5
          },
          { operation: "createCharge", kind: "refuse", after: true, number: 2 },
          { operation: "createCharge", kind: "status", after: true, number: 3 },
          { operation: "callback", kind: "hold", millis: 5_000, number: 4 }
        ]
      )
    })
  )

  it.effect("strike each operation where they mean something, and no other", () =>
    Effect.gen(function* () {
      const operations = (fault: SandboxFault) =>
        Effect.map(translated(fault), (all) => all.map(({ operation }) => operation))
      assert.deepStrictEqual(yield* operations({ kind: "refuse" }), [
        "createCharge",
        "changeCharge",
        "sendPayout",
        "createReturn",
        "defendInfraction"
      ])
      assert.deepStrictEqual(yield* operations({ kind: "forget" }), ["callback"])
      assert.deepStrictEqual(yield* operations({ operation: "findCharge", kind: "refuse" }), [])
      // A list is asked for, and a payer confirmed, at one route.
      const lost = yield* operations({ kind: "dropRequest" })
      assert.strictEqual(lost.length, new Set(lost).size)
      assert.include(lost, "callback")
    })
  )

  it.effect("are told as they were set, with what is left of them", () =>
    Effect.gen(function* () {
      const book = aBook()
      const { faults, setFaults } = makeBankFaults(book, bankRoute)
      const set: ReadonlyArray<SandboxFault> = [
        { operation: "refund", kind: "dropAnswer", times: 3 },
        { kind: "refuse", times: 2 },
        { operation: "notify", kind: "lie" },
        { operation: "findCharge", kind: "lie", times: 0 }
      ]
      yield* setFaults(set)
      assert.deepStrictEqual(yield* faults, set)
      // What has struck for the last time leaves the book.
      book.set(
        book
          .list()
          .filter(({ operation }) => operation !== "createReturn")
          .map((fault) => ({ ...fault, ...(fault.times === undefined ? {} : { times: 1 }) }))
      )
      assert.deepStrictEqual(
        (yield* faults).map(({ times }) => times),
        [0, 1, undefined, 0]
      )
      yield* setFaults([])
      assert.deepStrictEqual([yield* faults, book.list()], [[], []])
    })
  )
})
