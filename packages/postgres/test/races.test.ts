import { assert, describe, it } from "@effect/vitest"
import type { Answer, Journey, TenantOptions } from "@pagora/testkit"
import { expecting } from "@pagora/testkit"
import { Clock, Effect, Exit, References } from "effect"
import { aDatabase } from "./FreshDatabase.test-data.ts"
import { processAt, inBoth } from "./Processes.test-data.ts"

// The whole service in two processes over one PostgreSQL. `npm run races` repeats each race 20 times; the opposing
// splits go on for three seconds each time, which makes a minute of them.
const repeats = Number(process.env["PAGORA_RACE_REPEATS"] ?? 1)
const splitSeconds = Number(process.env["PAGORA_RACE_SECONDS"] ?? 3)

/** The stories of some shops, each told in two processes at once. */
const storiesOf = Effect.fnUntraced(function* (count: number, options?: TenantOptions) {
  const { url } = yield* aDatabase
  const [here, there] = [yield* processAt(url), yield* processAt(url)]
  return yield* Effect.replicateEffect(inBoth(here, there, options), count)
})

/** The story of one shop, told in two processes at once. */
const story = (options?: TenantOptions) =>
  Effect.map(storiesOf(1, options), ([only]) => only as Stories)

type Stories = readonly [Journey, Journey]

/** So many calls at once, every other one in the other process. */
const atOnce = (
  stories: Stories,
  count: number,
  call: (story: Journey, index: number) => Effect.Effect<Answer<unknown>>
) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => call(index % 2 === 0 ? stories[0] : stories[1], index),
    { concurrency: "unbounded" }
  )

const statuses = (answers: ReadonlyArray<Answer<unknown>>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { json, status } of answers) {
    const name = status === 201 ? "201" : `${status} ${String(json.details?.code)}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const withdrawal = { amount: 1, pixKey: "ana@example.com", pixKeyType: "email" }

const paid = Effect.fnUntraced(function* ({ charge, pay }: Journey, body: Record<string, unknown>) {
  const made = yield* charge(body)
  yield* pay(made)
  return made
})

const race = (name: string, run: Effect.Effect<void, unknown, never>) =>
  it.live(
    name,
    () =>
      Effect.forEach(Array.from({ length: repeats }), () => run, { discard: true }).pipe(
        Effect.provideService(References.MinimumLogLevel, "Error")
      ),
    { timeout: 60_000 + repeats * 60_000 + splitSeconds * 2_000 }
  )

describe("races on PostgreSQL, in two processes", () => {
  race(
    "of 500 withdrawals of R$ 1 on R$ 100 exactly 100 succeed",
    Effect.gen(function* () {
      const stories = yield* story()
      yield* Effect.flatMap(stories[0].adjust({ amount: 100, reason: "a start" }), expecting(201))
      const answers = yield* atOnce(stories, 500, ({ shop }) =>
        shop.call("POST", "/withdrawals", { body: withdrawal })
      )
      assert.deepStrictEqual(statuses(answers), { "201": 100, "400 INSUFFICIENT_BALANCE": 400 })
      const { available, held } = yield* stories[1].figures
      assert.deepStrictEqual([available, held], [0, 10_000])
      yield* stories[0].audit
    }).pipe(Effect.scoped)
  )

  race(
    "of 100 identical requests with one Idempotency-Key one counts, and all get its bytes",
    Effect.gen(function* () {
      const stories = yield* story()
      yield* Effect.flatMap(stories[0].adjust({ amount: 100, reason: "a start" }), expecting(201))
      for (const [path, body] of [
        ["/withdrawals", withdrawal],
        ["/pix", { amount: 10 }]
      ] as const) {
        const headers = { "idempotency-key": "race-0001" }
        const answers = yield* atOnce(stories, 100, ({ shop }) =>
          shop.call("POST", path, { body, headers })
        )
        assert.deepStrictEqual(statuses(answers), { "201": 100 })
        assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      }
      assert.strictEqual((yield* stories[0].figures).held, 100)
      yield* stories[0].audit
    }).pipe(Effect.scoped)
  )

  race(
    "twins of a refund, and of a cancelling, all get the first answer",
    Effect.gen(function* () {
      const stories = yield* story()
      yield* paid(stories[0], { amount: 1_000 })
      const charges = yield* Effect.replicateEffect(paid(stories[0], { amount: 10 }), 10)
      for (const [index, charge] of charges.entries()) {
        const headers = { "idempotency-key": `refund-${index}` }
        const path = `/transactions/${charge.id}/refund`
        const answers = yield* atOnce(stories, 8, ({ shop }) =>
          shop.call("POST", path, { headers })
        )
        assert.deepStrictEqual(statuses(answers), { "201": 8 })
        assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      }
      const open = yield* Effect.replicateEffect(stories[0].charge(), 10)
      for (const [index, charge] of open.entries()) {
        const headers = { "idempotency-key": `cancel-${index}` }
        const path = `/pix/${charge.id}/cancel`
        const answers = yield* atOnce(stories, 8, ({ shop }) =>
          shop.call("POST", path, { headers })
        )
        assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
        assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      }
      yield* stories[0].audit
    }).pipe(Effect.scoped)
  )

  race(
    "an account that is closed while it opens a sub-account does one of the two",
    Effect.gen(function* () {
      for (const [one, other] of yield* storiesOf(20, { subAccountAccess: true })) {
        const open = (reference: string) =>
          one.shop.call("POST", "/sub-accounts", { body: { reference, name: "Loja" } })
        const [opened, closed] = yield* Effect.all(
          [open("loja-1"), Effect.exit(other.change({ status: "closed" }))],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(opened.status === 201, !Exit.isSuccess(closed), opened.text)
      }
    }).pipe(Effect.scoped)
  )

  race(
    "of 50 refunds of one charge one is made",
    Effect.gen(function* () {
      const stories = yield* story()
      const charge = yield* paid(stories[0], { amount: 10 })
      yield* paid(stories[0], { amount: 1_000 })
      const answers = yield* atOnce(stories, 50, ({ shop }) =>
        shop.call("POST", `/transactions/${charge.id}/refund`)
      )
      assert.deepStrictEqual(statuses(answers), { "201": 1, "409 ALREADY_REFUNDED": 49 })
      assert.strictEqual((yield* stories[0].figures).held, 1_000)
      yield* stories[0].audit
    }).pipe(Effect.scoped)
  )

  race(
    "of 50 parts of one charge no more are made than it has, and none of them is lost",
    Effect.gen(function* () {
      const stories = yield* story()
      const charge = yield* paid(stories[0], { amount: 10 })
      yield* paid(stories[0], { amount: 1_000 })
      const path = `/transactions/${charge.id}/refund`
      const answers = yield* atOnce(stories, 50, ({ shop }) =>
        shop.call("POST", path, { body: { amount: 0.7 } })
      )
      assert.deepStrictEqual(statuses(answers), { "201": 14, "400 AMOUNT_NOT_REFUNDABLE": 36 })
      assert.strictEqual((yield* stories[1].figures).held, 980)
      const rest = yield* atOnce(stories, 10, ({ shop }) => shop.call("POST", path))
      assert.deepStrictEqual(statuses(rest), { "201": 1, "409 ALREADY_REFUNDED": 9 })
      assert.strictEqual((yield* stories[1].figures).held, 1_000)
      yield* stories[0].audit
    }).pipe(Effect.scoped)
  )

  race(
    "parts of one charge that end in two processes are counted one by one",
    Effect.gen(function* () {
      const stories = yield* story()
      const charge = yield* paid(stories[0], { amount: 10 })
      const parts = yield* Effect.replicateEffect(stories[0].refund(charge, { amount: 1 }), 10)
      yield* Effect.forEach(
        parts,
        (part, index) =>
          (index % 2 === 0 ? stories[0] : stories[1]).settleRefund(
            part,
            index < 5 ? "confirmed" : "error"
          ),
        { concurrency: "unbounded" }
      )
      const { refundableAmount, refundedAmount } = yield* stories[1].transaction(charge.id)
      assert.deepStrictEqual([refundedAmount, refundableAmount], [5, 5])
      assert.strictEqual((yield* stories[0].figures).total, 500)
      yield* stories[0].audit
    }).pipe(Effect.scoped)
  )

  race(
    "a payment and the end of its charge at one instant have one outcome",
    Effect.gen(function* () {
      const [one, other] = yield* story()
      const charges = yield* Effect.replicateEffect(one.charge(), 20)
      yield* Effect.forEach(
        charges,
        (charge) =>
          Effect.all([one.pay(charge), other.expire(charge)], { concurrency: "unbounded" }),
        { concurrency: "unbounded" }
      )
      yield* Effect.all([one.drain, other.drain], { concurrency: "unbounded" })
      const ends = yield* Effect.forEach(charges, ({ id }) => other.transaction(id))
      const completed = ends.filter(({ status }) => status === "completed")
      const cancelled = ends.filter(({ status }) => status === "cancelled")
      assert.strictEqual(completed.length + cancelled.length, charges.length)
      assert.strictEqual((yield* one.figures).available, completed.length * 1_000)
      yield* one.audit
    }).pipe(Effect.scoped)
  )

  race(
    "splits that go both ways at once reach no caller with a deadlock",
    Effect.gen(function* () {
      const stories = yield* story({ subAccountAccess: true })
      for (const reference of ["left", "right"]) {
        const made = yield* stories[0].shop.call("POST", "/sub-accounts", {
          body: { reference, name: reference }
        })
        assert.strictEqual(made.status, 201)
      }
      const end = (yield* Clock.currentTimeMillis) + splitSeconds * 1_000
      const opposing = Effect.fnUntraced(function* (
        { pay, shop }: Journey,
        from: string,
        to: string
      ) {
        const answer = yield* shop.call("POST", "/pix", {
          body: { amount: 10, split: [{ subAccount: to, amount: 4 }] },
          headers: { "x-sub-account": from }
        })
        assert.strictEqual(answer.status, 201, answer.text)
        yield* pay(answer.json)
      })
      let count = 0
      const player = Effect.fnUntraced(function* (index: number) {
        const [from, to] = index % 4 < 2 ? ["left", "right"] : ["right", "left"]
        while ((yield* Clock.currentTimeMillis) < end) {
          yield* opposing(stories[index % 2] as Journey, from as string, to as string)
          count++
        }
      })
      yield* Effect.forEach(
        Array.from({ length: 16 }, (_, index) => index),
        player,
        {
          concurrency: "unbounded"
        }
      )
      const availableOf = (reference: string) =>
        Effect.map(
          stories[1].shop.call("GET", "/account", { headers: { "x-sub-account": reference } }),
          ({ json }) => json.balance.available.amount
        )
      assert.strictEqual(
        (yield* availableOf("left")) + (yield* availableOf("right")),
        count * 1_000
      )
      yield* stories[0].audit
    }).pipe(Effect.scoped)
  )
})
