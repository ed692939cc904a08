import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { DateTime, Duration, Effect, Logger } from "effect"
import type { Centavos } from "../../src/kernel/Money.ts"
import type { PspPaymentsPage, PspPaymentsQuery } from "../../src/ports/Psp.ts"
import { PspDirectory, PspOutcome } from "../../src/ports/Psp.ts"
import {
  PaymentComparison,
  PaymentComparisonKind
} from "../../src/psp-reports/PaymentComparison.ts"
import { ReportWorker } from "../../src/psp-reports/ReportWorker.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import * as Kind from "../../src/units/Kind.ts"
import { contradictions, rowsOf } from "../reviews/Reviews.test-data.ts"
import { existing, pspThat, world } from "../world/ServiceWorld.test-data.ts"

/** Has the PSP show one payment a page, and tell nothing of the pages that it holds back. */
const onePaymentAPage = Effect.gen(function* () {
  const directory = yield* PspDirectory
  const psp = existing(directory.find(directory.default))
  const all = existing(psp.listPayments)
  const asked: Array<PspPaymentsQuery> = []
  let heldBack = Infinity
  const listPayments = (query: PspPaymentsQuery) => {
    asked.push(query)
    const { cursor = "0", from, to } = query
    const page = Number(cursor)
    if (page >= heldBack) return Effect.succeed(PspOutcome.unknown("the page was lost"))
    return Effect.map(all({ from, to }), (outcome): PspOutcome<PspPaymentsPage> => {
      if (outcome._tag !== "Done") return outcome
      const { payments } = outcome.value
      const next = page + 1 < payments.length ? { next: String(page + 1) } : {}
      return PspOutcome.done({ payments: payments.slice(page, page + 1), ...next })
    })
  }
  Object.defineProperty(psp, "listPayments", { get: () => listPayments })
  return {
    asked,
    holdBackFrom: (page: number) => {
      heldBack = page
    }
  }
})

const noticesAreLost = { kind: "forget", operation: "notify" } as const

/** A shop at a service that compares payments with a PSP whose notices are lost. */
const compared = Effect.gen(function* () {
  yield* Effect.flatMap(ReportWorker, ({ begin }) => begin)
  const bank = yield* onePaymentAPage
  const story = yield* journey()
  yield* story.faults(noticesAreLost)
  const { payKey } = yield* SandboxPsp
  return { bank, story, payKey: (amount: bigint) => payKey({ amount: amount as Centavos }) }
})

const inSuspense = Effect.map(rowsOf("/suspense"), (rows) => rows.map(({ amount }) => amount))

describe("what a PSP has received, in several pages", () => {
  it.effect("is compared to the last of them", () =>
    Effect.gen(function* () {
      const { bank, payKey, story } = yield* compared
      for (const amount of [1_100n, 1_200n, 1_300n]) yield* payKey(amount)
      yield* story.advance("61 minutes")
      assert.deepStrictEqual(yield* inSuspense, [11, 12, 13])
      assert.deepStrictEqual(
        bank.asked.map(({ cursor }) => cursor),
        [undefined, "1", "2"]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is asked for again from where it was compared, where a page is not told", () => {
    const warnings: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Warn") warnings.push(String(message))
    })
    return Effect.gen(function* () {
      const { bank, payKey, story } = yield* compared
      yield* payKey(1_100n)
      yield* story.pay(yield* story.charge())
      yield* payKey(1_300n)
      bank.holdBackFrom(1)
      // What is booked and does not show on the first page would be found missing.
      yield* story.faults({ kind: "lie", operation: "findCharge" }, noticesAreLost)
      yield* story.advance("4 hours")
      assert.include(warnings, "A PSP does not tell what it has received; it is asked again.")
      assert.deepStrictEqual(yield* inSuspense, [11])
      assert.deepStrictEqual(yield* contradictions(story), [])
      const begun = existing(bank.asked[0]).from
      for (const { from } of bank.asked) assert.deepStrictEqual(from, begun)

      bank.holdBackFrom(Infinity)
      yield* story.advance("5 hours")
      assert.deepStrictEqual(yield* inSuspense, [11, 13])
      assert.deepStrictEqual(yield* contradictions(story), [])
      yield* story.audit
    }).pipe(Effect.provide(world), Effect.provide(Logger.layer([logger])))
  })
})

describe("a comparison that a clock which was ahead has noted", () => {
  it.effect("keeps away no look, once the clock is right again", () =>
    Effect.gen(function* () {
      const { payKey, story } = yield* compared
      yield* story.advance("61 minutes")
      const storage = yield* Storage
      const { now } = yield* ServiceTime
      const directory = yield* PspDirectory
      const found = existing(yield* storage.find(PaymentComparisonKind, directory.default))
      const at = yield* now
      const through = DateTime.add(at, { days: 3 })
      const ahead = new PaymentComparison({ id: directory.default, through })
      yield* storage.commit({ at, updates: [Kind.update(PaymentComparisonKind, found, ahead)] })
      yield* payKey(1_100n)
      yield* story.advance("61 minutes")
      yield* story.advance("61 minutes")
      assert.deepStrictEqual(yield* inSuspense, [11])
    }).pipe(Effect.provide(world))
  )
})

describe("the infractions that a PSP is asked for", () => {
  it.effect("are those of 100 days", () =>
    Effect.gen(function* () {
      const { listInfractions } = yield* pspThat({})
      const asked: Array<number> = []
      yield* pspThat({
        listInfractions: (query) => {
          asked.push(Duration.toDays(DateTime.distance(query.from, query.to)))
          return listInfractions?.(query) ?? Effect.die("left out")
        }
      })
      const { story } = yield* compared
      yield* story.advance("15 minutes")
      assert.isAbove(asked.length, 0)
      for (const days of asked) assert.strictEqual(days, 100)
    }).pipe(Effect.provide(world))
  )
})
