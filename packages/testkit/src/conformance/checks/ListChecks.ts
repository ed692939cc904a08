import type { Check } from "../Check.ts"
import {
  expectEqual,
  expectFields,
  expectShape,
  expectStatus,
  expectThat,
  listAt,
  textAt
} from "../Expect.ts"
import { expectNotFound, expectRefused } from "../Refusals.ts"
import { listOf, orNull, record, someText } from "../Shape.ts"
import { transactionShape } from "../SpecShapes.ts"
import {
  adjusted,
  charged,
  expectFigures,
  paid,
  transactionIn,
  unknownId,
  withdrawn
} from "../Steps.ts"
import type { Answer } from "../Wire.ts"
import { at } from "../Wire.ts"
import type { Caller } from "../World.ts"

const pageShape = record({
  required: { data: listOf(transactionShape), nextCursor: orNull(someText) }
})

const listed = async (shop: Caller, query = ""): Promise<Answer> =>
  expectShape(await shop.call("GET", `/transactions${query}`), 200, pageShape)

const idsOf = (page: Answer) => listAt(page, "data").map((item) => String(at(item, "id")))

export const listChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-007", "S-018", "S-022", "S-023"],
    title:
      "GET /transactions lists what a wallet has, newest first, in the form of one transaction",
    run: async (world) => {
      const shop = await world.tenant()
      const ids = [
        await adjusted(world, shop.id, 50),
        textAt(await charged(shop), "id"),
        await paid(world, shop),
        textAt(await withdrawn(shop), "id")
      ].toReversed()
      expectEqual("ids", idsOf(await listed(shop)), ids)
      expectEqual("ids of payments", idsOf(await listed(shop, "?type=payment")), ids.slice(1, 3))
      const pending = await listed(shop, "?type=payment&status=pending")
      expectEqual("ids of pending ones", idsOf(pending), ids.slice(2, 3))
      for (const query of [
        "?type=gift",
        "?status=expired",
        "?limit=0",
        "?limit=101",
        "?cursor=x"
      ]) {
        expectRefused(await shop.call("GET", `/transactions${query}`), 400)
      }
    }
  },
  {
    rules: ["S-007"],
    title: "GET /transactions in pages shows each transaction once, whatever comes in between",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const ids: Array<string> = []
      for (let count = 0; count < 5; count += 1) ids.unshift(textAt(await charged(shop), "id"))
      const seen: Array<string> = []
      let page = await listed(shop, "?limit=2")
      for (let pages = 0; pages < 4; pages += 1) {
        seen.push(...idsOf(page))
        const cursor = at(page.json, "nextCursor")
        if (typeof cursor !== "string") break
        await charged(shop)
        page = await listed(shop, `?limit=2&cursor=${encodeURIComponent(cursor)}`)
      }
      expectEqual("ids of all pages", seen, ids)
    }
  },
  {
    rules: ["S-017", "S-147"],
    title: "POST /pix/{id}/cancel makes a pending charge cancelled, and refuses one that was paid",
    run: async (world) => {
      const shop = await world.tenant()
      const id = textAt(await charged(shop), "id")
      const cancel = (name: string) => shop.call("POST", `/pix/${name}/cancel`)
      const cancelled = await cancel(id)
      expectThat("cancelling is accepted", [200, 201].includes(cancelled.status), cancelled)
      const found = await transactionIn(shop, id, "cancelled")
      expectShape(found, 200, transactionShape)
      const done = await paid(world, shop, { amount: 10 })
      const refused = await cancel(done)
      expectThat("a paid one is refused", [400, 409].includes(refused.status), refused)
      expectRefused(refused, refused.status)
      await transactionIn(shop, done, "completed")
      await expectFigures(shop, { available: 1_000 })
      expectNotFound(await cancel(unknownId), unknownId)
    }
  },
  {
    rules: ["S-093", "S-310"],
    title: "GET /withdrawals/{id} shows a withdrawal as its creation did, and 404 for what is none",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      const made = await withdrawn(shop, { externalReference: "saque-1" })
      const read = expectStatus(await shop.call("GET", `/withdrawals/${textAt(made, "id")}`), 200)
      for (const field of [
        "id",
        "amount",
        "feeAmount",
        "netAmount",
        "createdAt",
        "externalReference"
      ]) {
        expectFields(read, { [field]: at(made.json, field) })
      }
      expectNotFound(await shop.call("GET", `/withdrawals/${unknownId}`), unknownId)
      const charge = textAt(await charged(shop), "id")
      expectNotFound(await shop.call("GET", `/withdrawals/${charge}`), charge)
    }
  }
]
