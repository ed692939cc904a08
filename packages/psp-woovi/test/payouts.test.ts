import { assert, describe, it } from "@effect/vitest"
import type { PspOutcome, PspPayout } from "@pagora/core"
import { Money } from "@pagora/core"
import { Effect } from "effect"
import { woovi } from "../src/Woovi.ts"
import { keyOf, payout, reference, running } from "./WooviWorld.test-data.ts"

const statusOf = (outcome: PspOutcome<PspPayout | undefined>) =>
  outcome._tag === "Done" ? (outcome.value?.status ?? "none") : outcome._tag

const closed = { code: "AC07", message: "Conta encerrada" }

describe("a payout at Woovi", () => {
  it.live("that is repeated must be of the same amount and to the same key", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      assert.strictEqual(statusOf(yield* psp.sendPayout(payout)), "processing")
      const others = [
        { ...payout, amount: Money.Centavos.make(1_235n) },
        { ...payout, pixKey: keyOf("bia@example.com") }
      ]
      for (const other of others)
        assert.strictEqual(statusOf(yield* psp.sendPayout(other)), "Unknown")
      assert.strictEqual(statusOf(yield* psp.sendPayout(payout)), "processing")
      assert.strictEqual(bank.world.payouts.length, 1)
    })
  )

  it.live("that has arrived may come back, and one that is refused may not", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      yield* psp.sendPayout(payout)
      bank.settlePayout(reference, "completed")
      assert.strictEqual(statusOf(yield* psp.findPayout({ reference })), "completed")
      bank.settlePayout(reference, "reversed", closed)
      const back = yield* psp.findPayout({ reference })
      assert.strictEqual(statusOf(back), "reversed")
      assert.strictEqual(back._tag === "Done" && back.value?.reversal?.code, "account_closed")
      assert.strictEqual(statusOf(yield* psp.sendPayout(payout)), "reversed")
    })
  )

  it.live("has not come back by the return of something else, even if Woovi shows it", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      yield* psp.sendPayout(payout)
      bank.settlePayout(reference, "completed")
      bank.returnPayment(bank.payKey({ centavos: 1_234 }).endToEndId)
      const body = yield* Effect.promise(() =>
        fetch(`${bank.url}/api/v1/transaction?type=REFUND`, {
          headers: { authorization: bank.appId }
        }).then((answer) => answer.text())
      )
      assert.include(body, '"value":1234')
      bank.faults.set([
        { kind: "status", operation: "listReturnsOfPayout", status: 200, text: body, times: 1 }
      ])
      assert.strictEqual(statusOf(yield* psp.findPayout({ reference })), "completed")
      const asked = bank.requests.filter(({ path }) => path === "/api/v1/transaction")
      assert.strictEqual(asked.length, 2)
    })
  )

  it.live("that failed is not ended before it is known whether it came back", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      yield* psp.sendPayout(payout)
      bank.settlePayout(reference, "failed")
      const operation = "listReturnsOfPayout"
      bank.faults.set([{ kind: "status", operation, status: 503, text: "", times: 1 }])
      assert.strictEqual(statusOf(yield* psp.findPayout({ reference })), "Unknown")
      bank.faults.set([{ kind: "status", operation, status: 200, body: {}, times: 1 }])
      assert.strictEqual(statusOf(yield* psp.findPayout({ reference })), "Unknown")
      // An API that has no such filter shows no return; what contradicts a booking goes to a person.
      const body = { error: "Invalid filter" }
      bank.faults.set([{ kind: "status", operation, status: 400, body, times: 1 }])
      assert.strictEqual(statusOf(yield* psp.findPayout({ reference })), "rejected")
    })
  )

  it.live(
    "that failed is not known while the name is missing under which its return would show",
    () =>
      Effect.gen(function* () {
        const { bank, options } = yield* running()
        const psp = woovi(options)
        yield* psp.sendPayout(payout)
        const payment = { value: 1_234, status: "FAILED", correlationID: reference }
        const told = (body: object) =>
          bank.faults.set([
            { kind: "status", operation: "findPayout", status: 200, body, times: 1 }
          ])
        told({ payment, transaction: { value: 1_234, endToEndId: null } })
        assert.strictEqual(statusOf(yield* psp.findPayout({ reference })), "Unknown")
        // What never left has no transaction.
        told({ payment })
        assert.strictEqual(statusOf(yield* psp.findPayout({ reference })), "rejected")
      })
  )

  it.live("that the account has too little for waits as a request, and is approved later", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running({ balance: 1_000 })
      const psp = woovi(options)
      const sent = yield* psp.sendPayout(payout)
      assert.strictEqual(sent._tag, "NotNow")
      assert.include(sent._tag === "NotNow" ? sent.detail : "", "insufficient_psp_balance")
      // Nothing was sent by a request; but somebody may approve it in the panel, so nobody may take it for gone.
      assert.strictEqual(statusOf(yield* psp.findPayout({ reference })), "processing")
      bank.payKey({ centavos: 1_000 })
      assert.strictEqual(statusOf(yield* psp.sendPayout(payout)), "processing")
      assert.strictEqual(bank.account.balance, 1_000 + 1_000 - 1_234)
    })
  )

  it.live("has the balance of the account that it leaves from, and of no other", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running({ balance: 1_000 })
      const asked = woovi(options).balance ?? (() => Effect.die("left out"))
      bank.account.blocked = { judicial: 100, med: 200 }
      const { available, blocked } = yield* Effect.map(asked(), (told) =>
        told._tag === "Done" ? told.value : assert.fail(told._tag)
      )
      assert.deepStrictEqual([available, blocked], [700n, 300n])
      const body = { accounts: [{ isDefault: false, balance: { available: 1, blocked: 0 } }] }
      bank.faults.set([{ kind: "status", operation: "findBalance", status: 200, body, times: 1 }])
      assert.strictEqual((yield* asked())._tag, "Unknown")
      // An AppID may lack the scope for it.
      const refusal = { error: "Forbidden" }
      bank.faults.set([{ kind: "status", operation: "findBalance", status: 403, body: refusal }])
      assert.strictEqual((yield* asked())._tag, "NotNow")
    })
  )

  it.live.each([
    ["AC06", "account_blocked"],
    ["BE01", "holder_mismatch"],
    ["FRAD", "fraud_suspected"],
    ["AM12", "AM12"]
  ] as const)("that the network refuses by %s says so in our word", ([network, word]) =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      yield* psp.sendPayout(payout)
      bank.settlePayout(reference, "failed", { code: network, message: "x" })
      const found = yield* psp.findPayout({ reference })
      assert.strictEqual(found._tag === "Done" && found.value?.rejection?.code, word)
    })
  )

  it.live("to a key that nobody has is refused, until too many were looked up", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      const nobodys = { ...payout, pixKey: keyOf("pix-key-not-found@openpix.com") }
      const refused = yield* psp.sendPayout(nobodys)
      assert.strictEqual(refused._tag === "Rejected" && refused.code, "pix_key_not_found")
      assert.strictEqual(statusOf(yield* psp.findPayout({ reference })), "none")
      bank.keyLookUps.leave(10)
      assert.strictEqual(statusOf(yield* psp.sendPayout(nobodys)), "NotNow")
    })
  )

  it.live("under a name that is no reference is not asked about", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      const sent = yield* psp.sendPayout({ ...payout, reference: "../charge" })
      assert.strictEqual(sent._tag, "Rejected")
      assert.deepStrictEqual(bank.requests, [])
    })
  )
})
