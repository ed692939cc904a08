import { assert, describe, it } from "@effect/vitest"
import { StorageDriver } from "@pagora/core"
import { Effect, Layer } from "effect"
import { secret, sharedMemory, until, withPagora } from "../world/Embedding.test-data.ts"

const paid = "payment_completed"

/** A storage that tells in which queues of subscribers work is claimed. */
const watchedMemory = async () => {
  const claimed = new Set<string>()
  const storage = Layer.effect(
    StorageDriver,
    Effect.map(StorageDriver, (driver) => ({
      ...driver,
      claim: (claims: Parameters<typeof driver.claim>[0]) => {
        for (const { queue } of claims) if (queue.startsWith("subscriber")) claimed.add(queue)
        return driver.claim(claims)
      }
    }))
  ).pipe(Layer.provide(await sharedMemory()))
  return { claimed, storage }
}

describe("a subscriber that is switched off", () => {
  it("leaves nothing behind that goes on asking for its work", async () => {
    const { claimed, storage } = await watchedMemory()
    await withPagora({ storage, secret }, async (pagora) => {
      await pagora.on(paid, { name: "stock" }, () => undefined)
      for (let round = 0; round < 20; round++) {
        await pagora.on(paid, { name: "orders" }, () => undefined)
        await pagora.off("orders")
      }
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      let queues = 0
      await until(() => {
        queues = claimed.size
        claimed.clear()
        void pagora.sandbox.advance({ seconds: 1 })
        return queues === 1
      })
      assert.strictEqual(queues, 1)
      const got: Array<string> = []
      await pagora.on(paid, { name: "orders" }, ({ eventId }) => got.push(eventId))
      const charge = await pagora.charges.create(id, { amount: 5 })
      await pagora.sandbox.pay(charge.id)
      await until(() => got.length === 1)
    })
  })

  it("by its own handler is answered, and what else it had at work is cancelled or done", async () => {
    await withPagora({ storage: await sharedMemory(), secret }, async (pagora) => {
      let isOff = false
      const got: Array<string> = []
      await pagora.on(paid, { name: "orders" }, async ({ eventId }) => {
        got.push(eventId)
        await pagora.off("orders")
        isOff = true
      })
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      const charge = await pagora.charges.create(id, { amount: 5 })
      await pagora.sandbox.pay(charge.id)
      await until(() => isOff)
      let left: ReadonlyArray<string> = ["queued"]
      await until(() => {
        void pagora.webhooks.deliveries(id).then(({ data }) => {
          left = data.map(({ status }) => status)
        })
        return left.length === 1 && left[0] !== "queued"
      })
      assert.deepStrictEqual([got.length, left], [1, ["delivered"]])
    })
  })
})
