import { assert, describe, it } from "@effect/vitest"
import type { PagoraInstance } from "@pagora/core"
import { Subscribers } from "@pagora/core"
import { TestPagora } from "@pagora/testkit"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { refusalOf, secret, sharedMemory, until, withPagora } from "../world/Embedding.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

/** A charge that is paid, and so an event; answers its id. */
const sale = async (pagora: PagoraInstance, account: string): Promise<string> => {
  const { id } = await pagora.charges.create(account, { amount: 5 })
  await pagora.sandbox.pay(id)
  return id
}

const shopOf = async (pagora: PagoraInstance): Promise<string> =>
  (await pagora.accounts.create({ name: "Loja Azul" })).id

const paid = "payment_completed"

describe("a subscriber", () => {
  it("gets the events of its kind, of every account, once for each name", () =>
    withPagora({}, async (pagora) => {
      const got: Array<string> = []
      for (const name of ["orders", "stock"]) {
        await pagora.on(paid, { name }, ({ accountId, eventId }) => {
          got.push(`${name} ${accountId} ${eventId}`)
        })
      }
      await pagora.on("payment_expired", { name: "orders" }, ({ event }) => got.push(event))
      const [blue, red] = [await shopOf(pagora), await shopOf(pagora)]
      const [first, second] = [await sale(pagora, blue), await sale(pagora, red)]
      await until(() => got.length === 4)
      await pagora.sandbox.advance({ seconds: 3600 })
      assert.sameMembers(got, [
        `orders ${blue} ${first}`,
        `stock ${blue} ${first}`,
        `orders ${red} ${second}`,
        `stock ${red} ${second}`
      ])
    }))

  it("gets an event again until it is handled, with the same delivery and the same data", () =>
    withPagora({}, async (pagora) => {
      const got: Array<readonly [string, number, string]> = []
      await pagora.on(paid, { name: "orders" }, (event, { attempt, deliveryId }) => {
        got.push([deliveryId, attempt, JSON.stringify(event)])
        if (attempt < 8) throw new Error("The database of the shop is away.")
      })
      const shop = await shopOf(pagora)
      await sale(pagora, shop)
      await until(() => got.length === 1)
      for (const seconds of [3, 5, 10, 20, 40, 80, 160]) await pagora.sandbox.advance({ seconds })
      assert.deepStrictEqual(
        got.map(([, attempt]) => attempt),
        [1, 2, 3, 4, 5, 6, 7, 8]
      )
      assert.strictEqual(new Set(got.map(([id, , text]) => `${id} ${text}`)).size, 1)
      const { data } = await pagora.webhooks.deliveries(shop)
      assert.deepStrictEqual(
        data[0]?.attempts.map(({ outcome }) => outcome),
        ["failed", "failed", "failed", "failed", "failed", "failed", "failed", "handled"]
      )
      await pagora.sandbox.advance({ seconds: 86_400 })
      assert.strictEqual(got.length, 8)
    }))

  it("gets after a restart what came while nobody was there", async () => {
    const options = { storage: await sharedMemory(), secret }
    const shop = await withPagora(options, async (pagora) => {
      await pagora.on(paid, { name: "orders" }, () => assert.fail("nothing was paid yet"))
      return shopOf(pagora)
    })
    // A process that serves requests only, and knows nothing of orders.
    const charge = await withPagora({ ...options, workers: false }, (pagora) => sale(pagora, shop))
    const got: Array<string> = []
    await withPagora(options, async (pagora) => {
      await pagora.on("payment_expired", { name: "orders" }, ({ event }) => got.push(event))
      await pagora.sandbox.advance({ seconds: 60 })
      assert.deepStrictEqual(got, [])
      await pagora.on(paid, { name: "orders" }, ({ eventId }) => got.push(eventId))
      await until(() => got.length > 0)
    })
    await withPagora(options, async (pagora) => {
      await pagora.on(paid, { name: "orders" }, () => got.push("again"))
      await pagora.sandbox.advance({ seconds: 3600 })
    })
    assert.deepStrictEqual(got, [charge])
  })

  it("in two processes gets each event in one of them", async () => {
    const options = { storage: await sharedMemory(), secret }
    await withPagora(options, (one) =>
      withPagora(options, async (other) => {
        const got: Array<string> = []
        const shop = await shopOf(one)
        // Both know the list of subscribers before anybody is on it.
        const early = [await sale(one, shop), await sale(other, shop)]
        await Promise.all(
          [one, other].map((pagora) =>
            pagora.on(paid, { name: "orders" }, ({ eventId }) => got.push(eventId))
          )
        )
        const sales: Array<string> = []
        for (let round = 0; round < 10; round++)
          sales.push(...(await Promise.all([sale(one, shop), sale(other, shop)])))
        await until(() => got.length >= sales.length)
        await one.sandbox.advance({ seconds: 60 })
        assert.sameMembers(got, sales)
        assert.notIncludeMembers(got, early)
        assert.isTrue((await one.audit()).ok)
      })
    )
  })

  it("that is removed gets nothing more, in no process, and what waited is cancelled", async () => {
    const options = { storage: await sharedMemory(), secret }
    await withPagora(options, (one) =>
      withPagora(options, async (other) => {
        const got: Array<number> = []
        const shop = await shopOf(one)
        await one.on(paid, { name: "orders" }, (_, { attempt }) => {
          got.push(attempt)
          throw new Error("Never.")
        })
        await sale(other, shop)
        await until(() => got.length === 1)
        await other.off("orders")
        await sale(other, shop)
        await one.sandbox.advance({ seconds: 3600 })
        assert.deepStrictEqual(got, [1])
        const { data } = await one.webhooks.deliveries(shop)
        assert.deepStrictEqual(
          data.map(({ status }) => status),
          ["cancelled"]
        )
        await other.off("orders")
      })
    )
  })

  it("that cannot be says why", () =>
    withPagora({}, async (pagora) => {
      const on = (event: unknown, options: unknown, handler: unknown) =>
        refusalOf(pagora.on(event as typeof paid, options as never, handler as never))
      const handle = () => undefined
      assert.match((await on("paid", { name: "a" }, handle)).message, /^There is no event paid: /)
      assert.match((await on(paid, {}, handle)).message, /^Give a name of 1 to 100/)
      assert.match((await on(paid, { name: "a b" }, handle)).message, /^Give a name of 1 to 100/)
      assert.match((await on(paid, { name: "a" }, undefined)).message, /^Give a handler/)
      await pagora.on(paid, { name: "a" }, handle)
      assert.strictEqual((await on(paid, { name: "a" }, handle)).code, "SUBSCRIBER_TAKEN")
    }))

  it("needs a process with workers", () =>
    withPagora({ workers: false }, async (pagora) => {
      const error = await refusalOf(pagora.on(paid, { name: "orders" }, () => undefined))
      assert.strictEqual(error.code, "WORKERS_OFF")
    }))

  it.effect("that does not answer is left behind after 50 seconds, and gets the event again", () =>
    Effect.gen(function* () {
      const { sandbox, tenant } = yield* TestPagora
      const subscribers = yield* Subscribers
      const attempts: Array<number> = []
      yield* subscribers.on(paid, { name: "orders" }, (_, { attempt }) =>
        Effect.suspend(() => (attempts.push(attempt) === 1 ? Effect.never : Effect.void))
      )
      const shop = yield* tenant()
      const charge = yield* shop.call("POST", "/pix", { body: { amount: 5 } })
      yield* sandbox("POST", `/charges/${charge.json.id}/pay`)
      const first = yield* Effect.forkChild(subscribers.drain)
      yield* TestClock.adjust("49 seconds")
      assert.isUndefined(first.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(first)
      assert.strictEqual(yield* subscribers.drain, 0)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* subscribers.drain, 1)
      assert.deepStrictEqual(attempts, [1, 2])
    }).pipe(Effect.provide(world))
  )
})
