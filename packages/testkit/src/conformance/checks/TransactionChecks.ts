import type { Check } from "../Check.ts"
import {
  expectEqual,
  expectFields,
  expectShape,
  expectStatus,
  expectThat,
  textAt
} from "../Expect.ts"
import { expectNotFound } from "../Refusals.ts"
import { transactionShape } from "../SpecShapes.ts"
import {
  adjusted,
  charged,
  documents,
  expectFigures,
  paid,
  pay,
  transactionIn,
  unknownId
} from "../Steps.ts"
import { at } from "../Wire.ts"
import { eventually } from "../World.ts"

const ofPayment = ["paidAt", "e2eId", "counterpartName", "counterpartDocument"]
const ofOthers = ["failureReason", "blockedDeposit"]
const ofPending = ["pixCopyPaste", "expiresAt"]

const absent = (fields: ReadonlyArray<string>) =>
  Object.fromEntries(fields.map((field) => [field, undefined]))

export const transactionChecks: ReadonlyArray<Check> = [
  {
    rules: [
      "S-007",
      "S-016",
      "S-017",
      "S-018",
      "S-026",
      "S-027",
      "S-028",
      "S-029",
      "S-035",
      "S-036",
      "S-038",
      "S-042",
      "S-180",
      "S-185"
    ],
    title:
      "GET /transactions/{id} of a pending charge has its code and end, and nothing of a payment",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const charge = await charged(shop, { amount: 12.34 })
      const id = textAt(charge, "id")
      const found = await shop.call("GET", `/transactions/${id}`)
      expectFields(expectShape(found, 200, transactionShape), {
        id,
        status: "pending",
        type: "payment",
        paymentMethod: "pix",
        amount: 12.34,
        currency: "BRL",
        createdAt: textAt(charge, "createdAt"),
        pixCopyPaste: textAt(charge, "pixCopyPaste"),
        expiresAt: textAt(charge, "expiresAt"),
        ...absent([...ofPayment, ...ofOthers, "description", "externalReference", "metadata"]),
        ...absent(["customerId", "projectId"])
      })
    }
  },
  {
    rules: [
      "S-017",
      "S-035",
      "S-036",
      "S-037",
      "S-038",
      "S-039",
      "S-041",
      "S-043",
      "S-147",
      "S-154"
    ],
    title:
      "GET /transactions/{id} of a paid charge tells who paid and when, and shows no code any more",
    run: async (world) => {
      const shop = await world.tenant()
      const payer = { payerName: "Maria Souza", payerDocument: documents.cpf }
      const id = await paid(world, shop, { amount: 20 }, { payer })
      const found = await shop.call("GET", `/transactions/${id}`)
      expectFields(expectShape(found, 200, transactionShape), {
        status: "completed",
        type: "payment",
        amount: 20,
        counterpartName: "Maria Souza",
        counterpartDocument: documents.cpf,
        ...absent([...ofPending, ...ofOthers])
      })
      for (const field of ["paidAt", "e2eId", "updatedAt"]) textAt(found, field)
    }
  },
  {
    rules: ["S-017", "S-035", "S-036", "S-042", "S-147", "S-152", "S-155"],
    title: "GET /transactions/{id} of an expired charge reads cancelled, and expired is no status",
    run: async (world) => {
      const shop = await world.tenant()
      const id = textAt(await charged(shop), "id")
      expectStatus(await world.sandbox("POST", `/charges/${id}/expire`), 200)
      const found = await transactionIn(shop, id, "cancelled")
      expectFields(expectShape(found, 200, transactionShape), {
        ...absent([...ofPending, ...ofPayment, ...ofOthers])
      })
    }
  },
  {
    rules: [
      "S-017",
      "S-042",
      "S-044",
      "S-045",
      "S-046",
      "S-047",
      "S-048",
      "S-050",
      "S-052",
      "S-147",
      "S-156",
      "S-283",
      "S-284"
    ],
    title:
      "a deposit blocked by the account's policy fails, is not credited, costs no fee and says why",
    run: async (world) => {
      const fees = { payment: { fixed: 1 } }
      const shop = await world.tenant({ policy: { blockCnpjPayers: true }, fees })
      const id = textAt(await charged(shop), "id")
      await pay(world, id, { payerName: "ACME LTDA", payerDocument: documents.cnpj })
      const found = await transactionIn(shop, id, "failed")
      expectShape(found, 200, transactionShape)
      textAt(found, "failureReason")
      textAt(found, "blockedDeposit.reason")
      const refund = at(found.json, "blockedDeposit.refund")
      const isPending = at(refund, "status") === "pending"
      if (isPending) expectFields(found, { "blockedDeposit.refund.settledAt": null })
      await expectFigures(shop, { available: 0, held: 0, total: 0 })
    }
  },
  {
    rules: ["S-049", "S-051", "S-053", "S-149", "S-157", "S-285", "S-287"],
    title:
      "the money of a blocked deposit goes back to the payer by itself, and the transaction tells so",
    run: async (world) => {
      const shop = await world.tenant({ policy: { blockCnpjPayers: true } })
      const id = textAt(await charged(shop), "id")
      await pay(world, id, { payerDocument: documents.cnpj })
      const found = await eventually("the return of a blocked deposit", async () => {
        const answer = expectStatus(await shop.call("GET", `/transactions/${id}`), 200)
        const status = at(answer.json, "blockedDeposit.refund.status")
        return status === "confirmed" ? answer : undefined
      })
      expectShape(found, 200, transactionShape)
      expectFields(found, { status: "failed" })
      textAt(found, "blockedDeposit.refund.e2eId")
      textAt(found, "blockedDeposit.refund.settledAt")
      const differs = at(found.json, "blockedDeposit.refund.e2eId") !== at(found.json, "e2eId")
      expectThat("the return has an end-to-end id of its own", differs, found)
      await expectFigures(shop, { available: 0, held: 0, total: 0 })
    }
  },
  {
    rules: ["S-201", "S-202", "S-203"],
    title: "GET /transactions/{id} finds by uuid, then externalReference, then Idempotency-Key",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const first = textAt(await charged(shop, {}, { key: "the-key-of-it" }), "id")
      // Each shadows the one before it, so only the order tells them apart.
      const second = textAt(await charged(shop, { externalReference: first }), "id")
      const third = textAt(await charged(shop, { externalReference: "the-ref-of-it" }), "id")
      const fourth = await charged(shop, {}, { key: "the-ref-of-it" })
      const found = async (name: string) =>
        textAt(expectStatus(await shop.call("GET", `/transactions/${name}`), 200), "id")
      expectEqual("by uuid", await found(first), first)
      expectEqual("by uuid", await found(second), second)
      expectEqual("by uuid", await found(textAt(fourth, "id")), textAt(fourth, "id"))
      expectEqual("by externalReference", await found("the-ref-of-it"), third)
      expectEqual("by Idempotency-Key", await found("the-key-of-it"), first)
    }
  },
  {
    rules: ["S-202"],
    title: "GET /transactions/{id} takes an externalReference of any characters, percent-encoded",
    run: async ({ tenant }) => {
      const shop = await tenant()
      for (const externalReference of ["a/b", "50%", "é ção", "?x=1#y"]) {
        const id = textAt(await charged(shop, { externalReference }), "id")
        const path = `/transactions/${encodeURIComponent(externalReference)}`
        const found = await shop.call("GET", path)
        expectEqual("id", textAt(expectStatus(found, 200), "id"), id, found)
      }
    }
  },
  {
    rules: ["S-205", "S-206", "S-310"],
    title: "GET /transactions/{id} answers 404 with resource and id for what is unknown",
    run: async ({ tenant }) => {
      const shop = await tenant()
      for (const id of [
        unknownId,
        "nothing",
        "00000000",
        "a%00b",
        "x".repeat(300),
        "%F0%9F%A6%9C"
      ]) {
        const answer = await shop.call("GET", `/transactions/${id}`)
        expectNotFound(answer, decodeURIComponent(id))
      }
    }
  },
  {
    rules: ["S-023"],
    title: "an adjustment of the operator is a transaction of type adjustment",
    run: async (world) => {
      const shop = await world.tenant()
      const id = await adjusted(world, shop.id, 7.5)
      const found = await shop.call("GET", `/transactions/${id}`)
      const fields = { id, type: "adjustment", status: "completed", amount: 7.5 }
      expectFields(expectShape(found, 200, transactionShape), fields)
      await expectFigures(shop, { available: 750 })
    }
  },
  {
    rules: ["S-024"],
    title: "a referral commission of the operator is a transaction of type referral_commission",
    run: async ({ operator, tenant }) => {
      const shop = await tenant()
      const body = { amount: 1.25 }
      const made = await operator("POST", `/accounts/${shop.id}/referral-commissions`, { body })
      const id = textAt(expectStatus(made, 201), "id")
      const found = await shop.call("GET", `/transactions/${id}`)
      const fields = { id, type: "referral_commission", status: "completed", amount: 1.25 }
      expectFields(expectShape(found, 200, transactionShape), fields)
      await expectFigures(shop, { available: 125 })
    }
  }
]
