import { assert, describe, it } from "@effect/vitest"
import type { Answer, Journey } from "@pagora/testkit"
import { TestPagora } from "@pagora/testkit"
import { Effect, Logger } from "effect"
import { Storage } from "../../src/storage/Storage.ts"
import type { Return } from "../../src/returns/Return.ts"
import { ReturnWorker } from "../../src/returns/ReturnWorker.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { refundOf, returnsOf, sumOf } from "./Returns.test-data.ts"
import { anHour, begin, keptFor, verifyGone } from "./ReturnStories.test-data.ts"
import {
  contradictions,
  decide,
  operate,
  retry,
  rowsOf,
  statusOf,
  waiting
} from "../reviews/Reviews.test-data.ts"
import { codeOf, random, world } from "../world/ServiceWorld.test-data.ts"

/** The bank gives notice of a return. */
const notice = Effect.fnUntraced(function* (story: Journey, { account: group, id }: Return) {
  const storage = yield* Storage
  const at = yield* (yield* ServiceTime).now
  yield* storage.commit({
    at,
    jobs: [{ _tag: "Schedule", queue: "return", id, group, due: at }]
  })
  yield* story.drain
})

/** A deposit that the bank has refused to bring back as often as it is told by itself. */
const refusedDeposit = Effect.fnUntraced(function* (manner: "refuses" | "takes and rejects") {
  const told = yield* begin("deposit", [manner, manner, manner])
  yield* anHour(told.story)
  assert.strictEqual(told.bank.orders.length, 3)
  return { ...told, money: yield* told.current }
})

/** A return whose outcome the bank does not tell for more than a day. */
const silentReturn = Effect.fnUntraced(function* (
  purpose: "deposit" | "refund",
  manner: "loses the request" | "loses the answer" | "takes" = "loses the answer"
) {
  const told = yield* begin(purpose, [manner])
  told.bank.silence(true)
  yield* anHour(told.story)
  yield* told.story.advance("23 hours")
  yield* told.story.advance("1 hour")
  return { ...told, money: yield* told.current }
})

describe("money that the bank keeps refusing to bring back", () => {
  it.effect("waits in suspense for a person, and shows why, whose and since when", () =>
    Effect.gen(function* () {
      const { charge, money, story } = yield* refusedDeposit("refuses")
      const [entry, ...others] = yield* rowsOf(
        `/suspense?needsReview=true&account=${story.shop.id}`
      )
      assert.deepStrictEqual(others, [])
      const { payer, return: shown, ...fields } = entry ?? {}
      assert.deepStrictEqual(fields, {
        id: money.id,
        accountId: story.shop.id,
        amount: 10,
        reason: "amount_mismatch",
        chargeId: charge.id,
        transactionId: money.source,
        e2eId: money.endToEndId,
        paidAt: "2026-11-21T12:00:00.000Z",
        since: "2026-11-21T12:00:00.000Z",
        needsReview: true
      })
      assert.hasAllKeys(payer, ["name", "document"])
      const { review, status } = shown as Record<string, unknown>
      assert.strictEqual(status, "requested")
      assert.deepStrictEqual(review, { since: "2026-11-21T12:11:26.000Z", reason: "refused" })
      const [waits] = yield* rowsOf("/reviews")
      assert.deepStrictEqual(waits?.calls, [
        `POST /returns/${money.id}/retry`,
        `POST /returns/${money.id}/resolve`
      ])
      assert.strictEqual(waits?.reference, money.reference)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["refuses", "takes and rejects"] as const)(
    "is sent anew by a person under another reference, when the bank %s",
    (manner) =>
      Effect.gen(function* () {
        const { bank, money, story } = yield* refusedDeposit(manner)
        const retried = yield* retry(money.id)
        assert.strictEqual(retried.status, 201, retried.text)
        assert.strictEqual(retried.json.replaces, money.id)
        assert.deepStrictEqual(yield* waiting(story), [])
        assert.strictEqual((yield* rowsOf("/suspense")).length, 1)
        const status = Effect.map(
          story.transaction(money.source),
          (shown) => refundOf(shown)?.status
        )
        assert.strictEqual(yield* status, "pending")
        yield* story.drain
        assert.strictEqual(bank.orders.length, 4)
        assert.strictEqual(bank.orders[3]?.reference, retried.json.reference)
        assert.notStrictEqual(bank.orders[3]?.reference, money.reference)
        assert.strictEqual(bank.sent(), 1_000n)
        assert.strictEqual(yield* status, "confirmed")
        assert.deepStrictEqual(yield* rowsOf("/suspense"), [])
        const former = yield* operate("GET", `/returns/${money.id}`)
        assert.strictEqual(former.json.status, "replaced")
        assert.strictEqual(former.json.replacedBy, retried.json.id)
        yield* verifyGone(story, "deposit")
      }).pipe(Effect.provide(world))
  )

  it.effect("is not sent anew when the bank has done what it refused", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* refusedDeposit("takes and rejects")
      bank.ends(money.reference, { status: "confirmed" })
      const retried = yield* retry(money.id)
      yield* story.drain
      yield* anHour(story)
      assert.strictEqual(bank.orders.length, 3)
      assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
      assert.deepStrictEqual(yield* waiting(story), [
        "deposit_return contradicted",
        "discrepancy failed_but_paid"
      ])
      const id = retried.json.id
      assert.strictEqual(codeOf(yield* retry(id)), "RETURN_NOT_REFUSED")
      assert.strictEqual((yield* decide("returns", id, "completed")).status, 200)
      assert.strictEqual(bank.sent(), 1_000n)
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )

  it.effect("waits with its second try while the bank does not tell of the first", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* refusedDeposit("refuses")
      bank.silence(true)
      yield* retry(money.id)
      yield* anHour(story)
      assert.strictEqual(bank.orders.length, 3)
      bank.silence(false)
      yield* story.advance("10 minutes")
      assert.strictEqual(bank.orders.length, 4)
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )

  it.effect("is the operator's when a person gives it up", () =>
    Effect.gen(function* () {
      const { money, story } = yield* refusedDeposit("refuses")
      const answer = yield* decide("returns", money.id, "failed")
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual<unknown>(answer.json["resolution"], {
        reason: "Looked at the bank.",
        by: "Ana",
        at: "2026-11-21T13:11:26.000Z"
      })
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      // Beside the 5.00 that the shop began with.
      assert.strictEqual(yield* sumOf(story.shop.id, "equity"), 500n)
      assert.deepStrictEqual(yield* waiting(story), [])
      assert.deepStrictEqual(yield* rowsOf("/suspense"), [])
      assert.strictEqual((yield* story.figures).total, keptFor.deposit)
      yield* story.adjust({ amount: 10, reason: "What its payer does not take back" })
      assert.strictEqual((yield* story.figures).total, 1_500)
      assert.strictEqual(yield* sumOf(story.shop.id, "equity"), -500n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("goes by the bank's word when that comes before the person's", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* refusedDeposit("takes and rejects")
      bank.ends(money.reference, { status: "processing" })
      yield* notice(story, money)
      assert.strictEqual(codeOf(yield* retry(money.id)), "RETURN_NOT_REFUSED")
      assert.deepStrictEqual(yield* waiting(story), ["deposit_return unanswered"])
      bank.ends(money.reference, { status: "confirmed" })
      yield* anHour(story)
      assert.deepStrictEqual(yield* waiting(story), [])
      const late = yield* decide("returns", money.id, "failed")
      assert.strictEqual(late.status, 409)
      assert.strictEqual(codeOf(late), "RETURN_NOT_IN_REVIEW")
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )

  it.effect("cannot be called failed when the bank says that it has it after all, for a day", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* refusedDeposit("takes and rejects")
      bank.ends(money.reference, { status: "processing" })
      const fail = decide("returns", money.id, "failed")
      assert.strictEqual(codeOf(yield* fail), "RETURN_UNDER_WAY")
      assert.deepStrictEqual(yield* waiting(story), ["deposit_return refused"])
      yield* notice(story, money)
      assert.deepStrictEqual(yield* waiting(story), ["deposit_return unanswered"])
      yield* story.advance("23 hours")
      assert.strictEqual(codeOf(yield* fail), "RETURN_UNDER_WAY")
      yield* story.advance("1 hour")
      assert.strictEqual((yield* fail).status, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is sent anew once, however many ask for it, and ends once", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* refusedDeposit("refuses")
      const asked: ReadonlyArray<Effect.Effect<Answer<unknown>, never, TestPagora>> = [
        ...Array.from({ length: 8 }, () => retry(money.id)),
        ...Array.from({ length: 8 }, () => decide("returns", money.id, "failed"))
      ]
      const answers = yield* Effect.all(asked, { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ status }) => status < 300).length, 1)
      assert.strictEqual(statusOf(answers).filter((status) => status === 409).length, 15)
      yield* anHour(story)
      assert.isAtMost(bank.orders.length, 4)
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe.each(["deposit", "refund"] as const)("a %s return that comes to no end", (purpose) => {
  const kind = purpose === "refund" ? "refunds" : "returns"
  const type = purpose === "refund" ? "refund" : "deposit_return"

  it.effect("is shown to a person after a day, once, and still goes by the bank's word", () => {
    const errors: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error") errors.push(String(message))
    })
    return Effect.gen(function* () {
      const { bank, story } = yield* silentReturn(purpose, "takes")
      yield* story.advance("5 days")
      assert.deepStrictEqual(yield* waiting(story), [`${type} unanswered`])
      assert.deepStrictEqual(errors, [
        "A return does not come to its end; a person has to look at it."
      ])
      bank.silence(false)
      const [{ reference } = { reference: "" }] = yield* returnsOf(story.shop.id)
      bank.ends(reference, { status: "confirmed", returnId: "D1" })
      yield* story.advance("10 minutes")
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* verifyGone(story, purpose)
    }).pipe(Effect.provide(world), Effect.provide(Logger.layer([logger])))
  })

  it.effect("that the bank calls processing for ever is shown to a person, too", () =>
    Effect.gen(function* () {
      const { story } = yield* begin(purpose, ["takes"])
      yield* anHour(story)
      yield* story.advance("23 hours")
      assert.deepStrictEqual(yield* waiting(story), [`${type} unanswered`])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is completed by a person, and what the bank says against it moves nothing", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* silentReturn(purpose)
      yield* story.endpoint()
      const answer = yield* decide(kind, money.id, "completed")
      assert.strictEqual(String(answer.json["status"]), "confirmed")
      yield* story.drain
      const told = (yield* story.events()).map(({ event }) => event)
      assert.deepStrictEqual(told, purpose === "refund" ? ["refund_completed"] : [])
      yield* verifyGone(story, purpose)
      bank.silence(false)
      bank.ends(money.reference, { status: "rejected" })
      for (let times = 0; times < 3; times++) yield* notice(story, money)
      assert.deepStrictEqual(yield* contradictions(story), ["completed_but_rejected"])
      yield* verifyGone(story, purpose)
    }).pipe(Effect.provide(world))
  )

  it.effect("is given up by a person, and what the bank says against it moves nothing", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* silentReturn(purpose)
      const answer = yield* decide(kind, money.id, "failed")
      assert.strictEqual(String(answer.json["status"]), "failed")
      const { available, held } = yield* story.figures
      assert.deepStrictEqual({ available, held }, { available: keptFor[purpose], held: 0 })
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      bank.silence(false)
      for (let times = 0; times < 3; times++) yield* notice(story, money)
      assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
      assert.strictEqual((yield* story.figures).available, keptFor[purpose])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("ends once when the person and the bank decide at the same time", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* silentReturn(purpose)
      bank.silence(false)
      const worker = yield* ReturnWorker
      const at = yield* (yield* ServiceTime).now
      const storage = yield* Storage
      yield* storage.commit({
        at,
        jobs: [{ _tag: "Schedule", queue: "return", id: money.id, group: money.account, due: at }]
      })
      const [answer] = yield* Effect.all(
        [decide(kind, money.id, "failed"), worker.drain, worker.drain],
        { concurrency: "unbounded" }
      )
      yield* anHour(story)
      const [ended] = yield* returnsOf(story.shop.id)
      assert.strictEqual(ended?.status, answer.status === 200 ? "failed" : "confirmed")
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      assert.strictEqual((yield* story.figures).held, 0)
      assert.strictEqual((yield* contradictions(story)).length, ended?.status === "failed" ? 1 : 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("cannot be called failed while the bank was told of it a moment ago", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* silentReturn(purpose, "loses the request")
      bank.silence(false)
      bank.script("loses the request", "loses the request")
      yield* notice(story, money)
      const early = yield* decide(kind, money.id, "failed")
      assert.strictEqual(early.status, 409)
      assert.strictEqual(codeOf(early), "RETURN_UNDER_WAY")
      bank.silence(true)
      yield* story.advance("1 minute")
      assert.strictEqual((yield* decide(kind, money.id, "failed")).status, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("cannot be called failed for a day once the bank says that it is under way", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* silentReturn(purpose)
      yield* story.advance("3 days")
      bank.silence(false)
      bank.ends(money.reference, { status: "processing" })
      const refused = yield* decide(kind, money.id, "failed")
      assert.strictEqual(refused.status, 409)
      assert.strictEqual(codeOf(refused), "RETURN_UNDER_WAY")
      assert.match(refused.text, /The PSP says that this re(fund|turn) is processing/)
      assert.include(refused.text, `failed after ${String(refused.json.details?.["value"])}`)
      yield* story.advance("10 minutes")
      yield* story.advance("23 hours")
      assert.strictEqual(codeOf(yield* decide(kind, money.id, "failed")), "RETURN_UNDER_WAY")
      yield* story.advance("1 hour")
      assert.strictEqual((yield* decide(kind, money.id, "failed")).status, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("can be called failed where the bank has said for a day that it is under way", () =>
    Effect.gen(function* () {
      const { current, story } = yield* begin(purpose, ["takes"])
      yield* anHour(story)
      yield* story.advance("23 hours")
      assert.strictEqual((yield* decide(kind, (yield* current).id, "failed")).status, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("cannot be called failed once the bank says that its payer has the money", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* silentReturn(purpose)
      yield* story.advance("3 days")
      bank.silence(false)
      const refused = yield* decide(kind, money.id, "failed")
      assert.strictEqual(codeOf(refused), "RETURN_UNDER_WAY")
      assert.match(refused.text, /The PSP says that this re(fund|turn) is confirmed/)
      yield* story.advance("10 minutes")
      assert.deepStrictEqual(yield* contradictions(story), [])
      yield* verifyGone(story, purpose)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not sent a second time by a person, who cannot know either", () =>
    Effect.gen(function* () {
      const { bank, money } = yield* silentReturn(purpose)
      const answer = yield* retry(money.id)
      assert.strictEqual(answer.status, purpose === "refund" ? 404 : 409)
      if (purpose === "deposit") assert.strictEqual(codeOf(answer), "RETURN_NOT_REFUSED")
      assert.strictEqual(bank.orders.length, 1)
    }).pipe(Effect.provide(world))
  )
})

describe("a decision about a return", () => {
  it.effect("is refused for what does not wait for a person, and for what is not there", () =>
    Effect.gen(function* () {
      const { current, story } = yield* begin("refund", ["takes"])
      yield* story.drain
      const { id, reference } = yield* current
      const early = yield* decide("refunds", id, "completed")
      assert.strictEqual(early.status, 409)
      assert.strictEqual(codeOf(early), "RETURN_NOT_IN_REVIEW")
      // By the name that its receipt has.
      assert.strictEqual(codeOf(yield* decide("refunds", reference, "failed")), codeOf(early))
      assert.strictEqual((yield* decide("returns", id, "completed")).status, 404)
      for (const unknown of [random.uuid, "x", `${id}0`]) {
        assert.strictEqual((yield* decide("refunds", unknown, "completed")).status, 404)
        assert.strictEqual((yield* retry(unknown)).status, 404)
        assert.strictEqual((yield* operate("GET", `/returns/${unknown}`)).status, 404)
      }
      const path = `/refunds/${id}/resolve` as const
      for (const body of [{}, { outcome: "lost", reason: "x" }, { outcome: "failed", reason: "" }])
        assert.strictEqual((yield* operate("POST", path, body)).status, 400)
    }).pipe(Effect.provide(world))
  )
})

describe("an Idempotency-Key of a decision", () => {
  const headers = { "idempotency-key": "operator-review-1" }
  const post = (path: string, body: object) =>
    Effect.flatMap(TestPagora, ({ operator }) => operator("POST", path, { headers, body }))

  it.effect("makes one decision of many, with the same bytes", () =>
    Effect.gen(function* () {
      const { bank, money, story } = yield* refusedDeposit("refuses")
      const path = `/returns/${money.id}/retry` as const
      const body = { reason: "Once." }
      const twins = yield* Effect.all(
        Array.from({ length: 8 }, () => post(path, body)),
        { concurrency: "unbounded" }
      )
      yield* anHour(story)
      const [first, ...others] = [...twins, yield* post(path, body)]
      assert.strictEqual(first?.status, 201)
      for (const { text } of others) assert.strictEqual(text, first?.text)
      assert.strictEqual((yield* post(path, { reason: "Twice." })).status, 422)
      assert.strictEqual(bank.orders.length, 4)
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["deposit", "refund"] as const)("keeps how a %s return was resolved", (purpose) =>
    Effect.gen(function* () {
      const { money, story } = yield* silentReturn(purpose)
      const path = `/${purpose === "refund" ? "refunds" : "returns"}/${money.id}/resolve` as const
      const body = { outcome: "completed", reason: "Seen." }
      const first = yield* post(path, body)
      assert.strictEqual(first.status, 200, first.text)
      assert.strictEqual((yield* post(path, body)).text, first.text)
      yield* verifyGone(story, purpose)
    }).pipe(Effect.provide(world))
  )
})
