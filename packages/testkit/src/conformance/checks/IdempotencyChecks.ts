import { randomUUID } from "node:crypto"
import type { Check } from "../Check.ts"
import { expectEqual, expectStatus, expectThat, textAt } from "../Expect.ts"
import { expectRefused } from "../Refusals.ts"
import { charged, expectFigures } from "../Steps.ts"
import type { Json } from "../Wire.ts"
import type { Tenant } from "../World.ts"

/** The second answer is the first one, and another body is refused. */
const expectOnce = async (shop: Tenant, path: string, body: Json, other: Json): Promise<void> => {
  const key = randomUUID()
  const first = expectStatus(await shop.call("POST", path, { body, key }), 201)
  const again = expectStatus(await shop.call("POST", path, { body, key }), 201)
  expectEqual(`bytes of the second answer of ${path}`, again.text, first.text, again)
  expectRefused(await shop.call("POST", path, { body: other, key }), 422)
  for (const wrong of ["1234567", "x".repeat(256)]) {
    expectRefused(await shop.call("POST", path, { body, key: wrong }), 400)
  }
}

export const idempotencyChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-312", "S-319"],
    title:
      "every other POST honours an Idempotency-Key as well: projects, sub-accounts and transfers",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 10 })
      await expectOnce(shop, "/projects", { name: "Loja" }, { name: "Filial" })
      const [one, two] = ["loja", "filial"].map((reference) => ({ reference, name: "Nome" }))
      if (one !== undefined && two !== undefined) await expectOnce(shop, "/sub-accounts", one, two)
      await expectOnce(
        shop,
        "/internal-transfers",
        { to: "loja", amount: 3 },
        { to: "loja", amount: 4 }
      )
      await expectFigures(shop, { available: 700 })
    }
  },
  {
    rules: ["S-312", "S-319"],
    title: "one Idempotency-Key of two wallets, or of two paths, is two keys",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      const subAccount = await shop.subAccount("loja")
      const key = randomUUID()
      const main = textAt(await charged(shop, { amount: 1 }, { key }), "id")
      const sub = textAt(await charged(shop, { amount: 2 }, { key, subAccount }), "id")
      expectThat("the charges are two", main !== sub)
      const body = { name: "Loja" }
      expectStatus(await shop.call("POST", "/projects", { body, key }), 201)
    }
  },
  {
    rules: ["S-210", "S-312"],
    title: "the order of fields and space between them make no other body, an unknown field does",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const key = randomUUID()
      const ask = (body: string) => shop.call("POST", "/pix", { body, key })
      const first = expectStatus(await ask('{"amount":10,"externalReference":"a"}'), 201)
      const second = await ask('{ "externalReference": "a",\n "amount": 10 }')
      expectEqual("bytes", expectStatus(second, 201).text, first.text, second)
      expectRefused(await ask('{"amount":10,"externalReference":"a","more":1}'), 422)
    }
  },
  {
    rules: ["S-209", "S-210"],
    title: "a request that was refused does not use its Idempotency-Key up",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const key = randomUUID()
      expectRefused(await shop.call("POST", "/pix", { body: { amount: -1 }, key }), 400)
      expectStatus(await shop.call("POST", "/pix", { body: { amount: 1 }, key }), 201)
    }
  }
]
