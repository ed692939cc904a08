import { assert, describe, it } from "@effect/vitest"
import type { WithId } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Duration, Effect } from "effect"
import { ChargeId } from "../../src/kernel/Ids.ts"
import type { AccountId, LedgerTxId, ReturnId } from "../../src/kernel/Ids.ts"
import type { Centavos } from "../../src/kernel/Money.ts"
import { available, equity } from "../../src/ledger/LedgerAccount.ts"
import { credit, debit, post } from "../../src/ledger/LedgerTx.ts"
import { ChargeKind, Charge } from "../../src/charges/Charge.ts"
import type { Kind } from "../../src/units/Kind.ts"
import { Ids } from "../../src/time/Ids.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { Return, ReturnKind } from "../../src/returns/Return.ts"
import {
  askBlock,
  askResolve,
  block,
  chargebacks,
  defend,
  listed,
  operator,
  operatorBlock,
  paid,
  resolve,
  returns,
  spendable
} from "./BalanceBlocks.test-data.ts"
import { Written, codeOf, existing, random, world } from "../world/ServiceWorld.test-data.ts"

const full = { blockType: "judicial", amount: 4, reason: "fraud", referenceNumber: "0001/2026" }

describe("a balance block", () => {
  it.effect("is answered 201 with what was asked for and what is known of the payment", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story, 10, { externalReference: "pedido-1" })
      const { e2eId } = yield* story.transaction(charge.id)
      const made = yield* askBlock(story, charge, full)
      assert.strictEqual(made.status, 201)
      assert.deepStrictEqual<unknown>(made.json, {
        id: made.json.id,
        transactionId: charge.id,
        amount: 4,
        status: "awaiting_response",
        blockType: "judicial",
        referenceNumber: "0001/2026",
        reason: "fraud",
        createdAt: "2026-11-21T12:00:00.000Z",
        externalReference: "pedido-1",
        e2eId,
        accountId: story.shop.id,
        subAccount: null,
        returnedAmount: 0,
        owedAmount: 4,
        uncollectedAmount: 0
      })
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "of no amount takes all that is left of the payment, and the next one finds nothing",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* paid(story)
        assert.strictEqual((yield* block(story, charge, { amount: 4 })).amount, 4)
        const tooMuch = yield* askBlock(story, charge, { amount: 6.01 })
        assert.strictEqual(tooMuch.status, 400)
        assert.strictEqual(codeOf(tooMuch), "AMOUNT_NOT_BLOCKABLE")
        assert.strictEqual(Number(tooMuch.json.details?.["available"]), 6)
        assert.strictEqual((yield* block(story, charge)).amount, 6)
        for (const body of [{}, { amount: 0.01 }]) {
          const answer = yield* askBlock(story, charge, body)
          assert.strictEqual(answer.status, 400)
          assert.strictEqual(codeOf(answer), "AMOUNT_NOT_BLOCKABLE")
        }
        assert.deepStrictEqual(yield* spendable(story), [0, 1_000])
      }).pipe(Effect.provide(world))
  )

  it.effect(
    "needs a completed payment of that account: anything else is 404 and writes nothing",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const other = yield* journey()
        const pending = yield* story.charge()
        const theirs = yield* paid(other)
        const adjusted = (yield* story.adjust({ amount: 5, reason: "x" })).json
        const before = (yield* Written).units.length
        const answers = []
        for (const id of [pending.id, theirs.id, adjusted.id, random.uuid, "x", story.shop.id]) {
          const answer = yield* askBlock(story, { id })
          assert.strictEqual(answer.status, 404, id)
          assert.strictEqual(codeOf(answer), "TRANSACTION_NOT_FOUND")
          const { details, message } = answer.json
          answers.push(JSON.stringify({ message, details }).replaceAll(id, "<id>"))
        }
        // Nobody learns from the answer that another account has such a payment.
        assert.strictEqual(new Set(answers).size, 1)
        assert.strictEqual((yield* Written).units.length, before)
      }).pipe(Effect.provide(world))
  )

  it.effect.each([
    { blockType: "MED" },
    { blockType: undefined },
    { amount: 0 },
    { amount: -1 },
    { amount: 1.001 },
    { amount: "1" },
    { reason: "" },
    { reason: "r".repeat(256) },
    { referenceNumber: 7 },
    { transactionId: undefined }
  ])("with %j is refused, and nothing is written", (body) =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const before = (yield* Written).units.length
      const answer = yield* askBlock(story, charge, body)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "leaves nothing of a payment whose refund is under way, and everything after it failed",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* paid(story)
        yield* refund(charge.id, "processing")
        const answer = yield* askBlock(story, charge)
        assert.strictEqual(codeOf(answer), "AMOUNT_NOT_BLOCKABLE")
        const other = yield* paid(story)
        yield* refund(other.id, "failed")
        assert.strictEqual((yield* block(story, other)).amount, 10)
      }).pipe(Effect.provide(world))
  )
})

/** A refund of a payment, as it is stored; its money does not matter here. */
const refund = Effect.fnUntraced(function* (id: string, status: Return["status"]) {
  const storage = yield* Storage
  const ids = yield* Ids
  const at = yield* (yield* ServiceTime).now
  const found = yield* storage.find(ChargeKind, ChargeId.make(id))
  if (found === undefined) return assert.fail("no charge")
  const { account, amount, e2eId = "", pspCredentialId, wallet } = found.value
  const money = new Return({
    id: yield* ids.next<ReturnId>(),
    account,
    wallet,
    purpose: "refund",
    source: found.value.id,
    status,
    amount,
    pspCredentialId,
    endToEndId: e2eId,
    createdAt: at,
    updatedAt: at
  })
  yield* storage.commit({
    at,
    inserts: [(ReturnKind as Kind<Return>).row(money)],
    updates: [
      {
        row: (ChargeKind as Kind<Charge>).row(new Charge({ ...found.value, refund: money.id })),
        expected: found.version
      }
    ]
  })
})

describe("a block moves", () => {
  it.effect("on to defended, which changes no money, and then to its end", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const made = yield* block(story, yield* paid(story))
      yield* story.advance("1 hour")
      const defended = yield* defend(made)
      assert.strictEqual(defended.status, "defended")
      assert.strictEqual(defended.defendedAt, "2026-11-21T13:00:00.000Z")
      assert.deepStrictEqual(yield* spendable(story), [0, 1_000])
      const rejected = yield* resolve(made, "rejected", "the merchant has delivered")
      assert.strictEqual(rejected.status, "rejected")
      assert.strictEqual(rejected.resolutionReason, "the merchant has delivered")
      assert.strictEqual(rejected.resolvedAt, "2026-11-21T13:00:00.000Z")
      assert.deepStrictEqual(yield* spendable(story), [1_000, 0])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["approved", "rejected"] as const)(
    "never again after it was %s: 409, and nothing is written",
    (outcome) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const made = yield* block(story, yield* paid(story))
        yield* resolve(made, outcome)
        const before = (yield* Written).units.length
        const path = `/balance-blocks/${made.id}` as const
        for (const answer of [
          yield* operator("POST", `${path}/defend`),
          yield* askResolve(made, "approved"),
          yield* askResolve(made, "rejected")
        ]) {
          assert.strictEqual(answer.status, 409)
          assert.deepStrictEqual(answer.json.details, {
            code: "BALANCE_BLOCK_NOT_OPEN",
            resource: "balance block",
            field: "status",
            value: outcome
          })
        }
        assert.strictEqual((yield* Written).units.length, before)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("once into defended: the second time is 409", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const made = yield* block(story, yield* paid(story))
      yield* defend(made)
      const again = yield* operator("POST", `/balance-blocks/${made.id}/defend`)
      assert.strictEqual(again.status, 409)
      assert.strictEqual(again.json.details?.["value"], "defended")
    }).pipe(Effect.provide(world))
  )

  it.effect("only when there is one, and only to where one goes", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const made = yield* block(story, charge)
      for (const id of [random.uuid, "x", "%00", charge.id]) {
        for (const [action, body] of [
          ["defend", undefined],
          ["resolve", { outcome: "approved" }]
        ] as const) {
          const answer = yield* operator("POST", `/balance-blocks/${id}/${action}`, body)
          assert.strictEqual(answer.status, 404)
          assert.strictEqual(answer.json.details?.resource, "balance block")
        }
      }
      for (const body of [{}, { outcome: "defended" }, { outcome: "approved", reason: "" }]) {
        const path = `/balance-blocks/${made.id}/resolve` as const
        const answer = yield* operator("POST", path, body)
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      }
      assert.deepStrictEqual(yield* spendable(story), [0, 1_000])
    }).pipe(Effect.provide(world))
  )
})

describe("a block holds", () => {
  it.effect("exactly what the wallet has, which then cannot be spent", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* block(story, yield* paid(story))
      assert.deepStrictEqual(yield* spendable(story), [0, 1_000])
      const answer = yield* story.adjust({ amount: -0.01, reason: "spend" })
      assert.strictEqual(codeOf(answer), "INSUFFICIENT_BALANCE")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("what is there of it, and of later credits the rest, without a write of its own", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* story.adjust({ amount: -7, reason: "spent before" })
      yield* block(story, charge)
      assert.deepStrictEqual(yield* spendable(story), [0, 300])
      yield* paid(story, 5)
      assert.deepStrictEqual(yield* spendable(story), [0, 800])
      yield* paid(story, 5)
      assert.deepStrictEqual(yield* spendable(story), [300, 1_000])
      assert.strictEqual((yield* story.adjust({ amount: -3, reason: "spend" })).status, 201)
      assert.strictEqual((yield* story.adjust({ amount: -0.01, reason: "spend" })).status, 400)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "nothing of an empty wallet, and gives back what came meanwhile when it is rejected",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* paid(story)
        yield* story.adjust({ amount: -10, reason: "spent before" })
        const made = yield* block(story, charge)
        assert.deepStrictEqual(yield* spendable(story), [0, 0])
        assert.strictEqual(made.amount, 10)
        yield* paid(story, 4)
        assert.deepStrictEqual(yield* spendable(story), [0, 400])
        yield* resolve(made, "rejected")
        assert.deepStrictEqual(yield* spendable(story), [400, 0])
        assert.strictEqual((yield* returns(story)).length, 0)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )
})

describe("an approved block", () => {
  it.effect(
    "that is covered goes to the payer at once and whole: chargeback, suspense, return",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* paid(story)
        yield* paid(story, 3)
        const { e2eId } = yield* story.transaction(charge.id)
        const made = yield* block(story, charge)
        const approved = yield* resolve(made, "approved", "fraud proved")
        assert.strictEqual(approved.status, "approved")
        assert.strictEqual(approved.returnedAmount, 10)
        assert.strictEqual(approved.owedAmount, 0)
        assert.deepStrictEqual(yield* spendable(story), [300, 0])
        const [tx] = yield* chargebacks(story)
        assert.deepStrictEqual(
          tx?.postings.map(({ account, amount }) => [account, amount]),
          [
            [{ owner: story.shop.id, bucket: "available" }, -1_000n],
            [{ owner: story.shop.id, bucket: "suspense" }, 1_000n]
          ] as unknown
        )
        const [money] = yield* returns(story)
        assert.strictEqual(money?.amount, 1_000n)
        assert.strictEqual<string | undefined>(money?.source, made.id)
        assert.strictEqual(money?.endToEndId, e2eId)
        assert.strictEqual(money?.reason, "fraud proved")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("shows as a transaction of type chargeback", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const made = yield* block(story, yield* paid(story), { amount: 2.5 })
      yield* resolve(made, "approved")
      const [tx] = yield* chargebacks(story)
      assert.deepStrictEqual((yield* story.transaction(existing(tx).id)) as unknown, {
        id: tx?.id,
        status: "completed",
        type: "chargeback",
        paymentMethod: "pix",
        amount: 2.5,
        currency: "BRL",
        createdAt: "2026-11-21T12:00:00.000Z",
        description: `Balance block ${made.id}`
      })
      // The block itself is no transaction.
      const answer = yield* story.shop.call("GET", `/transactions/${made.id}`)
      assert.strictEqual(answer.status, 404)
    }).pipe(Effect.provide(world))
  )

  it.effect("puts its return in line for the PSP in the same commit", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const made = yield* block(story, yield* paid(story))
      const before = (yield* Written).units.length
      yield* resolve(made, "approved")
      const written = (yield* Written).units.slice(before)
      assert.strictEqual(written.length, 1)
      const [money] = yield* returns(story)
      const scheduled = written.flatMap(({ jobs }) => jobs.filter(({ op }) => op === "Schedule"))
      assert.isTrue(scheduled.some(({ id, queue }) => queue === "return" && id === money?.id))
      assert.isFalse(scheduled.some(({ queue }) => queue === "block"))
    }).pipe(Effect.provide(world))
  )

  it.effect("sends what is there, and the rest piece by piece as it comes", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* story.adjust({ amount: -7, reason: "spent before" })
      const made = yield* block(story, charge)
      const approved = yield* resolve(made, "approved")
      assert.strictEqual(approved.returnedAmount, 3)
      assert.strictEqual(approved.owedAmount, 7)
      assert.deepStrictEqual(yield* spendable(story), [0, 0])

      yield* paid(story, 5)
      assert.deepStrictEqual(yield* spendable(story), [0, 500])
      yield* story.advance("1 minute")
      assert.deepStrictEqual(yield* spendable(story), [0, 0])
      yield* story.advance("1 hour")
      assert.strictEqual((yield* chargebacks(story)).length, 2)

      yield* paid(story, 5)
      assert.deepStrictEqual(yield* spendable(story), [300, 200])
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* spendable(story), [300, 0])
      const amounts = (yield* chargebacks(story)).map(({ amount, leg }) => [leg, Number(amount)])
      assert.deepStrictEqual(amounts, [
        [0, 300],
        [1, 500],
        [2, 200]
      ])
      assert.deepStrictEqual(
        (yield* returns(story)).map(({ amount }) => Number(amount)),
        [300, 500, 200]
      )
      const done = yield* operatorBlock(story, made)
      assert.strictEqual(done.returnedAmount, 10)
      assert.strictEqual(done.owedAmount, 0)
      const storage = yield* Storage
      assert.isUndefined(yield* storage.nextDue(["block"]))
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that was not collected in 90 days is given up, and the wallet is free", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* story.adjust({ amount: -10, reason: "spent before" })
      const made = yield* block(story, charge)
      yield* resolve(made, "approved")
      assert.strictEqual((yield* chargebacks(story)).length, 0)
      yield* story.advance(Duration.sum(Duration.days(90), Duration.seconds(-1)))
      yield* paid(story, 4)
      // What is there in the last moment still goes to the payer.
      yield* story.advance("1 second")
      const done = yield* operatorBlock(story, made)
      assert.strictEqual(done.returnedAmount, 4)
      assert.strictEqual(done.uncollectedAmount, 6)
      assert.strictEqual(done.owedAmount, 0)
      assert.strictEqual(done.status, "approved")
      yield* paid(story, 8)
      assert.deepStrictEqual(yield* spendable(story), [800, 0])
      yield* story.advance("1 day")
      assert.deepStrictEqual(yield* spendable(story), [800, 0])
      // What was given up may be asked for anew; what went back may not.
      assert.strictEqual((yield* block(story, charge)).amount, 6)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("waits for its turn: older blocks of the wallet are covered first", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charges = [yield* paid(story, 6), yield* paid(story, 6), yield* paid(story, 6)]
      yield* story.adjust({ amount: -8, reason: "spent before" })
      const blocks = []
      for (const charge of charges) blocks.push(yield* block(story, charge))
      const [first, second, third] = blocks as [never, never, never]
      // 10 are there: 6 are the first one's, 4 the second one's.
      assert.strictEqual((yield* resolve(third, "approved")).returnedAmount, 0)
      assert.strictEqual((yield* resolve(second, "approved")).returnedAmount, 4)
      yield* paid(story, 3)
      yield* story.advance("1 hour")
      assert.strictEqual((yield* operatorBlock(story, second)).returnedAmount, 6)
      assert.strictEqual((yield* operatorBlock(story, third)).returnedAmount, 1)
      assert.deepStrictEqual(yield* spendable(story), [0, 600])
      // What the oldest one does not need is the next one's.
      yield* resolve(first, "rejected")
      yield* story.advance("1 hour")
      assert.strictEqual((yield* operatorBlock(story, third)).returnedAmount, 6)
      assert.deepStrictEqual(yield* spendable(story), [100, 0])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("reckons with hundreds of older ones before it, in any state that claims", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story, 10)
      const last = yield* paid(story, 10)
      const older: Array<WithId> = []
      for (let count = 0; count < 250; count++) {
        older.push(yield* block(story, charge, { amount: 0.04 }))
      }
      const made = yield* block(story, last)
      yield* Effect.forEach(older.slice(0, 110), defend, { discard: true })
      const storage = yield* Storage
      assert.strictEqual((yield* listed(story)).length, 251)
      // Of 20 that are claimed 12 are there; 10 are the older ones'.
      const spent = yield* Effect.orDie(takeAway(story.shop.id, 800n))
      assert.strictEqual(spent, 1_200n)
      assert.strictEqual((yield* resolve(made, "approved")).returnedAmount, 2)
      assert.isDefined(yield* storage.nextDue(["block"]))
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

/** Takes money that is claimed, as only another booking of the house could. */
const takeAway = Effect.fnUntraced(function* (id: string, amount: bigint) {
  const storage = yield* Storage
  const ids = yield* Ids
  const account = id as AccountId
  const tx = yield* ids.next<LedgerTxId>()
  yield* storage.commit({
    at: yield* (yield* ServiceTime).now,
    ledger: [
      post({
        id: tx,
        kind: "adjustment",
        account,
        wallet: account,
        source: tx,
        leg: 0,
        amount: -amount as Centavos,
        document: null,
        postings: [
          debit(available(account), amount as Centavos),
          credit(equity(account), amount as Centavos)
        ]
      })
    ]
  })
  return (yield* storage.wallet(account))?.available
})
