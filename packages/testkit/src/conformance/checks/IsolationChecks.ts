import { randomUUID } from "node:crypto"
import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectStatus, textAt } from "../Expect.ts"
import { expectRefused, withoutEcho } from "../Refusals.ts"
import {
  adjusted,
  blocked,
  charged,
  expectFigures,
  paid,
  refunded,
  unknownId,
  withdrawalBody,
  withdrawn
} from "../Steps.ts"
import type { Answer, Json } from "../Wire.ts"
import type { CallOptions, Tenant, World } from "../World.ts"

/** Asking for what is somebody else's is answered as asking for what nobody has, byte for byte. */
const expectUnseen = async (
  ask: (name: string) => Promise<Answer>,
  foreign: string,
  random: string,
  status = 404
): Promise<void> => {
  const answer = await ask(foreign)
  expectRefused(answer, status)
  const control = withoutEcho(await ask(random), random)
  expectEqual(`the answer to ${foreign}`, withoutEcho(answer, foreign), control, answer)
}

const getting =
  (shop: Tenant, options: CallOptions = {}) =>
  (id: string) =>
    shop.call("GET", `/transactions/${id}`, options)

const posting = (shop: Tenant, path: string, bodyOf: (id: string) => Json) => (id: string) =>
  shop.call("POST", path, { body: bodyOf(id) })

const two = async (world: World) => {
  const [shop, other] = await Promise.all([
    world.tenant({ balance: 100 }),
    world.tenant({ balance: 100 })
  ])
  return { shop, other }
}

const rule = ["S-205", "S-310"]

export const isolationChecks: ReadonlyArray<Check> = [
  {
    rules: rule,
    title: "another tenant's transactions of every kind are not found by their ids",
    run: async (world) => {
      const { other, shop } = await two(world)
      const payment = await paid(world, other)
      const ids = [
        textAt(await charged(other), "id"),
        payment,
        await adjusted(world, other.id, 1),
        other.id,
        other.credentialId
      ]
      for (const id of ids) await expectUnseen(getting(shop), id, randomUUID())
    }
  },
  {
    rules: rule,
    title: "another tenant's withdrawals, refunds and blocks are not found by their ids",
    run: async (world) => {
      const { other, shop } = await two(world)
      const withdrawal = textAt(await withdrawn(other), "id")
      const [one, second] = [await paid(world, other), await paid(world, other)]
      const refund = textAt(await refunded(other, one), "pspRefundTransactionId")
      const block = textAt(await blocked(world, other.id, second, { amount: 1 }), "id")
      for (const id of [withdrawal, refund, block]) {
        await expectUnseen(getting(shop), id, randomUUID())
      }
      await expectUnseen((id) => shop.call("GET", `/withdrawals/${id}`), withdrawal, randomUUID())
      const blocks = expectStatus(await shop.call("GET", "/balance-blocks"), 200)
      expectFields(blocks, { items: [], total: 0 })
    }
  },
  {
    rules: rule,
    title: "another tenant's externalReference and Idempotency-Key find nothing",
    run: async (world) => {
      const { other, shop } = await two(world)
      const [reference, key] = [`ref-${randomUUID()}`, `key-${randomUUID()}`]
      await charged(other, { externalReference: reference }, { key })
      const ofWithdrawal = [`ref-${randomUUID()}`, `key-${randomUUID()}`] as const
      await withdrawn(other, { externalReference: ofWithdrawal[0] }, { key: ofWithdrawal[1] })
      for (const name of [reference, key, ...ofWithdrawal]) {
        await expectUnseen(getting(shop), name, `xyz-${randomUUID()}`)
      }
    }
  },
  {
    rules: ["S-210", "S-312"],
    title: "another tenant's Idempotency-Key is a key of one's own",
    run: async (world) => {
      const { other, shop } = await two(world)
      const key = randomUUID()
      const theirs = textAt(await charged(other, { amount: 10 }, { key }), "id")
      const ours = await charged(shop, { amount: 11 }, { key })
      expectEqual("a charge of its own", textAt(ours, "id") === theirs, false, ours)
      const first = textAt(await withdrawn(other, { amount: 10 }, { key }), "id")
      const second = await withdrawn(shop, { amount: 11 }, { key })
      expectEqual("a withdrawal of its own", textAt(second, "id") === first, false, second)
      await expectFigures(other, { available: 9_000 })
      await expectFigures(shop, { available: 8_900 })
    }
  },
  {
    rules: ["S-213", "S-310"],
    title: "another tenant's payment cannot be refunded, and is not seen to exist",
    run: async (world) => {
      const { other, shop } = await two(world)
      const payment = await paid(world, other)
      const pending = textAt(await charged(other), "id")
      const refund = (id: string) =>
        shop.call("POST", `/transactions/${id}/refund`, { body: { reason: "conformance" } })
      for (const id of [payment, pending]) await expectUnseen(refund, id, randomUUID())
      await expectFigures(other, { available: 11_000, held: 0 })
      await expectFigures(shop, { available: 10_000, held: 0 })
    }
  },
  {
    rules: ["S-057", "S-083", "S-310"],
    title: "another tenant's projectId is unknown to charges and withdrawals",
    run: async (world) => {
      const { other, shop } = await two(world)
      const made = await other.call("POST", "/projects", { body: { name: "Segredo" } })
      const projectId = textAt(expectStatus(made, 201), "id")
      const charge = posting(shop, "/pix", (id) => ({ amount: 1, projectId: id }))
      await expectUnseen(charge, projectId, randomUUID())
      const withdrawal = posting(shop, "/withdrawals", (id) => withdrawalBody({ projectId: id }))
      await expectUnseen(withdrawal, projectId, randomUUID())
      const list = expectStatus(await shop.call("GET", "/projects"), 200)
      expectFields(list, { items: [], total: 0 })
    }
  },
  {
    rules: ["S-058", "S-310"],
    title: "an id of another tenant is unknown as pspCredentialId",
    run: async (world) => {
      const { other, shop } = await two(world)
      const charge = posting(shop, "/pix", (id) => ({ amount: 1, pspCredentialId: id }))
      await expectUnseen(charge, other.credentialId, randomUUID())
    }
  },
  {
    rules: ["S-172", "S-310"],
    title: "another tenant's sub-account is unknown in X-Sub-Account of every endpoint",
    run: async (world) => {
      const { other, shop } = await two(world)
      const reference = await other.subAccount("segredo")
      const requests: ReadonlyArray<readonly [string, string, Json?]> = [
        ["GET", "/account"],
        ["GET", "/balance-blocks"],
        ["GET", "/projects"],
        ["GET", `/transactions/${unknownId}`],
        ["POST", "/pix", { amount: 1 }],
        ["POST", "/withdrawals", withdrawalBody()],
        ["POST", "/projects", { name: "Loja" }],
        ["POST", `/transactions/${unknownId}/refund`, {}]
      ]
      for (const [method, path, body] of requests) {
        const ask = (subAccount: string) =>
          shop.call(method, path, { subAccount, ...(body === undefined ? {} : { body }) })
        await expectUnseen(ask, reference, "nobody")
      }
      const list = expectStatus(await shop.call("GET", "/sub-accounts"), 200)
      expectFields(list, { data: [] })
    }
  },
  {
    rules: ["S-062", "S-310"],
    title: "another tenant's sub-account is unknown as the destination of a split leg",
    run: async (world) => {
      const { other, shop } = await two(world)
      const reference = await other.subAccount("segredo")
      const split = (subAccount: string) => ({ amount: 10, split: [{ subAccount, amount: 1 }] })
      await expectUnseen(posting(shop, "/pix", split), reference, "nobody")
    }
  },
  {
    rules: ["S-025", "S-310"],
    title: "another tenant's sub-account is unknown at both ends of an internal transfer",
    run: async (world) => {
      const { other, shop } = await two(world)
      const reference = await other.subAccount("segredo")
      const path = "/internal-transfers"
      const to = posting(shop, path, (name) => ({ to: name, amount: 1 }))
      await expectUnseen(to, reference, "nobody")
      const from = posting(shop, path, (name) => ({ from: name, to: "principal", amount: 1 }))
      await expectUnseen(from, reference, "nobody")
      await expectFigures(shop, { available: 10_000 })
      await expectFigures(other, { available: 10_000 })
    }
  },
  {
    rules: ["S-310"],
    title: "another tenant's charge cannot be cancelled, and is not seen to exist",
    run: async (world) => {
      const { other, shop } = await two(world)
      const id = textAt(await charged(other), "id")
      const cancel = (name: string) => shop.call("POST", `/pix/${name}/cancel`, { body: {} })
      await expectUnseen(cancel, id, randomUUID())
    }
  },
  {
    rules: ["S-224"],
    title: "a token acts for its own account alone, and lists nothing of another",
    run: async (world) => {
      const { other, shop } = await two(world)
      const reference = `ref-${randomUUID()}`
      const id = await paid(world, other, { externalReference: reference })
      const account = expectStatus(await shop.call("GET", "/account"), 200)
      expectFields(account, { "account.id": shop.id, "balance.available.amount": 10_000 })
      const queries = ["", `?externalReference=${reference}`, `?cursor=${id}`, "?type=payment"]
      for (const query of queries) {
        const list = expectStatus(await shop.call("GET", `/transactions${query}`), 200)
        const leaks = [id, reference, other.id].some((name) => list.text.includes(name))
        expectEqual("the list shows something of the other", leaks, false, list)
      }
    }
  },
  {
    rules: ["S-230"],
    title: "events of one tenant never reach the endpoint of another",
    run: async (world) => {
      const { other, shop } = await two(world)
      const [ours, theirs] = [await shop.hook(), await other.hook()]
      await paid(world, other)
      await theirs.event("payment_completed")
      expectEqual("deliveries to the other tenant", ours.told(), 0)
    }
  },
  {
    rules: ["S-310"],
    title: "the operator's requests under one account do not reach what belongs to another",
    run: async (world) => {
      const { other, shop } = await two(world)
      const hook = await other.hook()
      const payment = await paid(world, other)
      const under = `/accounts/${shop.id}`
      const remove = (kind: string) => (id: string) =>
        world.operator("DELETE", `${under}/${kind}/${id}`)
      await expectUnseen(remove("webhook-endpoints"), hook.id, randomUUID())
      await expectUnseen(remove("credentials"), other.credentialId, randomUUID())
      const block = (transactionId: string) =>
        world.operator("POST", `${under}/balance-blocks`, {
          body: { transactionId, blockType: "med" }
        })
      await expectUnseen(block, payment, randomUUID())
      expectStatus(await other.call("GET", "/account"), 200)
    }
  }
]
