import { assert, describe, it } from "@effect/vitest"
import type { Answer, Journey, WithId } from "@pagora/testkit"
import { expecting, journey, TestPagora } from "@pagora/testkit"
import { DateTime, Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { idempotentForOperator } from "../../src/admission/Idempotent.ts"
import { RequestBody } from "../../src/http/StrictBody.ts"
import { IdempotencyKeys } from "../../src/idempotency/IdempotencyKeys.ts"
import { block, listed, paid } from "../blocks/BalanceBlocks.test-data.ts"
import { openReturns, paidShop, reportedShop } from "../psp-reports/Infractions.test-data.ts"
import { begin } from "../returns/ReturnStories.test-data.ts"
import { rowsOf } from "../reviews/Reviews.test-data.ts"
import { codeOf, pspThat, world, Written } from "../world/ServiceWorld.test-data.ts"
import { opened } from "../sub-accounts/SubAccounts.test-data.ts"
import { shop as funded } from "../withdrawals/WithdrawalStories.test-data.ts"

const key = "operator-key-0001"
const at = DateTime.makeUnsafe(0)

const post = <const Path extends string>(
  path: Path,
  body: unknown,
  idempotencyKey: string | undefined = key
) =>
  Effect.flatMap(TestPagora, ({ operator }) =>
    operator("POST", path, {
      headers: idempotencyKey === "" ? {} : { "idempotency-key": idempotencyKey },
      ...(body === undefined ? {} : { body })
    })
  )

/** A POST of the operator's in a world where it can be done. */
interface Ask {
  readonly story: Journey
  readonly path: string
  readonly body: unknown
  readonly other: unknown
}

const inAccount = (path: string, body: unknown, other: unknown) =>
  Effect.map(journey(), (story): Ask => ({
    story,
    path: `/accounts/${story.shop.id}${path}`,
    body,
    other
  }))

const aBlock = (path: string, body: unknown, other: unknown) =>
  Effect.gen(function* () {
    const story = yield* journey()
    const { id } = yield* block(story, yield* paid(story))
    return { story, path: `/balance-blocks/${id}${path}`, body, other }
  })

const anEndpoint = (path: (story: Journey, endpoint: WithId) => string, body: unknown) =>
  Effect.gen(function* () {
    const story = yield* journey()
    const endpoint = yield* story.endpoint()
    return { story, path: path(story, endpoint), body, other: { graceSeconds: 3, since: "2026" } }
  })

const inReview = Effect.gen(function* () {
  const story = yield* funded
  const lost = Effect.succeed({ _tag: "Unknown", detail: "down" } as const)
  yield* pspThat({ sendPayout: () => lost, findPayout: () => lost })
  const { id } = yield* story.withdraw()
  yield* story.drain
  for (let hour = 0; hour < 25; hour++) yield* story.advance("1 hour")
  return {
    story,
    path: `/withdrawals/${id}/resolve`,
    body: { outcome: "failed", reason: "The bank said so." },
    other: { outcome: "completed", reason: "The bank said so." }
  }
})

const anInfraction = Effect.gen(function* () {
  const { story } = yield* reportedShop
  const [found] = yield* listed(story)
  const body = { answer: "disagree", text: "The customer received the goods." }
  return {
    story,
    path: `/balance-blocks/${found?.id}/answer`,
    body,
    other: { ...body, answer: "agree" }
  }
})

const aReturnOfThePsp = Effect.gen(function* () {
  const { endToEndId, sandbox, story } = yield* paidShop
  yield* sandbox.returnPayment(endToEndId)
  yield* story.drain
  const [found] = yield* openReturns(story)
  const body = { outcome: "charged", reason: "It is theirs." }
  return {
    story,
    path: `/psp-returns/${found?.id}/resolve`,
    body,
    other: { ...body, outcome: "absorbed" }
  }
})

const aDiscrepancy = Effect.gen(function* () {
  const { story } = yield* reportedShop
  const [found] = yield* rowsOf("/discrepancies")
  const path = `/discrepancies/${String(found?.id)}/resolve`
  return { story, path, body: { reason: "Looked at it." }, other: { reason: "Something else." } }
})

const undecided = (purpose: "deposit" | "refund", call: string, bank: "refuses" | "silent") =>
  Effect.gen(function* () {
    const manner = bank === "refuses" ? bank : "loses the request"
    const told = yield* begin(purpose, [manner, manner, manner])
    told.bank.silence(bank === "silent")
    for (let hour = 0; hour < 25; hour++) yield* told.story.advance("1 hour")
    const { id } = yield* told.current
    const decision = call === "retry" ? {} : { outcome: "failed" }
    return {
      story: told.story,
      path: `/${purpose === "refund" ? "refunds" : "returns"}/${id}/${call}`,
      body: { ...decision, reason: "The bank said so." },
      other: { ...decision, reason: "Something else." }
    }
  })

const aDelivery = Effect.gen(function* () {
  const story = yield* journey()
  yield* story.endpoint()
  yield* paid(story)
  yield* story.drain
  const [delivery] = yield* story.deliveries
  const path = `/deliveries/${String(delivery?.id)}/resend` as const
  return { story, path, body: undefined, other: { again: true } }
})

const aPayment = Effect.gen(function* () {
  const story = yield* journey()
  const charge = yield* paid(story)
  const body = { transactionId: charge.id, blockType: "med", amount: 3 }
  const path = `/accounts/${story.shop.id}/balance-blocks` as const
  return { story, path, body, other: { ...body, amount: 4 } }
})

const asks = {
  accounts: Effect.map(journey(), (story): Ask => ({
    story,
    path: "/accounts",
    body: { name: "Loja", fees: { payment: { percent: 1.5 } } },
    other: { name: "Outra" }
  })),
  credentials: inAccount(
    "/credentials",
    { permissions: ["PIX:WRITE"] },
    { permissions: ["FULL_ACCESS"] }
  ),
  adjustments: inAccount("/adjustments", { amount: 5, reason: "x" }, { amount: 6, reason: "x" }),
  commissions: inAccount("/referral-commissions", { amount: 1.5 }, { amount: 15 }),
  blocks: aPayment,
  defence: aBlock("/defend", undefined, { x: 1 }),
  approval: aBlock("/resolve", { outcome: "approved" }, { outcome: "rejected" }),
  rejection: aBlock("/resolve", { outcome: "rejected" }, { outcome: "approved" }),
  answer: anInfraction,
  withdrawals: inReview,
  retry: undecided("deposit", "retry", "refuses"),
  deposits: undecided("deposit", "resolve", "silent"),
  refunds: undecided("refund", "resolve", "silent"),
  pspReturns: aReturnOfThePsp,
  discrepancies: aDiscrepancy,
  endpoints: inAccount(
    "/webhook-endpoints",
    { url: "https://example.com/hook" },
    { url: "https://example.com/other" }
  ),
  rotation: anEndpoint(
    ({ shop }, { id }) => `/accounts/${shop.id}/webhook-endpoints/${id}/rotate-secret`,
    {}
  ),
  test: anEndpoint(
    ({ shop }, { id }) => `/accounts/${shop.id}/webhook-endpoints/${id}/test`,
    undefined
  ),
  recovery: anEndpoint((_, { id }) => `/webhook-endpoints/${id}/recover`, {
    since: "2026-11-21"
  }),
  resend: aDelivery
}
const names = Object.keys(asks) as ReadonlyArray<keyof typeof asks>
const askOf = (name: keyof typeof asks) =>
  asks[name] as Effect.Effect<Ask, never, Effect.Services<(typeof asks)[typeof name]>>

const replayed = (answer: Answer<unknown>) => answer.headers.get("idempotent-replayed")

const assertReplayOf = (again: Answer<unknown>, first: Answer<unknown>) => {
  assert.strictEqual(again.text, first.text)
  assert.strictEqual(again.status, first.status)
  assert.strictEqual(replayed(again), "true")
}

const successes: ReadonlyArray<number> = [200, 201]

describe("an Idempotency-Key of the operator's", () => {
  it.effect.each(names)("%s: does it once, and answers the same bytes again", (name) =>
    Effect.gen(function* () {
      const { body, other, path, story } = yield* askOf(name)
      const first = yield* post(path, body)
      assert.include(successes, first.status, first.text)
      assert.isNull(replayed(first))
      const { units } = yield* Written
      const before = units.length
      assertReplayOf(yield* post(path, body), first)
      const refused = yield* post(path, other)
      assert.strictEqual(refused.status, 422, refused.text)
      assert.strictEqual(codeOf(refused), "IDEMPOTENCY_KEY_REUSED")
      assert.strictEqual(units.length, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each(names)(
    "%s: of twins at the same time one does it, and all hear the same",
    (name) =>
      Effect.gen(function* () {
        const { body, path, story } = yield* askOf(name)
        const answers = yield* Effect.all(
          Array.from({ length: 5 }, () => post(path, body)),
          { concurrency: "unbounded" }
        )
        const texts = new Set(answers.map(({ text }) => text))
        assert.strictEqual(texts.size, 1, [...texts].join("\n"))
        assert.include(successes, answers[0]?.status)
        assert.strictEqual(answers.filter((answer) => replayed(answer) === null).length, 1)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect.each(["Answered", "Fresh"] as const)(
    "that was fresh, and then the work was refused: the key is looked at once more (%s)",
    (next) =>
      Effect.gen(function* () {
        const fresh = {
          _tag: "Fresh",
          key: { scope: { wallet: "" as never, route: "", key }, fingerprint: "", expiresAt: at }
        } as const
        let looks = 0
        const keys = IdempotencyKeys.of({
          working: (_, work) => work,
          ended: () => undefined,
          begin: () => Effect.succeed(Effect.undefined),
          look: () =>
            Effect.sync(() =>
              looks++ === 0 || next === "Fresh" ? fresh : { _tag: next, snapshot: "the twin's" }
            )
        })
        const work = { run: () => Effect.fail("not open" as const), read: (text: string) => text }
        const answer = yield* Effect.result(idempotentForOperator(keys, work))
        if (next === "Fresh") assert.deepStrictEqual(answer, Result.fail("not open"))
        else assert.deepStrictEqual(answer, Result.succeed({ value: "the twin's", isReplay: true }))
      }).pipe(
        Effect.provideService(RequestBody, { json: undefined }),
        Effect.provideService(
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(
            new Request("http://pagora.test/x", { headers: { "idempotency-key": key } })
          )
        ),
        Effect.provide(world)
      )
  )

  it.effect("moves money once, however often and at how many places at once it is asked", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(10)
      const path = `/accounts/${story.shop.id}/adjustments` as const
      const ask = post(path, { amount: -10, reason: "all of it" })
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => ask),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      assert.strictEqual((yield* story.figures).total, 0)
      // Funds that came since are not touched by a repeat.
      yield* story.fund(10)
      assertReplayOf(yield* ask, answers[0] as Answer<unknown>)
      assert.strictEqual((yield* story.figures).total, 1_000)
      const other = yield* post(path, { amount: -10, reason: "all of it" }, "another-key-0001")
      assert.strictEqual(other.status, 201)
      assert.notStrictEqual(other.text, answers[0]?.text)
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is not used up by what was refused", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const path = `/accounts/${story.shop.id}/adjustments` as const
      const take = post(path, { amount: -10, reason: "x" })
      assert.strictEqual(codeOf(yield* take), "INSUFFICIENT_BALANCE")
      assert.strictEqual(codeOf(yield* post(path, { amount: 0 })), "VALIDATION_ERROR")
      yield* story.fund(10)
      assert.strictEqual((yield* take).status, 201)
      assert.strictEqual((yield* story.figures).total, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("counts for one path, apart from every account's keys, and for 24 hours", () =>
    Effect.gen(function* () {
      const [story, other] = [yield* journey(), yield* journey()]
      const body = { amount: 1 }
      const pathOf = ({ shop }: Journey) => `/accounts/${shop.id}/referral-commissions`
      const first = yield* post(pathOf(story), body)
      const elsewhere = yield* post(pathOf(other), { amount: 2 })
      assert.strictEqual(elsewhere.status, 201)
      // A tenant's request under the same key is its own, and its lookup by key does not find the operator's.
      const lookup = yield* story.shop.call("GET", `/transactions/${key}`)
      assert.strictEqual(lookup.status, 404)
      const headers = { "idempotency-key": key }
      const charge = yield* story.shop.call("POST", "/pix", { headers, body: { amount: 7 } })
      assert.strictEqual(charge.status, 201)
      yield* story.advance("86399 seconds")
      assertReplayOf(yield* post(pathOf(story), body), first)
      yield* story.advance("1 second")
      const later = yield* post(pathOf(story), body)
      assert.isNull(replayed(later))
      assert.strictEqual((yield* story.figures).total, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["short", "x".repeat(256)])("%s is refused", (bad) =>
    Effect.gen(function* () {
      const answer = yield* post("/accounts", { name: "Loja" }, bad)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "IDEMPOTENCY_KEY_INVALID")
      assert.strictEqual((yield* Written).units.length, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not needed: without one everything is done each time", () =>
    Effect.gen(function* () {
      const one = yield* post("/accounts", { name: "Loja" }, "")
      const other = yield* post("/accounts", { name: "Loja" }, "")
      assert.notStrictEqual(one.json.id, other.json.id)
    }).pipe(Effect.provide(world))
  )
})

describe("a secret that was issued with an Idempotency-Key", () => {
  const storedText = Effect.map(Written, ({ units }) =>
    JSON.stringify(units, (_, value) => (typeof value === "bigint" ? String(value) : value))
  )

  it.effect(
    "of a credential opens the API when it is told again, and is never stored readable",
    () =>
      Effect.gen(function* () {
        const { api } = yield* TestPagora
        const { shop } = yield* journey()
        const path = `/accounts/${shop.id}/credentials` as const
        const body = { permissions: ["ACCOUNT:READ"] }
        yield* post(path, body)
        const again = yield* Effect.flatMap(post(path, body), expecting(201))
        const { clientId, clientSecret } = again
        const pair = { client_id: clientId, client_secret: clientSecret }
        assert.strictEqual((yield* api("POST", "/auth", { body: pair })).status, 200)
        assert.notInclude(yield* storedText, clientSecret)
        const { operator } = yield* TestPagora
        const { data } = (yield* operator("GET", path)).json
        // That of the journey, and one for the two requests.
        assert.strictEqual(data.length, 2)
        assert.notInclude(JSON.stringify(data), clientSecret)
        // A revocation holds, though the bytes are told again.
        yield* operator("DELETE", `${path}/${clientId}`)
        assert.strictEqual((yield* post(path, body)).text, JSON.stringify(again))
        assert.strictEqual((yield* api("POST", "/auth", { body: pair })).status, 401)
      }).pipe(Effect.provide(world))
  )

  it.effect("of an endpoint is told as it was, though it has another one since", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const path = `/accounts/${shop.id}/webhook-endpoints` as const
      const body = { url: "https://example.com/hook" }
      const first = yield* post(path, body)
      const rotate = `${path}/${first.json.id}/rotate-secret` as const
      const rotated = yield* post(rotate, {})
      assert.notStrictEqual(rotated.json.secret, first.json.secret)
      assertReplayOf(yield* post(path, body), first)
      assertReplayOf(yield* post(rotate, {}), rotated)
      const stored = yield* storedText
      for (const { json } of [first, rotated]) assert.notInclude(stored, json.secret)
    }).pipe(Effect.provide(world))
  )
})

describe("what a repeat must not do again", () => {
  it.effect("an approved block goes back to the payer once, and is told once", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const { id } = yield* block(story, yield* paid(story))
      const path = `/balance-blocks/${id}/resolve` as const
      for (let time = 0; time < 3; time++) yield* post(path, { outcome: "approved" })
      yield* story.drain
      const told = (yield* story.events()).map(({ event }) => event)
      assert.strictEqual(told.filter((event) => event === "balance_block_approved").length, 1)
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("a test event is sent once, and a commission of a sub-account is paid once", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* opened(story, "loja-1")
      const endpoint = yield* story.endpoint()
      const path = `/accounts/${story.shop.id}` as const
      const test = `${path}/webhook-endpoints/${endpoint.id}/test`
      const commission = { amount: 2, subAccount: "loja-1" }
      for (let time = 0; time < 3; time++) {
        yield* post(test, undefined)
        yield* post(`${path}/referral-commissions`, commission)
      }
      yield* story.drain
      assert.strictEqual((yield* story.received()).length, 1)
      const headers = { "x-sub-account": "loja-1" }
      const { balance } = (yield* story.shop.call("GET", "/account", { headers })).json
      assert.strictEqual(balance?.total?.amount, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
