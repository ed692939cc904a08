import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Result } from "effect"
import * as Money from "../kernel/Money.ts"
import * as PixKey from "../kernel/PixKey.ts"
import type { PspCharge, PspPayout, PspRefund } from "../ports/Psp.ts"
import { NotificationRefused, PspOutcome } from "../ports/Psp.ts"
import type { Asked } from "./Asked.ts"
import { failed } from "./Asked.ts"
import type { Fields } from "./Fields.ts"
import type { Named } from "./Notices.ts"
import { headerOf, readBodies, readNotices } from "./Notices.ts"
import type { PspCalls } from "./PspCalls.ts"
import { pspFromCalls } from "./PspCalls.ts"

const reference = "0123456789abcdef0123456789abcdef"
const endToEndId = "E99999999202601011200abcdefghijk"
const amount = Money.Centavos.make(1_234n)
const at = DateTime.makeUnsafe("2026-01-01T12:00:00Z")
const charge: PspCharge = {
  reference,
  pspPaymentId: "1",
  status: "active",
  amount,
  pixCopyPaste: "000201",
  createdAt: at,
  expiresAt: at,
  payments: []
}
const payout: PspPayout = { reference, pspReference: "1", status: "processing", amount }
const refund: PspRefund = { reference, endToEndId, status: "processing", amount }
const payment = { endToEndId, amount, paidAt: at, returns: [] }

interface Told {
  readonly charge?: PspCharge
  readonly payout?: PspPayout
  readonly refund?: PspRefund
  readonly endToEndId?: string
}

/** A PSP that answers so, whatever it is asked. */
const telling = (told: Told = {}) => {
  let calls = 0
  const say =
    <A>(value: A) =>
    (): Asked<A> =>
      Effect.sync(() => {
        calls++
        return value
      })
  const received = { ...payment, endToEndId: told.endToEndId ?? endToEndId }
  const members: PspCalls = {
    provider: "told",
    environment: "sandbox",
    capabilities: {
      idempotentByReference: true,
      knowsPayer: true,
      notFoundIsFinalAfter: Duration.minutes(1),
      settlementLag: Duration.minutes(1)
    },
    createCharge: say(told.charge ?? charge),
    findCharge: say(told.charge ?? charge),
    cancelCharge: say(told.charge ?? charge),
    sendPayout: say(told.payout ?? payout),
    findPayout: say(told.payout ?? payout),
    refund: say(told.refund ?? refund),
    findRefund: say(told.refund ?? refund),
    findPayment: say(received),
    listPayments: say({
      payments: [-1, 0, 59, 60].map((seconds) => ({
        ...received,
        paidAt: DateTime.add(at, { seconds })
      }))
    }),
    balance: () => failed(PspOutcome.notSent("ECONNREFUSED")),
    readNotification: () => Effect.succeed([])
  }
  return { members, psp: pspFromCalls(members), calls: () => calls }
}

const key = Result.getOrThrow(PixKey.parse("email", "ana@example.com"))
const newCharge = { reference, amount, expiresInSeconds: 60 }
const newPayout = { reference, amount, pixKey: key, holder: {} }
const newRefund = { reference, endToEndId, amount, purpose: "requested" } as const

const outcomesOf = ({ psp }: ReturnType<typeof telling>) =>
  Effect.all({
    createCharge: psp.createCharge(newCharge),
    findCharge: psp.findCharge(reference),
    cancelCharge: psp.cancelCharge(reference),
    sendPayout: psp.sendPayout(newPayout),
    findPayout: psp.findPayout({ reference }),
    refund: psp.refund(newRefund),
    findRefund: psp.findRefund({ reference, endToEndId }),
    findPayment: psp.findPayment?.(endToEndId) ?? Effect.die("left out")
  })
/** What is not known after these calls. */
const unknownOf = (told: Told) =>
  Effect.map(outcomesOf(telling(told)), (outcomes) =>
    Object.entries(outcomes).flatMap(([name, { _tag }]) => (_tag === "Unknown" ? [name] : []))
  )

describe("a PSP of calls", () => {
  it.effect("answers what it was told about what was asked", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* unknownOf({}), [])
    })
  )

  it.effect("takes no answer for one that is about something else", () =>
    Effect.gen(function* () {
      const other = { reference: "f".repeat(32) }
      const less = { amount: Money.Centavos.make(1n) }
      const charges = ["createCharge", "findCharge", "cancelCharge"]
      assert.deepStrictEqual(yield* unknownOf({ charge: { ...charge, ...other } }), charges)
      assert.deepStrictEqual(yield* unknownOf({ charge: { ...charge, ...less } }), ["createCharge"])
      const payouts = ["sendPayout", "findPayout"]
      assert.deepStrictEqual(yield* unknownOf({ payout: { ...payout, ...other } }), payouts)
      assert.deepStrictEqual(yield* unknownOf({ payout: { ...payout, ...less } }), ["sendPayout"])
      const refunds = ["refund", "findRefund"]
      assert.deepStrictEqual(yield* unknownOf({ refund: { ...refund, ...other } }), refunds)
      assert.deepStrictEqual(yield* unknownOf({ refund: { ...refund, ...less } }), ["refund"])
      const elsewhere = endToEndId.replace("abc", "xyz")
      const back = { ...refund, endToEndId: elsewhere }
      assert.deepStrictEqual(yield* unknownOf({ refund: back }), refunds)
      assert.deepStrictEqual(yield* unknownOf({ endToEndId: elsewhere }), ["findPayment"])
    })
  )

  it.effect("is not asked what cannot be", () =>
    Effect.gen(function* () {
      const { calls, psp } = telling()
      const bad = { reference: "../charges" }
      const none = { amount: Money.Centavos.make(0n) }
      const orders = [
        psp.createCharge({ ...newCharge, ...bad }),
        psp.createCharge({ ...newCharge, ...none }),
        psp.createCharge({ ...newCharge, expiresInSeconds: 0.5 }),
        psp.cancelCharge(bad.reference),
        psp.sendPayout({ ...newPayout, ...bad }),
        psp.sendPayout({ ...newPayout, ...none }),
        psp.refund({ ...newRefund, ...bad }),
        psp.refund({ ...newRefund, endToEndId: "E1" }),
        psp.refund({ ...newRefund, ...none })
      ]
      for (const order of orders) assert.strictEqual((yield* order)._tag, "Rejected")
      const questions = [
        psp.findCharge(bad.reference),
        psp.findPayout(bad),
        psp.findRefund({ ...bad, endToEndId }),
        psp.findPayment?.("E1") ?? Effect.die("left out")
      ]
      for (const question of questions)
        assert.deepStrictEqual(yield* question, { _tag: "Done", value: undefined })
      assert.strictEqual(calls(), 0)
    })
  )

  it.effect("waits a minute for money that its PSP has too little of", () =>
    Effect.gen(function* () {
      const refusing = (code: string) =>
        pspFromCalls({
          ...telling().members,
          sendPayout: () => failed(PspOutcome.rejected(code, "No."))
        })
      const short = yield* refusing("insufficient_psp_balance").sendPayout(newPayout)
      assert.deepStrictEqual(short, PspOutcome.needsMoney("No.", "1 minute"))
      assert.strictEqual((yield* refusing("limit_exceeded").sendPayout(newPayout))._tag, "Rejected")
    })
  )

  it.effect("is asked about a report by its id and the time of the service", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const psp = pspFromCalls({
        ...telling().members,
        findInfraction: (...about) => Effect.sync(() => void asked.push(...about))
      })
      yield* psp.findInfraction?.("i-1", at) ?? Effect.die("left out")
      assert.deepStrictEqual(asked, ["i-1", at])
    })
  )

  it.effect("lists what is of the period, and passes on what is no answer", () =>
    Effect.gen(function* () {
      const { psp } = telling()
      const period = { from: at, to: DateTime.add(at, { minutes: 1 }) }
      const page = yield* psp.listPayments?.(period) ?? Effect.die("left out")
      assert.strictEqual(page._tag === "Done" && page.value.payments.length, 2)
      const balance = yield* psp.balance?.() ?? Effect.die("left out")
      assert.deepStrictEqual(balance, PspOutcome.notSent("ECONNREFUSED"))
      assert.isUndefined(psp.findInfraction)
    })
  )
})

describe("a notification", () => {
  const noticesOf = (names: (event: Fields) => ReadonlyArray<Named>, text: string | Uint8Array) =>
    readNotices(
      (notification) => headerOf(notification, "x-secret") === "s",
      names
    )({
      headers: { "X-Secret": "s" },
      body: typeof text === "string" ? new TextEncoder().encode(text) : text,
      query: {},
      path: ""
    })

  it.effect("names what can be a name, and nothing else", () =>
    Effect.gen(function* () {
      const all: ReadonlyArray<Named> = [
        ["Charge", reference],
        ["Charge", "order-1"],
        ["Payout", undefined],
        ["Refund", reference],
        ["Payment", endToEndId],
        ["Payment", "E1"],
        ["Infraction", "i-1"],
        ["Infraction", ""],
        ["PspPayout", "p-1"]
      ]
      assert.deepStrictEqual(yield* noticesOf(() => all, "{}"), [
        { _tag: "Charge", reference },
        { _tag: "Refund", reference },
        { _tag: "Payment", endToEndId },
        { _tag: "Infraction", id: "i-1" },
        { _tag: "PspPayout", pspReference: "p-1" }
      ])
    })
  )

  it.effect("is malformed where it cannot be read, and unauthentic first of all", () =>
    Effect.gen(function* () {
      const read = (event: Fields): ReadonlyArray<Named> => [["Charge", event.textIf("txid")]]
      for (const text of ["", "null", "[]", '{"txid":1}', new Uint8Array([0xff])])
        assert.deepStrictEqual(
          yield* Effect.flip(noticesOf(read, text)),
          new NotificationRefused({ reason: "Malformed" })
        )
      const raw = { headers: {}, body: Buffer.from("[]"), query: {}, path: "" } as const
      const unread = yield* Effect.flip(
        readBodies(
          () => true,
          () => undefined
        )(raw)
      )
      assert.strictEqual(unread.reason, "Malformed")
      assert.deepStrictEqual(
        yield* readBodies(
          () => true,
          () => []
        )(raw),
        []
      )
      const forged = readNotices(() => false, read)
      const refused = yield* Effect.flip(
        forged({ headers: {}, body: new Uint8Array(), query: {}, path: "" })
      )
      assert.strictEqual(refused.reason, "Unauthenticated")
    })
  )
})
