import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectStatus, expectThat, textAt } from "../Expect.ts"
import { expectNotActive, expectRefused } from "../Refusals.ts"
import {
  adjusted,
  blocked,
  charged,
  expectFigures,
  paid,
  pay,
  refunded,
  resolveBlock,
  settleRefund,
  settleWithdrawal,
  transactionIn,
  withdrawn
} from "../Steps.ts"
import type { Answer } from "../Wire.ts"
import { at } from "../Wire.ts"
import type { World } from "../World.ts"

const expectOneOf = (answer: Answer, ...statuses: ReadonlyArray<number>) => {
  expectThat(`the status is ${statuses.join(" or ")}`, statuses.includes(answer.status), answer)
  expectRefused(answer, answer.status)
}

const setStatus = (world: World, account: string, reference: string, status: string) =>
  world.operator("PATCH", `/accounts/${account}/sub-accounts/${reference}`, { body: { status } })

export const moneyChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-213", "S-266", "S-288"],
    title:
      "a refund of a split payment is taken from the charge's own wallet, and the legs keep theirs",
    run: async (world) => {
      const shop = await world.tenant({ balance: 4 })
      const subAccount = await shop.subAccount("loja")
      const id = await paid(world, shop, { amount: 10, split: [{ subAccount, amount: 4 }] })
      await expectFigures(shop, { available: 1_000 })
      const pspId = textAt(await refunded(shop, id), "pspRefundTransactionId")
      await settleRefund(world, pspId, "confirmed")
      await expectFigures(shop, { available: 0, held: 0, total: 0 })
      await expectFigures(shop, { available: 400 }, subAccount)
    }
  },
  {
    rules: ["S-044", "S-045", "S-046", "S-282"],
    title:
      "a payment of another amount is not credited, is told as failed, and the charge can still be paid",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook({ events: ["payment_failed"] })
      const id = textAt(await charged(shop, { amount: 10 }), "id")
      await pay(world, id, { amount: 9.99 })
      const { json } = await hook.event("payment_failed")
      expectEqual("data.amount", at(json, "data.amount"), 9.99)
      expectEqual(
        "data.blockedDeposit.reason",
        at(json, "data.blockedDeposit.reason"),
        "amount_mismatch"
      )
      const deposit = String(at(json, "data.transactionId"))
      expectThat("the deposit has a transaction of its own", deposit !== id)
      await transactionIn(shop, deposit, "failed")
      await transactionIn(shop, id, "pending")
      await pay(world, id)
      await transactionIn(shop, id, "completed")
      await expectFigures(shop, { available: 1_000, total: 1_000 })
    }
  },
  {
    rules: ["S-091", "S-129", "S-162"],
    title: "promotional balance pays the fee of a withdrawal, and comes back when it fails",
    run: async (world) => {
      const fees = { withdrawal: { fixed: 1 } }
      const shop = await world.tenant({ fees, balance: 20 })
      await adjusted(world, shop.id, 0.4, { bucket: "promotional" })
      const made = await withdrawn(shop, { amount: 10 })
      expectFields(made, { amount: 10, feeAmount: 1, netAmount: 9 })
      await expectFigures(shop, { available: 1_040, promotional: 0 })
      await settleWithdrawal(world, textAt(made, "id"), "failed")
      await expectFigures(shop, { available: 2_000, promotional: 40, held: 0 })
    }
  },
  {
    rules: ["S-174", "S-308"],
    title: "a suspended sub-account receives: its charges are paid, and split legs reach it",
    run: async (world) => {
      const shop = await world.tenant()
      const subAccount = await shop.subAccount("loja")
      const own = textAt(await charged(shop, { amount: 3 }, { subAccount }), "id")
      const split = [{ subAccount, amount: 4 }]
      const shared = textAt(await charged(shop, { amount: 10, split }), "id")
      expectStatus(await setStatus(world, shop.id, "loja", "suspended"), 200)
      await pay(world, own)
      await pay(world, shared)
      await transactionIn(shop, shared, "completed")
      await expectFigures(shop, { available: 600 })
      expectStatus(await setStatus(world, shop.id, "loja", "approved"), 200)
      await transactionIn(shop, own, "completed", { subAccount })
      await expectFigures(shop, { available: 700 }, subAccount)
    }
  },
  {
    rules: ["S-174", "S-308"],
    title:
      "a sub-account is closed only when it is empty, and then starts nothing and receives nothing",
    run: async (world) => {
      const shop = await world.tenant()
      const subAccount = await shop.subAccount("loja")
      await adjusted(world, shop.id, 5, { subAccount })
      expectOneOf(await setStatus(world, shop.id, "loja", "closed"), 400, 409)
      await adjusted(world, shop.id, -5, { subAccount })
      const split = [{ subAccount, amount: 4 }]
      const shared = textAt(await charged(shop, { amount: 10, split }), "id")
      expectStatus(await setStatus(world, shop.id, "loja", "closed"), 200)
      const answer = await shop.call("GET", "/account", { subAccount })
      expectNotActive(answer, subAccount, "closed")
      await pay(world, shared)
      await transactionIn(shop, shared, "completed")
      // The leg stays with the owner.
      await expectFigures(shop, { available: 1_000 })
    }
  },
  {
    rules: ["S-166", "S-213"],
    title: "a payment under an open block is not refunded, and is afterwards",
    run: async (world) => {
      const shop = await world.tenant()
      const id = await paid(world, shop, { amount: 10 })
      const block = textAt(await blocked(world, shop.id, id, { amount: 1 }), "id")
      const refund = () => shop.call("POST", `/transactions/${id}/refund`, { body: {} })
      expectOneOf(await refund(), 400, 409)
      await resolveBlock(world, block, "rejected")
      expectStatus(await refund(), 201)
      await expectFigures(shop, { available: 0, held: 1_000 })
    }
  },
  {
    rules: ["S-125", "S-263", "S-265"],
    title: "fees are those of the moment of payment, to the centavo, for amounts great and small",
    run: async (world) => {
      const shop = await world.tenant({ fees: { payment: { percent: 0.99, min: 0.02, max: 5 } } })
      // 0.99 % of 0.50 is under the least fee, of 1.50 is 0.01485, of 1000.00 over the greatest.
      const amounts = [
        [0.5, 48],
        [150.5, 14_901],
        [1000, 99_500]
      ] as const
      let available = 0
      for (const [amount, credited] of amounts) {
        await paid(world, shop, { amount })
        available += credited
        await expectFigures(shop, { available, total: available })
      }
    }
  },
  {
    rules: ["S-010", "S-248"],
    title:
      "withdrawals, refunds and blocks of a sub-account are its own, and told with its reference",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook()
      const subAccount = await shop.subAccount("loja")
      const id = await paid(world, shop, { amount: 10 }, { options: { subAccount } })
      const block = textAt(await blocked(world, shop.id, id, { amount: 2 }), "id")
      await resolveBlock(world, block, "rejected")
      const withdrawal = textAt(await withdrawn(shop, { amount: 10 }, { subAccount }), "id")
      await settleWithdrawal(world, withdrawal, "failed")
      const asked = { body: {}, subAccount }
      const refund = await shop.call("POST", `/transactions/${id}/refund`, asked)
      const pspId = textAt(expectStatus(refund, 201), "pspRefundTransactionId")
      await settleRefund(world, pspId, "confirmed")
      const kinds = [
        "payment_completed",
        "balance_block_created",
        "balance_block_rejected",
        "withdrawal_failed",
        "refund_completed"
      ] as const
      for (const kind of kinds) {
        const { json } = await hook.event(kind)
        expectEqual(`subAccount of ${kind}`, at(json, "subAccount"), "loja")
      }
      const ours = expectStatus(await shop.call("GET", "/balance-blocks"), 200)
      expectFields(ours, { total: 0 })
      const theirs = expectStatus(await shop.call("GET", "/balance-blocks", { subAccount }), 200)
      expectFields(theirs, { total: 1, "items.0.id": block })
      await expectFigures(shop, { total: 0 })
      await expectFigures(shop, { total: 0 }, subAccount)
    }
  }
]
