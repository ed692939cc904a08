import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectShape, expectStatus, listAt, textAt } from "../Expect.ts"
import { expectNotFound, expectRefused } from "../Refusals.ts"
import { blocksShape, transactionShape } from "../SpecShapes.ts"
import {
  adjusted,
  blocked,
  expectFigures,
  paid,
  resolveBlock,
  unknownId,
  withdrawalBody
} from "../Steps.ts"
import type { Answer } from "../Wire.ts"
import { at } from "../Wire.ts"
import type { Caller, World } from "../World.ts"
import { eventually } from "../World.ts"

const listed = async (shop: Caller, query = ""): Promise<Answer> =>
  expectShape(await shop.call("GET", `/balance-blocks${query}`), 200, blocksShape)

const blockOf = async (world: World, account: string, charge: string, body = {}) =>
  textAt(await blocked(world, account, charge, body), "id")

const statuses = ["awaiting_response", "defended", "approved", "rejected"] as const

export const blockChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-012", "S-195", "S-196"],
    title: "GET /balance-blocks of an account without blocks has no items and a total of 0",
    run: async ({ tenant }) => {
      expectFields(await listed(await tenant()), { items: [], total: 0 })
    }
  },
  {
    rules: [
      "S-012",
      "S-135",
      "S-136",
      "S-137",
      "S-138",
      "S-139",
      "S-140",
      "S-141",
      "S-142",
      "S-143",
      "S-144",
      "S-150",
      "S-164",
      "S-195",
      "S-239",
      "S-291"
    ],
    title: "a balance block awaits a response, holds its amount, is listed and told",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook({ events: ["balance_block_created"] })
      const charge = await paid(world, shop, { amount: 10, externalReference: "pedido-3" })
      const told = { amount: 7.5, reason: "Fraude", referenceNumber: "MED-123" }
      const id = await blockOf(world, shop.id, charge, { ...told, blockType: "med" })
      const list = await listed(shop)
      expectFields(list, {
        total: 1,
        "items.0.id": id,
        "items.0.transactionId": charge,
        "items.0.amount": 7.5,
        "items.0.status": "awaiting_response",
        "items.0.blockType": "med",
        "items.0.reason": "Fraude",
        "items.0.referenceNumber": "MED-123",
        "items.0.externalReference": "pedido-3",
        "items.0.resolvedAt": undefined,
        "items.0.resolutionReason": undefined
      })
      textAt(list, "items.0.e2eId")
      await expectFigures(shop, { available: 250, held: 750, total: 1_000 })
      const { json } = await hook.event("balance_block_created")
      expectEqual("eventId", at(json, "eventId"), `balance_block_created_${id}`)
      expectEqual("data.amount", at(json, "data.amount"), 7.5)
    }
  },
  {
    rules: ["S-139"],
    title: "balance blocks are of type med, judicial or administrative, and of no other",
    run: async (world) => {
      const shop = await world.tenant()
      const charge = await paid(world, shop)
      const types = ["med", "judicial", "administrative"]
      for (const blockType of types) {
        await blocked(world, shop.id, charge, { amount: 1, blockType })
      }
      const list = await listed(shop)
      const listedTypes = listAt(list, "items").map((item) => String(at(item, "blockType")))
      expectEqual("block types", listedTypes.toSorted(), types.toSorted(), list)
      const body = { transactionId: charge, amount: 1, blockType: "pique" }
      const path = `/accounts/${shop.id}/balance-blocks`
      expectRefused(await world.operator("POST", path, { body }), 400)
    }
  },
  {
    rules: ["S-021", "S-138", "S-145", "S-146", "S-150", "S-165", "S-240"],
    title: "an approved block returns the amount to the payer, as a transaction of type chargeback",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook({ events: ["balance_block_approved"] })
      const charge = await paid(world, shop, { amount: 10 })
      const id = await blockOf(world, shop.id, charge, { amount: 10 })
      await resolveBlock(world, id, "approved", "Procedente")
      const list = await listed(shop)
      expectFields(list, { "items.0.status": "approved", "items.0.resolutionReason": "Procedente" })
      textAt(list, "items.0.resolvedAt")
      const { json } = await hook.event("balance_block_approved")
      expectEqual("eventId", at(json, "eventId"), `balance_block_approved_${id}`)
      expectEqual("data.balanceBlockId", at(json, "data.balanceBlockId"), id)
      await expectFigures(shop, { available: 0, held: 0, total: 0 })
      const found = await eventually("the chargeback", async () => {
        const page = await shop.call("GET", "/transactions?type=chargeback")
        return at(expectStatus(page, 200).json, "data.0") === undefined ? undefined : page
      })
      const chargeback = await shop.call("GET", `/transactions/${textAt(found, "data.0.id")}`)
      expectShape(chargeback, 200, transactionShape)
      expectFields(chargeback, { type: "chargeback", amount: 10 })
    }
  },
  {
    rules: ["S-138", "S-145", "S-146", "S-150", "S-166", "S-241"],
    title: "a rejected block returns the amount to the merchant's available balance",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook({ events: ["balance_block_rejected"] })
      const charge = await paid(world, shop, { amount: 10 })
      const id = await blockOf(world, shop.id, charge)
      await expectFigures(shop, { available: 0, held: 1_000 })
      await resolveBlock(world, id, "rejected", "Improcedente")
      const list = await listed(shop)
      expectFields(list, {
        "items.0.status": "rejected",
        "items.0.resolutionReason": "Improcedente"
      })
      textAt(list, "items.0.resolvedAt")
      const { json } = await hook.event("balance_block_rejected")
      expectEqual("eventId", at(json, "eventId"), `balance_block_rejected_${id}`)
      await expectFigures(shop, { available: 1_000, held: 0, total: 1_000 })
    }
  },
  {
    rules: ["S-138", "S-150", "S-195", "S-196", "S-220"],
    title: "GET /balance-blocks filters by each status, and refuses others with 400",
    run: async (world) => {
      const shop = await world.tenant()
      const charge = await paid(world, shop, { amount: 10 })
      const ids: Array<string> = []
      for (const _status of statuses) {
        ids.push(await blockOf(world, shop.id, charge, { amount: 1 }))
      }
      const defend = `/balance-blocks/${ids[1]}/defend`
      expectStatus(await world.operator("POST", defend, { body: {} }), 200)
      await resolveBlock(world, ids[2] ?? "", "approved")
      await resolveBlock(world, ids[3] ?? "", "rejected")
      expectFields(await listed(shop), { total: 4 })
      for (const [index, status] of statuses.entries()) {
        const list = await listed(shop, `?status=${status}`)
        expectFields(list, { total: 1, "items.0.id": ids[index], "items.0.status": status })
      }
      expectRefused(await shop.call("GET", "/balance-blocks?status=open"), 400)
      expectRefused(await world.api("GET", "/balance-blocks"), 401)
      await expectFigures(shop, { available: 700, held: 200, total: 900 })
    }
  },
  {
    rules: ["S-138", "S-150"],
    title: "a block that is decided stays decided, and a defended one can still be",
    run: async (world) => {
      const shop = await world.tenant()
      const charge = await paid(world, shop, { amount: 10 })
      const id = await blockOf(world, shop.id, charge)
      const path = `/balance-blocks/${id}`
      expectStatus(await world.operator("POST", `${path}/defend`, { body: {} }), 200)
      await resolveBlock(world, id, "rejected")
      for (const outcome of ["approved", "rejected"]) {
        const again = await world.operator("POST", `${path}/resolve`, { body: { outcome } })
        // The same decision again changes nothing; another one is refused.
        if (outcome === "approved") expectRefused(again, again.status === 400 ? 400 : 409)
      }
      expectFields(await listed(shop), { "items.0.status": "rejected" })
      await expectFigures(shop, { available: 1_000, held: 0 })
    }
  },
  {
    rules: ["S-164"],
    title:
      "blocked money cannot be withdrawn, and a block of more than there is takes what comes later",
    run: async (world) => {
      const shop = await world.tenant()
      const charge = await paid(world, shop, { amount: 10 })
      await adjusted(world, shop.id, -6)
      const id = await blockOf(world, shop.id, charge, { amount: 10 })
      await expectFigures(shop, { available: 0, held: 400, total: 400 })
      const wanted = { body: withdrawalBody({ amount: 1 }) }
      expectRefused(await shop.call("POST", "/withdrawals", wanted), 400, "INSUFFICIENT_BALANCE")
      await paid(world, shop, { amount: 8 })
      await expectFigures(shop, { available: 200, held: 1_000, total: 1_200 })
      await resolveBlock(world, id, "rejected")
      await expectFigures(shop, { available: 1_200, held: 0, total: 1_200 })
    }
  },
  {
    rules: ["S-310"],
    title: "a block of an unknown transaction is 404",
    run: async ({ operator, tenant }) => {
      const shop = await tenant()
      const body = { transactionId: unknownId, blockType: "med" }
      const answer = await operator("POST", `/accounts/${shop.id}/balance-blocks`, { body })
      expectNotFound(answer, unknownId)
    }
  }
]
