import { assert, describe, it } from "@effect/vitest"
import { journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { Ids } from "../../src/time/Ids.ts"
import { Storage } from "../../src/storage/Storage.ts"
import type { WalletId } from "../../src/kernel/Ids.ts"
import { codeOf, pspThat, world } from "../world/ServiceWorld.test-data.ts"
import { as, opened, subAccountBecomes } from "../sub-accounts/SubAccounts.test-data.ts"

/** A shop with sub-accounts and an endpoint, and charges of it that are split. */
const splitShop = Effect.fnUntraced(function* (...references: ReadonlyArray<string>) {
  const story = yield* journey({ subAccountAccess: true })
  yield* story.endpoint()
  for (const reference of references) yield* opened(story, reference)
  const splitCharge = (amount: number, ...legs: ReadonlyArray<readonly [string, number]>) =>
    story.charge({
      amount,
      split: legs.map(([subAccount, leg]) => ({ subAccount, amount: leg }))
    })
  /** What the event told of the split, and the movements that stand in the wallet, oldest first. */
  const outcome = Effect.gen(function* () {
    yield* story.drain
    const told = (yield* story.events()).at(-1)?.data
    const storage = yield* Storage
    const movements = yield* storage.movements({
      wallet: story.shop.id as WalletId,
      order: "asc",
      limit: 100
    })
    const legs = movements.filter(({ kind }) => kind === "internal_transfer")
    return {
      split: (told?.split ?? []).map(({ amount, subAccount }) => [subAccount, amount]),
      legs
    }
  })
  return { ...story, splitCharge, outcome }
})

describe("a split charge", () => {
  it.effect("is answered alike to the byte when it is asked for again under its key", () =>
    Effect.gen(function* () {
      const { shop } = yield* splitShop("loja-1")
      const split = [{ subAccount: "loja-1", amount: 1.1 }]
      const ask = shop.call("POST", "/pix", {
        body: { amount: 10, split },
        headers: { "idempotency-key": "split-0001" }
      })
      const [first, again] = [yield* ask, yield* ask]
      assert.strictEqual(first.status, 201)
      assert.deepStrictEqual(first.json.split, split)
      assert.strictEqual(again.text, first.text)
    }).pipe(Effect.provide(world))
  )

  it.effect("echoes its legs as they were sent", () =>
    Effect.gen(function* () {
      const { splitCharge } = yield* splitShop("loja-1", "loja-2")
      const charge = yield* splitCharge(10, ["loja-2", 1.5], ["loja-1", 2], ["principal", 0.01])
      assert.deepStrictEqual(charge.split, [
        { subAccount: "loja-2", amount: 1.5 },
        { subAccount: "loja-1", amount: 2 },
        { subAccount: "principal", amount: 0.01 }
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "pays each leg in the commit of the payment; the rest and the fee are the owner's",
    () =>
      Effect.gen(function* () {
        const story = yield* splitShop("loja-1", "loja-2")
        yield* story.change({ fees: { payment: { fixed: 0.5 } } })
        const charge = yield* story.splitCharge(10, ["loja-1", 3], ["loja-2", 2.25])
        yield* story.pay(charge)
        const { legs, split } = yield* story.outcome
        assert.deepStrictEqual(split, [
          ["loja-1", 3],
          ["loja-2", 2.25]
        ])
        assert.deepStrictEqual(
          legs.map(({ amount, leg, source }) => [amount, leg, source as string]),
          [
            [300n, 0, charge.id],
            [225n, 1, charge.id]
          ]
        )
        assert.strictEqual(yield* as(story, "loja-1").available, 300)
        assert.strictEqual(yield* as(story, "loja-2").available, 225)
        assert.strictEqual((yield* story.figures).available, 1_000 - 50 - 525)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("without a split tells of none", () =>
    Effect.gen(function* () {
      const story = yield* splitShop()
      yield* story.pay(yield* story.charge())
      yield* story.drain
      const [event] = yield* story.events()
      assert.notProperty(event?.data, "split")
    }).pipe(Effect.provide(world))
  )

  it.effect("may give the whole net away, and a leg to its owner stays where it is", () =>
    Effect.gen(function* () {
      const story = yield* splitShop("loja-1")
      yield* story.pay(yield* story.splitCharge(10, ["loja-1", 4], ["principal", 6]))
      const { legs, split } = yield* story.outcome
      assert.deepStrictEqual(split, [
        ["loja-1", 4],
        ["principal", 6]
      ])
      assert.strictEqual(legs.length, 1)
      assert.strictEqual((yield* story.figures).available, 600)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("of a sub-account pays siblings and the main account", () =>
    Effect.gen(function* () {
      const story = yield* splitShop("loja-1", "loja-2")
      const shop = as(story, "loja-1")
      const { json } = yield* shop.call("POST", "/pix", {
        amount: 10,
        split: [
          { subAccount: "principal", amount: 1 },
          { subAccount: "loja-2", amount: 2 }
        ]
      })
      yield* story.pay(json)
      const { split } = yield* story.outcome
      assert.deepStrictEqual(split, [
        ["principal", 1],
        ["loja-2", 2]
      ])
      assert.strictEqual(yield* shop.available, 700)
      assert.strictEqual(yield* as(story, "loja-2").available, 200)
      assert.strictEqual((yield* story.figures).available, 100)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["nothing is cut where the legs still fit", 1, [5, 3], [5, 3]],
    ["the first leg is cut first", 4, [5, 3], [3, 3]],
    ["then the next", 8.5, [5, 3], [0, 1.5]],
    ["to zero, and zero legs are told", 10, [5, 3], [0, 0]],
    ["a fee above the amount takes no more than it", 99, [5, 3], [0, 0]]
  ] as const)("whose fee rose meanwhile: %s", ([_, fixed, asked, applied]) =>
    Effect.gen(function* () {
      const story = yield* splitShop("loja-1", "loja-2")
      const charge = yield* story.splitCharge(10, ["loja-1", asked[0]], ["loja-2", asked[1]])
      yield* story.change({ fees: { payment: { fixed } } })
      yield* story.pay(charge)
      const { legs, split } = yield* story.outcome
      assert.deepStrictEqual(split, [
        ["loja-1", applied[0]],
        ["loja-2", applied[1]]
      ])
      const booked = legs.map(({ amount, leg }) => [leg, Number(amount) / 100])
      assert.deepStrictEqual(
        booked,
        applied.flatMap((amount, leg) => (amount === 0 ? [] : [[leg, amount]]))
      )
      const fee = Math.min(fixed, 10)
      const rest = Math.round((10 - fee - applied[0] - applied[1]) * 100)
      assert.strictEqual((yield* story.figures).available, rest)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("distributes the net of the whole fee, whoever pays the fee", () =>
    Effect.gen(function* () {
      const story = yield* splitShop("loja-1")
      yield* story.adjust({ amount: 2, bucket: "promotional", reason: "welcome" })
      const charge = yield* story.splitCharge(10, ["loja-1", 9])
      yield* story.change({ fees: { payment: { fixed: 3 } } })
      yield* story.pay(charge)
      const { split } = yield* story.outcome
      assert.deepStrictEqual(split, [["loja-1", 7]])
      // 10.00 less 1.00 of the fee and 7.00 of the leg; 2.00 of the fee came from the promotional balance.
      assert.deepStrictEqual(yield* story.figures, {
        available: 200,
        promotional: 0,
        held: 0,
        total: 200
      })
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("still credits a suspended sub-account, and keeps the leg of a closed one", () =>
    Effect.gen(function* () {
      const story = yield* splitShop("loja-1", "loja-2")
      const charge = yield* story.splitCharge(10, ["loja-1", 4], ["loja-2", 3])
      yield* subAccountBecomes(story, "loja-1", "closed")
      yield* subAccountBecomes(story, "loja-2", "suspended")
      yield* story.pay(charge)
      const { legs, split } = yield* story.outcome
      assert.deepStrictEqual(split, [
        ["loja-1", 0],
        ["loja-2", 3]
      ])
      assert.deepStrictEqual(
        legs.map(({ amount, leg }) => [leg, amount]),
        [[1, 300n]]
      )
      assert.strictEqual((yield* story.figures).available, 700)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("sees a destination that is closed while the PSP is asked", () =>
    Effect.gen(function* () {
      const story = yield* splitShop("loja-1")
      const charge = yield* story.splitCharge(10, ["loja-1", 4])
      const services = yield* Effect.context<Storage | Ids>()
      const { findCharge } = yield* pspThat({})
      let looks = 0
      yield* pspThat({
        findCharge: (reference) =>
          Effect.gen(function* () {
            if (looks++ === 0) yield* Effect.orDie(subAccountBecomes(story, "loja-1", "closed"))
            return yield* findCharge(reference)
          }).pipe(Effect.provideContext(services))
      })
      yield* story.pay(charge)
      const { split } = yield* story.outcome
      assert.deepStrictEqual(split, [["loja-1", 0]])
      assert.strictEqual(looks, 2)
      assert.strictEqual((yield* story.figures).available, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("books nothing of its legs for a payment that is not credited", () =>
    Effect.gen(function* () {
      const story = yield* splitShop("loja-1")
      yield* story.pay(yield* story.splitCharge(10, ["loja-1", 4]), { amount: 3 })
      const { legs } = yield* story.outcome
      assert.deepStrictEqual(legs, [])
      assert.strictEqual(yield* as(story, "loja-1").available, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("pays its legs once, however often it is paid", () =>
    Effect.gen(function* () {
      const story = yield* splitShop("loja-1")
      yield* story.pay(yield* story.splitCharge(10, ["loja-1", 4]), { times: 3 })
      yield* story.drain
      assert.strictEqual(yield* as(story, "loja-1").available, 400)
      assert.strictEqual((yield* story.figures).available, 600)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a request for a split", () => {
  const legs = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ subAccount: `loja-${index}`, amount: 0.01 }))
  const leg = { subAccount: "loja-1", amount: 1 }

  it.effect("is refused where it has no legs, too many, or one that is not right", () =>
    Effect.gen(function* () {
      const { shop } = yield* splitShop("loja-1")
      const bad: ReadonlyArray<readonly [unknown, string]> = [
        [[], "split"],
        [legs(21), "split"],
        [[leg, leg], "split"],
        [{}, "split"],
        [null, "split"],
        [[{ ...leg, amount: 0 }], "split[0].amount"],
        [[{ ...leg, amount: -1 }], "split[0].amount"],
        [[{ ...leg, amount: 0.001 }], "split[0].amount"],
        [[{ ...leg, amount: "1" }], "split[0].amount"],
        [[{ subAccount: "loja-1" }], "split[0].amount"],
        [[leg, { amount: 1 }], "split[1].subAccount"],
        [[{ ...leg, subAccount: "Loja-1" }], "split[0].subAccount"],
        [[{ ...leg, subAccount: "l" }], "split[0].subAccount"],
        [[{ ...leg, subAccount: "x".repeat(33) }], "split[0].subAccount"]
      ]
      for (const [split, field] of bad) {
        const answer = yield* shop.call("POST", "/pix", { body: { amount: 10, split } })
        assert.strictEqual(answer.status, 400, JSON.stringify(split))
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
        assert.strictEqual(answer.json.details?.issues?.[0]?.field, field, JSON.stringify(split))
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("takes twenty legs", () =>
    Effect.gen(function* () {
      const many = legs(20)
      const story = yield* splitShop(...many.map(({ subAccount }) => subAccount))
      yield* story.pay(yield* story.charge({ amount: 0.2, split: many }))
      const { split } = yield* story.outcome
      assert.strictEqual(split.length, 20)
      assert.strictEqual((yield* story.figures).available, 0)
      assert.strictEqual(yield* as(story, "loja-19").available, 1)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("must fit into the amount less the fee of now, to the centavo", () =>
    Effect.gen(function* () {
      const { change, charge, shop } = yield* splitShop("loja-1")
      yield* change({ fees: { payment: { fixed: 1 } } })
      const answer = yield* shop.call("POST", "/pix", {
        body: { amount: 10, split: [{ subAccount: "loja-1", amount: 9.01 }] }
      })
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "SPLIT_EXCEEDS_NET")
      assert.include(String(answer.json.message), "9.01")
      assert.include(String(answer.json.message), "9.00")
      yield* charge({ amount: 10, split: [{ subAccount: "loja-1", amount: 9 }] })
    }).pipe(Effect.provide(world))
  )

  it.effect("names sub-accounts of the account that are there and open", () =>
    Effect.gen(function* () {
      const stranger = yield* splitShop("alheia")
      const story = yield* splitShop("parada", "fechada")
      yield* subAccountBecomes(story, "parada", "suspended")
      yield* subAccountBecomes(story, "fechada", "closed")
      for (const [reference, status, code] of [
        ["nenhuma", 404, "SUB_ACCOUNT_NOT_FOUND"],
        ["alheia", 404, "SUB_ACCOUNT_NOT_FOUND"],
        ["parada", 403, "SUB_ACCOUNT_SUSPENDED"],
        ["fechada", 403, "SUB_ACCOUNT_SUSPENDED"]
      ] as const) {
        const answer = yield* story.shop.call("POST", "/pix", {
          body: { amount: 10, split: [{ subAccount: reference, amount: 1 }] }
        })
        assert.strictEqual(answer.status, status, reference)
        assert.strictEqual(codeOf(answer), code)
      }
      assert.strictEqual(yield* as(stranger, "alheia").available, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "does not tell a credential without sub-account access which sub-accounts there are",
    () =>
      Effect.gen(function* () {
        const { api, operator } = yield* TestPagora
        const story = yield* splitShop("aberta", "parada", "fechada")
        yield* subAccountBecomes(story, "parada", "suspended")
        yield* subAccountBecomes(story, "fechada", "closed")
        const issued = yield* operator("POST", `/accounts/${story.shop.id}/credentials`, {
          body: { permissions: ["PIX:WRITE"], subAccountAccess: false }
        })
        const auth = yield* api("POST", "/auth", {
          body: { client_id: issued.json.clientId, client_secret: issued.json.clientSecret }
        })
        const headers = { authorization: `Bearer ${auth.json.access_token}` }
        const split = (...references: ReadonlyArray<string>) =>
          api("POST", "/pix", {
            headers,
            body: { amount: 10, split: references.map((subAccount) => ({ subAccount, amount: 1 })) }
          })
        for (const reference of ["nenhuma", "parada", "fechada"]) {
          for (const legs of [[reference], [reference, "outra"], ["aberta", reference, "outra"]]) {
            const { json, status } = yield* split(...legs)
            assert.strictEqual(status, 404)
            assert.strictEqual(json.message, `split: there is no sub-account ${reference}.`)
            assert.deepStrictEqual<unknown>(json.details, {
              code: "SUB_ACCOUNT_NOT_FOUND",
              resource: "sub-account",
              id: reference
            })
          }
        }
        assert.strictEqual((yield* split("aberta")).status, 201)
      }).pipe(Effect.provide(world))
  )
})
