import type { Check } from "../Check.ts"
import { expectEqual, expectStatus, expectThat, textAt } from "../Expect.ts"
import { charged, documents, paid, pay, settleWithdrawal, withdrawn } from "../Steps.ts"
import type { Json } from "../Wire.ts"
import { at } from "../Wire.ts"

const envelope = [
  "S-013",
  "S-229",
  "S-231",
  "S-242",
  "S-243",
  "S-246",
  "S-247",
  "S-249",
  "S-251",
  "S-252",
  "S-253",
  "S-254",
  "S-255",
  "S-256",
  "S-257",
  "S-258"
]

const metadata = { pedido: 7, tags: ["a", "b"], vazio: null }

/** Exactly these values stand at these paths. */
const expectData = (json: Json, fields: Readonly<Record<string, Json | undefined>>) => {
  for (const [name, value] of Object.entries(fields)) {
    expectEqual(`data.${name}`, at(json, `data.${name}`), value)
  }
}

const sourceOf = (body: string) => body.slice(body.indexOf('"metadata"'))

export const eventChecks: ReadonlyArray<Check> = [
  {
    rules: [
      ...envelope,
      "S-154",
      "S-232",
      "S-244",
      "S-260",
      "S-263",
      "S-264",
      "S-265",
      "S-268",
      "S-269",
      "S-270",
      "S-271",
      "S-272",
      "S-273",
      "S-274",
      "S-275",
      "S-276",
      "S-299"
    ],
    title:
      "payment_completed is one signed POST with the envelope, headers and data of the specification",
    run: async (world) => {
      const shop = await world.tenant({ fees: { payment: { fixed: 0.5, percent: 1 } } })
      const hook = await shop.hook()
      const payer = { payerName: "Maria Souza", payerDocument: documents.cpf }
      const body = { amount: 100, externalReference: "pedido-7", metadata }
      const id = await paid(world, shop, body, { payer })
      const { body: sent, json } = await hook.event("payment_completed")
      expectEqual("eventId", at(json, "eventId"), id)
      expectEqual("subAccount", at(json, "subAccount"), null)
      expectData(json, {
        transactionId: id,
        amount: 100,
        feeAmount: 1.5,
        netAmount: 98.5,
        externalReference: "pedido-7",
        counterpartName: "Maria Souza",
        counterpartDocument: documents.cpf,
        metadata,
        split: undefined
      })
      expectThat("metadata is in the body", sourceOf(sent).includes('"pedido":7'))
      const found = expectStatus(await shop.call("GET", `/transactions/${id}`), 200)
      expectData(json, { e2eId: textAt(found, "e2eId") })
      expectEqual("events", hook.told(), 1)
    }
  },
  {
    rules: ["S-272", "S-276"],
    title: "payment_completed leaves optional fields out rather than null",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook()
      await paid(world, shop)
      const { json } = await hook.event("payment_completed")
      expectData(json, { externalReference: undefined, metadata: undefined, split: undefined })
    }
  },
  {
    rules: ["S-261"],
    title: "events of a deployment with the sandbox PSP say environment sandbox",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook()
      await paid(world, shop)
      expectData((await hook.event("payment_completed")).json, { environment: "sandbox" })
    }
  },
  {
    rules: [
      "S-152",
      "S-155",
      "S-233",
      "S-245",
      "S-277",
      "S-278",
      "S-279",
      "S-280",
      "S-281",
      "S-299"
    ],
    title: "payment_expired has an eventId of its own, status expired, and a fee and net of 0",
    run: async (world) => {
      const shop = await world.tenant({ fees: { payment: { fixed: 0.5 } } })
      const hook = await shop.hook()
      const told = { amount: 12.5, externalReference: "pedido-8", metadata }
      const id = textAt(await charged(shop, told), "id")
      expectStatus(await world.sandbox("POST", `/charges/${id}/expire`), 200)
      const { json } = await hook.event("payment_expired")
      expectEqual("eventId", at(json, "eventId"), `payment_expired_${id}`)
      expectData(json, { transactionId: id, ...told })
      const bare = textAt(await charged(shop), "id")
      expectStatus(await world.sandbox("POST", `/charges/${bare}/expire`), 200)
      const ofBare = (event: Json) => at(event, "data.transactionId") === bare
      const second = await hook.event("payment_expired", ofBare)
      expectData(second.json, { externalReference: undefined, metadata: undefined })
    }
  },
  {
    rules: ["S-156", "S-234", "S-282", "S-284", "S-286", "S-290", "S-299"],
    title:
      "payment_failed of a blocked payer carries blockedDeposit.refund as it is at sending time",
    run: async (world) => {
      const policy = { blockCnpjPayers: true }
      const shop = await world.tenant({ policy, fees: { payment: { fixed: 1 } } })
      const hook = await shop.hook()
      const id = textAt(await charged(shop, { amount: 15, externalReference: "pedido-5" }), "id")
      await pay(world, id, { payerName: "ACME LTDA", payerDocument: documents.cnpj })
      const { json } = await hook.event("payment_failed")
      expectEqual("eventId", at(json, "eventId"), id)
      expectData(json, {
        transactionId: id,
        amount: 15,
        feeAmount: 0,
        externalReference: "pedido-5"
      })
      expectThat(
        "data.blockedDeposit.refund.status is told",
        ["pending", "confirmed"].includes(String(at(json, "data.blockedDeposit.refund.status")))
      )
    }
  },
  {
    rules: ["S-014", "S-104", "S-161", "S-236", "S-291", "S-301"],
    title: "withdrawal_completed tells the amounts of the withdrawal that was processed",
    run: async (world) => {
      const shop = await world.tenant({ balance: 100, fees: { withdrawal: { fixed: 1 } } })
      const hook = await shop.hook()
      const id = textAt(await withdrawn(shop, { externalReference: "saque-1" }), "id")
      await settleWithdrawal(world, id, "completed")
      const { json } = await hook.event("withdrawal_completed")
      const amounts = { amount: 10, feeAmount: 1, netAmount: 9 }
      expectData(json, { ...amounts, externalReference: "saque-1" })
      expectEqual("eventId", at(json, "eventId"), at(json, "data.transactionId"))
      const name = String(at(json, "data.transactionId"))
      expectStatus(await shop.call("GET", `/transactions/${name}`), 200)
    }
  },
  {
    rules: ["S-104", "S-162", "S-237", "S-291", "S-301"],
    title: "withdrawal_failed tells why, with the amounts as they were accepted",
    run: async (world) => {
      const shop = await world.tenant({ balance: 100, fees: { withdrawal: { fixed: 1 } } })
      const hook = await shop.hook()
      const id = textAt(await withdrawn(shop), "id")
      await settleWithdrawal(world, id, "failed")
      const { json } = await hook.event("withdrawal_failed")
      expectData(json, { amount: 10, feeAmount: 1, netAmount: 9 })
      expectThat("data.failureReason is told", typeof at(json, "data.failureReason") === "string")
      expectEqual("eventId", at(json, "eventId"), at(json, "data.transactionId"))
    }
  },
  {
    rules: ["S-163", "S-238", "S-291", "S-301"],
    title: "withdrawal_reversed follows withdrawal_completed, with an eventId of its own",
    run: async (world) => {
      const shop = await world.tenant({ balance: 100 })
      const hook = await shop.hook()
      const id = textAt(await withdrawn(shop), "id")
      await settleWithdrawal(world, id, "completed")
      const completed = await hook.event("withdrawal_completed")
      await settleWithdrawal(world, id, "reversed")
      const reversed = await hook.event("withdrawal_reversed")
      expectEqual("eventId", at(reversed.json, "eventId"), `withdrawal_reversed_${id}`)
      const differs = at(reversed.json, "eventId") !== at(completed.json, "eventId")
      expectThat("the two events have two ids", differs)
      expectData(reversed.json, { amount: 10 })
    }
  },
  {
    rules: ["S-248", "S-250"],
    title:
      "an event of a sub-account names it, and goes to the main account's endpoints while it has none",
    run: async (world) => {
      const shop = await world.tenant()
      const subAccount = await shop.subAccount("loja")
      const main = await shop.hook()
      const options = { subAccount }
      const first = await paid(world, shop, {}, { options })
      const told = await main.event("payment_completed")
      expectEqual("subAccount", at(told.json, "subAccount"), "loja")
      expectEqual("eventId", at(told.json, "eventId"), first)
      const own = await shop.hook({ subAccount })
      const second = await paid(world, shop, {}, { options })
      const toldOwn = await own.event("payment_completed")
      expectEqual("eventId", at(toldOwn.json, "eventId"), second)
      expectEqual("subAccount", at(toldOwn.json, "subAccount"), "loja")
      expectEqual("events told to the main account", main.told(), 1)
    }
  }
]
