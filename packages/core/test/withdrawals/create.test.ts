import { assert, describe, it } from "@effect/vitest"
import type { Answer, Journey } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import type { Account } from "../../src/accounts/Account.ts"
import { Centavos, Percent } from "../../src/kernel/Money.ts"
import * as Facts from "../../src/units/Facts.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { codeOf, pspThat, random, world } from "../world/ServiceWorld.test-data.ts"

const email = { pixKey: "ana@example.com", pixKeyType: "email" } as const

const ask = (
  { shop }: Journey,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {}
) => shop.call("POST", "/withdrawals", { body: { ...email, ...body }, headers })

const refused = (answer: Answer<unknown>, status: number, code: string) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(codeOf(answer), code, answer.text)
}

/** The fields that a validation refusal names. */
const fieldsOf = (answer: Answer<unknown>): ReadonlyArray<string> =>
  ((answer.json.details?.issues ?? []) as unknown as ReadonlyArray<{ field: string }>).map(
    ({ field }) => field
  )

describe("POST /withdrawals", () => {
  it.effect("answers 201 with every field of the specification, before the PSP is asked", () =>
    Effect.gen(function* () {
      const story = yield* journey({ fees: { withdrawal: { fixed: Centavos.make(50n) } } })
      yield* story.fund(100)
      yield* pspThat({ sendPayout: () => Effect.die(new Error("not here")) })
      const answer = yield* ask(story, {
        pixKey: "Ana@Example.com",
        holderName: "Ana Souza",
        holderDocument: "123.456.789-09",
        holderDocumentType: "cpf",
        amount: 10,
        externalReference: "saque-1",
        unheardOf: true
      })
      assert.strictEqual(answer.status, 201)
      const { id, ...fields } = answer.json
      assert.match(id, /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(fields as unknown, {
        amount: 10,
        feeAmount: 0.5,
        netAmount: 9.5,
        status: "pending",
        snapshotHolderName: "Ana Souza",
        snapshotHolderDocument: "12345678909",
        snapshotPixKey: "ana@example.com",
        snapshotPixKeyType: "email",
        createdAt: "2026-11-21T12:00:00.000Z",
        failureReason: null,
        pspReference: null,
        externalReference: "saque-1"
      })
      assert.deepStrictEqual(yield* story.figures, {
        available: 9_000,
        promotional: 0,
        held: 1_000,
        total: 10_000
      })
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("takes the net amount instead, and finds the gross", () =>
    Effect.gen(function* () {
      const percent = Percent.make(15_000)
      const story = yield* journey({ fees: { withdrawal: { fixed: Centavos.make(50n), percent } } })
      yield* story.fund(200)
      const { json } = yield* ask(story, { netAmount: 98 })
      assert.deepStrictEqual([json.amount, json.feeAmount, json.netAmount] as unknown, [100, 2, 98])
      assert.strictEqual((yield* story.figures).held, 10_000)
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["cpf", "529.982.247-25", "52998224725"],
    ["cnpj", "11.222.333/0001-81", "11222333000181"],
    ["email", "ANA@example.com", "ana@example.com"],
    ["phone", "(11) 98765-4321", "+5511987654321"],
    ["random", "123E4567-E89B-12D3-A456-426614174000", "123e4567-e89b-12d3-a456-426614174000"]
  ] as const)("takes a key of type %s in the form of people", ([pixKeyType, pixKey, stored]) =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(10)
      const { json } = yield* ask(story, { amount: 1, pixKey, pixKeyType })
      assert.strictEqual(json.snapshotPixKey, stored)
      assert.strictEqual(json.snapshotPixKeyType, pixKeyType)
    }).pipe(Effect.provide(world))
  )

  it.effect("the answer has no field for what was not sent", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(10)
      const { json } = yield* ask(story, { amount: 1 })
      for (const field of [
        "snapshotHolderName",
        "snapshotHolderDocument",
        "projectId",
        "processedAt",
        "externalReference"
      ]) {
        assert.isFalse(Object.hasOwn(json, field), field)
      }
    }).pipe(Effect.provide(world))
  )
})

describe("POST /withdrawals refuses", () => {
  const bodies: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>, string]> = [
    ["no amount", {}, "amount"],
    ["two amounts", { amount: 1, netAmount: 1 }, "amount"],
    ["an amount of zero", { amount: 0 }, "amount"],
    ["a negative amount", { amount: -1 }, "amount"],
    ["three decimals", { amount: 1.005 }, "amount"],
    ["an amount that is text", { amount: "1" }, "amount"],
    ["an amount that is null", { amount: null }, "amount"],
    ["a net amount of zero", { netAmount: 0 }, "netAmount"],
    ["no key", { amount: 1, pixKey: undefined }, "pixKey"],
    ["an empty key", { amount: 1, pixKey: "" }, "pixKey"],
    ["no type", { amount: 1, pixKeyType: undefined }, "pixKeyType"],
    ["an unknown type", { amount: 1, pixKeyType: "iban" }, "pixKeyType"],
    ["a holder's document that is none", { amount: 1, holderDocument: "1" }, "holderDocument"],
    [
      "a document of another type",
      { amount: 1, holderDocument: "12345678909", holderDocumentType: "cnpj" },
      "holderDocumentType"
    ],
    ["a type without a document", { amount: 1, holderDocumentType: "cpf" }, "holderDocumentType"],
    ["a project that is no id", { amount: 1, projectId: "x" }, "projectId"],
    [
      "a reference that is too long",
      { amount: 1, externalReference: "x".repeat(256) },
      "externalReference"
    ]
  ]
  it.effect.each(bodies)("%s, naming the field", ([_, body, field]) =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const answer = yield* ask(story, body)
      refused(answer, 400, "VALIDATION_ERROR")
      assert.include(fieldsOf(answer), field)
      assert.strictEqual((yield* story.figures).held, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("a key that is none of its type", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const answer = yield* ask(story, { amount: 1, pixKeyType: "cpf", pixKey: "11111111111" })
      refused(answer, 400, "INVALID_PIX_KEY")
      assert.notInclude(answer.text, "11111111111")
    }).pipe(Effect.provide(world))
  )

  it.effect("a project that there is not", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const answer = yield* ask(story, { amount: 1, projectId: random.uuid })
      refused(answer, 404, "PROJECT_NOT_FOUND")
      assert.strictEqual(answer.json.details?.["id"], random.uuid)
    }).pipe(Effect.provide(world))
  )

  it.effect("more than is available, and takes all of it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(10)
      refused(yield* ask(story, { amount: 10.01 }), 400, "INSUFFICIENT_BALANCE")
      assert.strictEqual((yield* ask(story, { amount: 10 })).status, 201)
      refused(yield* ask(story, { amount: 0.01 }), 400, "INSUFFICIENT_BALANCE")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("an amount that the fee eats up", () =>
    Effect.gen(function* () {
      const story = yield* journey({ fees: { withdrawal: { fixed: Centavos.make(50n) } } })
      yield* story.fund(100)
      const answer = yield* ask(story, { amount: 0.5 })
      refused(answer, 400, "AMOUNT_BELOW_FEE")
      assert.strictEqual(Number(answer.json.details?.["feeAmount"]), 0.5)
      assert.strictEqual((yield* ask(story, { amount: 0.51 })).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("a net amount that no gross leaves", () =>
    Effect.gen(function* () {
      const percent = Percent.make(1_000_000)
      const story = yield* journey({ fees: { withdrawal: { percent } } })
      yield* story.fund(100)
      refused(yield* ask(story, { netAmount: 1 }), 400, "NET_AMOUNT_UNREACHABLE")
    }).pipe(Effect.provide(world))
  )

  it.effect("an account that is not approved", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      yield* story.change({ status: "suspended" })
      refused(yield* ask(story, { amount: 1 }), 403, "ACCOUNT_NOT_ACTIVE")
    }).pipe(Effect.provide(world))
  )

  it.effect("a credential without the permission", () =>
    Effect.gen(function* () {
      const story = yield* journey({ permissions: ["PIX:WRITE", "TRANSACTION:READ"] })
      refused(yield* ask(story, { amount: 1 }), 403, "PERMISSION_DENIED")
      const other = yield* journey({ permissions: ["WITHDRAWAL:WRITE"] })
      yield* other.fund(1)
      const made = yield* ask(other, { amount: 1 })
      assert.strictEqual(made.status, 201)
      const path = `/withdrawals/${made.json.id}` as const
      refused(yield* other.shop.call("GET", path), 403, "PERMISSION_DENIED")
    }).pipe(Effect.provide(world))
  )
})

describe("the limits of withdrawals", () => {
  const limited = (withdrawal: NonNullable<Account["limits"]["withdrawal"]>) =>
    journey({ limits: { withdrawal } })
  const limitOf = (answer: Answer<unknown>) => {
    refused(answer, 400, "LIMIT_EXCEEDED")
    const { limit, resetsAt, value } = answer.json.details ?? {}
    return [String(limit), Number(value), resetsAt === undefined ? "" : String(resetsAt)]
  }

  it.effect("bound one withdrawal, by its gross", () =>
    Effect.gen(function* () {
      const story = yield* limited({ min: Centavos.make(200n), max: Centavos.make(1_000n) })
      yield* story.fund(100)
      assert.deepStrictEqual(limitOf(yield* ask(story, { amount: 1.99 })), ["min", 2, ""])
      assert.deepStrictEqual(limitOf(yield* ask(story, { amount: 10.01 })), ["max", 10, ""])
      assert.strictEqual((yield* ask(story, { amount: 2 })).status, 201)
      assert.strictEqual((yield* ask(story, { amount: 10 })).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("bound the sum of a day in São Paulo", () =>
    Effect.gen(function* () {
      const story = yield* limited({ daily: Centavos.make(2_000n) })
      yield* story.fund(100)
      yield* ask(story, { amount: 15 })
      const midnight = "2026-11-22T03:00:00.000Z"
      assert.deepStrictEqual(limitOf(yield* ask(story, { amount: 5.01 })), ["daily", 20, midnight])
      assert.strictEqual((yield* ask(story, { amount: 5 })).status, 201)
      yield* story.advance("14 hours")
      assert.strictEqual((yield* ask(story, { amount: 0.01 })).status, 400)
      yield* story.advance("1 hours")
      assert.strictEqual((yield* ask(story, { amount: 20 })).status, 201)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("bound the sum of a month", () =>
    Effect.gen(function* () {
      const story = yield* limited({ daily: Centavos.make(2_000n), monthly: Centavos.make(3_000n) })
      yield* story.fund(100)
      yield* ask(story, { amount: 20 })
      yield* story.advance("1 day")
      const end = "2026-12-01T03:00:00.000Z"
      assert.deepStrictEqual(limitOf(yield* ask(story, { amount: 10.01 })), ["monthly", 30, end])
      assert.strictEqual((yield* ask(story, { amount: 10 })).status, 201)
      yield* story.advance("9 days")
      assert.strictEqual((yield* ask(story, { amount: 20 })).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("hold when the counters of days that are over for a week have gone", () =>
    Effect.gen(function* () {
      const story = yield* limited({ daily: Centavos.make(2_000n), monthly: Centavos.make(3_000n) })
      yield* story.fund(100)
      const driver = yield* StorageDriver
      const names = ["daily/2026-11-21", "monthly/2026-11", "daily/2026-11-29"]
      const counters = names.map((name) => `withdrawal/${story.shop.id}/${name}`)
      const kept = Effect.map(driver.facts({ ...Facts.factKeys([]), counters }), (facts) => [
        ...facts.counters.values()
      ])
      yield* ask(story, { amount: 20 })
      yield* story.advance("6 days")
      // A clock that is off by days would look at it still.
      assert.deepStrictEqual(yield* kept, [2_000n, 2_000n])
      yield* story.advance("2 days")
      const end = "2026-12-01T03:00:00.000Z"
      assert.deepStrictEqual(limitOf(yield* ask(story, { amount: 10.01 })), ["monthly", 30, end])
      assert.strictEqual((yield* ask(story, { amount: 10 })).status, 201)
      // That of the first day has gone.
      assert.deepStrictEqual(yield* kept, [3_000n, 1_000n])
    }).pipe(Effect.provide(world))
  )

  it.effect("know what was withdrawn before they were set", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      yield* ask(story, { amount: 15 })
      yield* story.change({ limits: { withdrawal: { daily: 20 } } })
      assert.strictEqual(limitOf(yield* ask(story, { amount: 5.01 }))[0], "daily")
      assert.strictEqual((yield* ask(story, { amount: 5 })).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("forget what failed, and not what was refused or reversed", () =>
    Effect.gen(function* () {
      const story = yield* limited({ daily: Centavos.make(1_000n) })
      yield* story.fund(100)
      const first = yield* story.withdraw({ amount: 10 })
      assert.strictEqual(limitOf(yield* ask(story, { amount: 10 }))[0], "daily")
      yield* story.settleWithdrawal(first, "failed")
      const second = yield* story.withdraw({ amount: 10 })
      yield* story.settleWithdrawal(second, "reversed")
      assert.strictEqual(limitOf(yield* ask(story, { amount: 0.01 }))[0], "daily")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("do not count what was refused for want of balance", () =>
    Effect.gen(function* () {
      const story = yield* limited({ daily: Centavos.make(1_000n) })
      yield* story.fund(5)
      refused(yield* ask(story, { amount: 10 }), 400, "INSUFFICIENT_BALANCE")
      yield* story.fund(5)
      assert.strictEqual((yield* ask(story, { amount: 10 })).status, 201)
    }).pipe(Effect.provide(world))
  )
})

describe("withdrawals at once", () => {
  it.effect("200 of R$ 1.00 from R$ 50.00: exactly 50 are accepted", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(50)
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => index),
        (index) => ask(story, { amount: 1, externalReference: `saque-${index}` }),
        { concurrency: "unbounded" }
      )
      const accepted = answers.filter(({ status }) => status === 201)
      assert.strictEqual(accepted.length, 50)
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        refused(answer, 400, "INSUFFICIENT_BALANCE")
      }
      assert.deepStrictEqual(yield* story.figures, {
        available: 0,
        promotional: 0,
        held: 5_000,
        total: 5_000
      })
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("promotional balance that pays the fee of one pays no other's", () =>
    Effect.gen(function* () {
      const story = yield* journey({ fees: { withdrawal: { fixed: Centavos.make(100n) } } })
      yield* story.fund(100)
      yield* story.adjust({ amount: 2.5, bucket: "promotional", reason: "gift" })
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => ask(story, { amount: 10 })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [201, 201, 201, 201, 201]
      )
      // Gross 50.00, of which 2.50 are promotional.
      assert.deepStrictEqual(yield* story.figures, {
        available: 5_250,
        promotional: 0,
        held: 5_000,
        total: 10_250
      })
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("a daily limit holds, whoever is first", () =>
    Effect.gen(function* () {
      const story = yield* journey({ limits: { withdrawal: { daily: Centavos.make(700n) } } })
      yield* story.fund(100)
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => ask(story, { amount: 1 })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 7)
      assert.strictEqual((yield* story.figures).held, 700)
    }).pipe(Effect.provide(world))
  )
})
