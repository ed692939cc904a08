import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectShape, expectStatus, textAt } from "../Expect.ts"
import { expectNotFound, expectRefused } from "../Refusals.ts"
import { refundShape, transactionShape } from "../SpecShapes.ts"
import {
  adjusted,
  charged,
  expectFigures,
  paid,
  refunded,
  settleRefund,
  unknownId
} from "../Steps.ts"
import { at } from "../Wire.ts"

export const refundChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-006", "S-105", "S-106", "S-107", "S-108", "S-148", "S-158", "S-186", "S-213"],
    title:
      "POST /transactions/{id}/refund asks for a full refund, PENDING until the PSP has processed it",
    run: async (world) => {
      const shop = await world.tenant({ fees: { refund: { fixed: 0.5 } }, balance: 1 })
      const id = await paid(world, shop, { amount: 10 })
      const body = { reason: "😀".repeat(255) }
      const answer = await shop.call("POST", `/transactions/${id}/refund`, { body })
      expectFields(expectShape(answer, 201, refundShape), {
        originalTransactionId: id,
        status: "PENDING"
      })
      await expectFigures(shop, { available: 50, held: 1_050 })
    }
  },
  {
    rules: ["S-020", "S-148", "S-159", "S-300"],
    title: "a refund that the PSP confirms is a completed transaction of type refund",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook({ events: ["refund_completed"] })
      const id = await paid(world, shop, { amount: 10, externalReference: "pedido-9" })
      const pspId = textAt(await refunded(shop, id), "pspRefundTransactionId")
      await settleRefund(world, pspId, "confirmed")
      const { json } = await hook.event("refund_completed")
      const found = await shop.call(
        "GET",
        `/transactions/${String(at(json, "data.transactionId"))}`
      )
      expectShape(found, 200, transactionShape)
      expectFields(found, { type: "refund", status: "completed", amount: 10 })
      const original = await shop.call("GET", `/transactions/${id}`)
      expectFields(expectShape(original, 200, transactionShape), { status: "completed" })
      await expectFigures(shop, { available: 0, held: 0, total: 0 })
    }
  },
  {
    rules: ["S-235", "S-288", "S-289", "S-291"],
    title: "refund_completed has the full value as netAmount, and the fee is debited beside it",
    run: async (world) => {
      const fees = { payment: { fixed: 2 }, refund: { fixed: 0.75 } }
      const shop = await world.tenant({ fees, balance: 100 })
      const hook = await shop.hook({ events: ["refund_completed"] })
      const id = await paid(world, shop, { amount: 10, externalReference: "pedido-9" })
      await expectFigures(shop, { available: 10_800 })
      const pspId = textAt(
        await refunded(shop, id, { reason: "arrependimento" }),
        "pspRefundTransactionId"
      )
      await settleRefund(world, pspId, "confirmed")
      const { json } = await hook.event("refund_completed")
      const { amount, feeAmount, netAmount, originalTransactionId } = at(json, "data") as {
        readonly [key: string]: unknown
      }
      expectEqual(
        "data",
        { amount, feeAmount, netAmount },
        { amount: 10, feeAmount: 0.75, netAmount: 10 }
      )
      expectEqual("data.originalTransactionId", originalTransactionId, id)
      expectEqual("eventId", at(json, "eventId"), at(json, "data.transactionId"))
      // The fee of the payment stays: 108.00 − 10.00 − 0.75.
      await expectFigures(shop, { available: 9_725, held: 0, total: 9_725 })
    }
  },
  {
    rules: ["S-148"],
    title: "a refund that the PSP refuses gives the money back, and may be asked for again",
    run: async (world) => {
      const shop = await world.tenant({ fees: { refund: { fixed: 0.5 } }, balance: 1 })
      const id = await paid(world, shop, { amount: 10 })
      const pspId = textAt(await refunded(shop, id), "pspRefundTransactionId")
      await settleRefund(world, pspId, "error")
      await expectFigures(shop, { available: 1_100, held: 0, total: 1_100 })
      expectFields(await refunded(shop, id), { status: "PENDING" })
    }
  },
  {
    rules: ["S-186", "S-213", "S-323"],
    title: "a refund's reason is a text of at most 255 characters, and its body may be absent",
    run: async (world) => {
      const shop = await world.tenant()
      const id = await paid(world, shop)
      for (const reason of ["R".repeat(256), "😀".repeat(256), 7, {}]) {
        const answer = await shop.call("POST", `/transactions/${id}/refund`, { body: { reason } })
        expectRefused(answer, 400)
      }
      await expectFigures(shop, { available: 1_000, held: 0 })
      expectStatus(await shop.call("POST", `/transactions/${id}/refund`), 201)
    }
  },
  {
    rules: ["S-186", "S-213"],
    title: "only a completed payment is refunded, once, and only where the balance covers it",
    run: async (world) => {
      const shop = await world.tenant()
      const pending = textAt(await charged(shop), "id")
      const refund = (id: string) => shop.call("POST", `/transactions/${id}/refund`, { body: {} })
      const isRefusal = ({ status }: { readonly status: number }) => [400, 409].includes(status)
      const early = await refund(pending)
      expectEqual("a pending charge is refused", isRefusal(early), true, early)
      expectRefused(early, early.status)
      const id = await paid(world, shop, { amount: 10 })
      await adjusted(world, shop.id, -5)
      expectRefused(await refund(id), 400, "INSUFFICIENT_BALANCE")
      await adjusted(world, shop.id, 20)
      expectStatus(await refund(id), 201)
      const twice = await refund(id)
      expectEqual("a second refund is refused", isRefusal(twice), true, twice)
      await expectFigures(shop, { available: 1_500, total: 2_500, held: 1_000 })
    }
  },
  {
    rules: ["S-186", "S-206", "S-213", "S-310"],
    title: "POST /transactions/{id}/refund answers 401 without a token and 404 for an unknown id",
    run: async ({ api, tenant }) => {
      const shop = await tenant()
      const path = `/transactions/${unknownId}/refund`
      expectRefused(await api("POST", path, { body: {} }), 401)
      expectNotFound(await shop.call("POST", path, { body: {} }), unknownId)
      // The path's id is a uuid: a reference of a payment is none.
      const named = await shop.call("POST", "/transactions/pedido-1/refund", { body: {} })
      expectEqual(
        "a name that is no uuid is refused",
        [400, 404].includes(named.status),
        true,
        named
      )
      expectRefused(named, named.status)
    }
  },
  {
    rules: ["S-312"],
    title:
      "POST /transactions/{id}/refund with one Idempotency-Key refunds once, with the same bytes",
    run: async (world) => {
      const shop = await world.tenant()
      const id = await paid(world, shop)
      const asked = { body: { reason: "once" }, key: "conformance-refund" }
      const path = `/transactions/${id}/refund`
      const first = expectStatus(await shop.call("POST", path, asked), 201)
      const again = expectStatus(await shop.call("POST", path, asked), 201)
      expectEqual("bytes of the second answer", again.text, first.text, again)
      const other = { ...asked, body: { reason: "twice" } }
      expectRefused(await shop.call("POST", path, other), 422)
    }
  }
]
