import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectShape, expectStatus, listAt, textAt } from "../Expect.ts"
import { expectNotFound, expectRefused } from "../Refusals.ts"
import { transactionShape } from "../SpecShapes.ts"
import { charged, expectFigures, paid, pay, transactionIn } from "../Steps.ts"
import { at } from "../Wire.ts"
import type { Caller } from "../World.ts"

/** All transactions of one type, each read by its id. */
const ofType = async (shop: Caller, type: string, subAccount?: string) => {
  const options = subAccount === undefined ? {} : { subAccount }
  const page = await shop.call("GET", `/transactions?type=${type}`, options)
  const found = []
  for (const item of listAt(expectStatus(page, 200), "data")) {
    const answer = await shop.call("GET", `/transactions/${String(at(item, "id"))}`, options)
    found.push(expectShape(answer, 200, transactionShape))
  }
  return found
}

export const splitChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-025", "S-266"],
    title: "a paid split credits its legs as internal transfers, and payment_completed tells them",
    run: async (world) => {
      const shop = await world.tenant({ fees: { payment: { fixed: 1 } } })
      const hook = await shop.hook({ events: ["payment_completed"] })
      const [one, two] = [await shop.subAccount("loja"), await shop.subAccount("filial")]
      const split = [
        { subAccount: one, amount: 3 },
        { subAccount: two, amount: 2.5 }
      ]
      await paid(world, shop, { amount: 10, split })
      const { json } = await hook.event("payment_completed")
      expectEqual("data.split", at(json, "data.split"), split)
      expectEqual("data.netAmount", at(json, "data.netAmount"), 9)
      await expectFigures(shop, { available: 350 })
      await expectFigures(shop, { available: 300 }, one)
      await expectFigures(shop, { available: 250 }, two)
      const [leg, ...more] = await ofType(shop, "internal_transfer", one)
      expectEqual("legs of one sub-account", more.length, 0)
      if (leg !== undefined)
        expectFields(leg, { type: "internal_transfer", amount: 3, e2eId: undefined })
      expectEqual("legs are told", leg !== undefined, true)
    }
  },
  {
    rules: ["S-266", "S-267"],
    title:
      "a fee that grew before the payment cuts the legs in the order sent, and the payment completes",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook({ events: ["payment_completed"] })
      const [one, two] = [await shop.subAccount("loja"), await shop.subAccount("filial")]
      const split = [
        { subAccount: one, amount: 4 },
        { subAccount: two, amount: 6 }
      ]
      const id = textAt(await charged(shop, { amount: 10, split }), "id")
      const body = { fees: { payment: { fixed: 5 } } }
      expectStatus(await world.operator("PATCH", `/accounts/${shop.id}`, { body }), 200)
      await pay(world, id)
      await transactionIn(shop, id, "completed")
      const { json } = await hook.event("payment_completed")
      expectEqual("data.netAmount", at(json, "data.netAmount"), 5)
      const applied = [
        { subAccount: one, amount: 0 },
        { subAccount: two, amount: 5 }
      ]
      expectEqual("data.split", at(json, "data.split"), applied)
      await expectFigures(shop, { available: 0 })
      await expectFigures(shop, { available: 0 }, one)
      await expectFigures(shop, { available: 500 }, two)
    }
  },
  {
    rules: ["S-266"],
    title:
      "a leg may name principal, the main account, and what no leg takes stays with the charge's wallet",
    run: async (world) => {
      const shop = await world.tenant()
      const subAccount = await shop.subAccount("loja")
      const split = [{ subAccount: "principal", amount: 2 }]
      await paid(world, shop, { amount: 10, split }, { options: { subAccount } })
      await expectFigures(shop, { available: 200 })
      await expectFigures(shop, { available: 800 }, subAccount)
    }
  },
  {
    rules: ["S-025"],
    title: "POST /internal-transfers moves money between the wallets of one account",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 10 })
      const subAccount = await shop.subAccount("loja")
      const body = { to: subAccount, amount: 4 }
      expectStatus(await shop.call("POST", "/internal-transfers", { body }), 201)
      await expectFigures(shop, { available: 600 })
      await expectFigures(shop, { available: 400 }, subAccount)
      const [moved] = await ofType(shop, "internal_transfer", subAccount)
      expectEqual("the transfer is told", moved !== undefined, true)
      if (moved !== undefined) expectFields(moved, { status: "completed", e2eId: undefined })
      const tooMuch = { to: subAccount, amount: 6.01 }
      const refused = await shop.call("POST", "/internal-transfers", { body: tooMuch })
      expectRefused(refused, 400, "INSUFFICIENT_BALANCE")
      const nobody = { to: "nobody", amount: 1 }
      const unknown = await shop.call("POST", "/internal-transfers", { body: nobody })
      expectNotFound(unknown, "nobody", "SUB_ACCOUNT_NOT_FOUND")
    }
  },
  {
    rules: ["S-019"],
    title: "the fee of a payment is a transaction of type fee",
    run: async (world) => {
      const shop = await world.tenant({ fees: { payment: { fixed: 1.25 } } })
      await paid(world, shop, { amount: 10 })
      const fees = await ofType(shop, "fee")
      expectEqual("fees", fees.length, 1)
      for (const fee of fees) expectFields(fee, { type: "fee", amount: 1.25, status: "completed" })
    }
  }
]
