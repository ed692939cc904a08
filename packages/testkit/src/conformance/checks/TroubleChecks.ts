import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectStatus, expectThat, textAt } from "../Expect.ts"
import {
  charged,
  documents,
  expectFigures,
  paid,
  pay,
  settleRefund,
  settleWithdrawal,
  transactionIn,
  withdrawn
} from "../Steps.ts"
import type { Json } from "../Wire.ts"
import { at } from "../Wire.ts"
import type { World } from "../World.ts"
import { eventually } from "../World.ts"

/** The PSP goes wrong while something is done, and is well again afterwards. */
const whileWrong = async <A>(
  { sandbox }: World,
  faults: ReadonlyArray<Json>,
  run: () => Promise<A>
): Promise<A> => {
  const set = async (body: Json) => expectStatus(await sandbox("PUT", "/faults", { body }), 200)
  await set({ faults })
  try {
    return await run()
  } finally {
    await set({ faults: [] })
  }
}

/** What was waiting to be asked again has been. */
const recovered = async ({ advance }: World) => {
  for (const seconds of [30, 300, 600]) await advance(seconds)
}

export const troubleChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-093", "S-160", "S-161"],
    title: "a payout whose answer is lost stays held and open, and is paid once",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant({ balance: 100 })
      const hook = await shop.hook()
      const lost = [{ operation: "sendPayout", kind: "dropAnswer", times: 2 }]
      const id = await whileWrong(world, lost, async () => {
        const made = textAt(await withdrawn(shop, { amount: 40 }), "id")
        await world.advance(1)
        return made
      })
      const open = expectStatus(await shop.call("GET", `/withdrawals/${id}`), 200)
      expectThat("it has not failed", at(open.json, "status") !== "failed", open)
      await expectFigures(shop, { available: 6_000 })
      await recovered(world)
      await settleWithdrawal(world, id, "completed")
      await hook.event("withdrawal_completed")
      await expectFigures(shop, { available: 6_000, held: 0, total: 6_000 })
      expectEqual("events", hook.told(), 1)
    }
  },
  {
    rules: ["S-158", "S-159", "S-213"],
    title: "a refund whose answer is lost stays pending, and gives the money back once",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant({ balance: 5 })
      const id = await paid(world, shop, { amount: 10 })
      const lost = [{ operation: "refund", kind: "dropAnswer", times: 2 }]
      const path = `/transactions/${id}/refund`
      const asked = { body: {}, key: "refund-whose-answer-is-lost" }
      const answer = await whileWrong(world, lost, () => shop.call("POST", path, asked))
      expectThat(
        "it is accepted, or the PSP is said to be away",
        [201, 500].includes(answer.status)
      )
      await recovered(world)
      const again = expectStatus(await shop.call("POST", path, asked), 201)
      await settleRefund(world, textAt(again, "pspRefundTransactionId"), "confirmed")
      await expectFigures(shop, { available: 500, held: 0, total: 500 })
    }
  },
  {
    rules: ["S-154", "S-243"],
    title: "notices of the PSP that are lost, doubled and out of order credit each payment once",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook()
      const wrong = ["dropRequest", "duplicate", "reorder", "dropAnswer"].map((kind) => ({
        operation: "notify",
        kind,
        probability: 0.5
      }))
      const ids: Array<string> = []
      await whileWrong(world, wrong, async () => {
        for (let count = 0; count < 8; count += 1) {
          const id = textAt(await charged(shop, { amount: 1, expiresIn: 600 }), "id")
          await pay(world, id)
          ids.push(id)
        }
      })
      // Who has heard nothing asks the PSP before a charge ends.
      await recovered(world)
      for (const id of ids) await transactionIn(shop, id, "completed")
      await expectFigures(shop, { available: 800, total: 800 })
      await eventually("each payment is told", () => (hook.told() >= 8 ? true : undefined))
      expectEqual("events", hook.told(), 8)
    }
  },
  {
    rules: ["S-049", "S-157", "S-285"],
    title:
      "the return of a blocked deposit reaches the payer once, although the PSP's answers are lost",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant({ policy: { blockCnpjPayers: true } })
      const id = textAt(await charged(shop), "id")
      const lost = [{ operation: "refund", kind: "dropAnswer", times: 2 }]
      await whileWrong(world, lost, async () => {
        await pay(world, id, { payerDocument: documents.cnpj })
        await transactionIn(shop, id, "failed")
        await world.advance(2)
      })
      await recovered(world)
      const found = await eventually("the return", async () => {
        const answer = expectStatus(await shop.call("GET", `/transactions/${id}`), 200)
        return at(answer.json, "blockedDeposit.refund.status") === "confirmed" ? answer : undefined
      })
      expectFields(found, { status: "failed" })
      await expectFigures(shop, { available: 0, held: 0, total: 0 })
    }
  },
  {
    rules: ["S-204", "S-210"],
    title:
      "a withdrawal whose answer the caller lost is found by its key, and asked for again is the same",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant({ balance: 100 })
      const away = [{ operation: "sendPayout", kind: "dropRequest" }]
      await whileWrong(world, away, async () => {
        const key = "the-caller-lost-it"
        const first = await withdrawn(shop, { amount: 40 }, { key })
        const found = expectStatus(await shop.call("GET", `/transactions/${key}`), 200)
        expectFields(found, { id: textAt(first, "id"), type: "withdrawal", status: "pending" })
        expectEqual("bytes", (await withdrawn(shop, { amount: 40 }, { key })).text, first.text)
      })
      await expectFigures(shop, { available: 6_000, held: 4_000 })
    }
  }
]
