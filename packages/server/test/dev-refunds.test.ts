import { assert, describe, it } from "@effect/vitest"
import { eventually, startReceiver } from "@pagora/testkit"
import type { RunningPagora, WithId } from "@pagora/testkit"
import type { TestContext } from "vitest"
import { answered } from "./Answered.test-data.ts"
import { startOnPostgreSQL } from "./OnPostgreSQL.test-data.ts"

const started = async (
  { onTestFinished }: TestContext,
  ...args: ReadonlyArray<string>
): Promise<RunningPagora> => {
  const { end, pagora } = await startOnPostgreSQL(args)
  onTestFinished(end)
  return pagora
}

/** A charge of ten reais that is paid. */
const paid = async ({ sandbox, shop }: RunningPagora) => {
  const charge = answered(await shop("POST", "/pix", { body: { amount: 10 } }), 201)
  const path = `/charges/${charge.id}/pay` as const
  answered(await sandbox("POST", path, { body: {} }), 200)
  return charge
}

const refundOf = async ({ shop }: RunningPagora, charge: WithId) => {
  const path = `/transactions/${charge.id}/refund` as const
  const headers = { "idempotency-key": `refund-${charge.id}` }
  return answered(await shop("POST", path, { headers, body: { reason: "Troca" } }), 201)
}

const total = async ({ shop }: RunningPagora): Promise<number> =>
  answered(await shop("GET", "/account"), 200).balance?.total?.amount

const assertAudited = async ({ operator }: RunningPagora) => {
  const proof = answered(await operator("GET", "/audit"), 200)
  assert.strictEqual(proof.ok, true, JSON.stringify(proof))
}

const transaction = async ({ shop }: RunningPagora, name: string) =>
  answered(await shop("GET", `/transactions/${name}`), 200)

describe("pagora dev", { timeout: 90_000 }, () => {
  it.concurrent("lets refunds and returns end by themselves after about a second", async (context) => {
    const pagora = await started(context)
    const charge = await paid(pagora)
    await refundOf(pagora, charge)
    const refund = await eventually(async () => {
      const found = await transaction(pagora, `refund-${charge.id}`)
      return found.status === "completed" ? found : undefined
    })
    assert.strictEqual(refund.type, "refund")
    assert.match(String(refund.e2eId), /^D/)
    assert.strictEqual(await total(pagora), 0)
    await assertAudited(pagora)
  })

  it.concurrent("returns what was not asked for, in both ways of settling", async (context) => {
    const pagora = await started(context, "--manual")
    const hook = await startReceiver()
    context.onTestFinished(hook.close)
    const endpoints = `/accounts/${pagora.facts.accountId}/webhook-endpoints` as const
    answered(await pagora.operator("POST", endpoints, { body: { url: hook.url } }), 201)
    const charge = answered(await pagora.shop("POST", "/pix", { body: { amount: 10 } }), 201)
    const path = `/charges/${charge.id}/pay` as const
    answered(await pagora.sandbox("POST", path, { body: { amount: 3 } }), 200)
    const failed = await eventually(() => hook.received[0])
    const { blockedDeposit, transactionId } = failed.json.data ?? {}
    assert.strictEqual(blockedDeposit?.refund?.status, "pending")
    const refund = await eventually(async () => {
      const shown = await transaction(pagora, String(transactionId))
      const current = shown.blockedDeposit?.refund
      return String(current?.status) === "confirmed" ? current : undefined
    })
    assert.match(String(refund?.e2eId), /^D/)
    assert.isFalse(Number.isNaN(Date.parse(String(refund?.settledAt))))
    assert.strictEqual(await total(pagora), 0)
    await assertAudited(pagora)
  })

  it.concurrent("leaves refunds to the sandbox's hand with --manual", async (context) => {
    const pagora = await started(context, "--manual")
    const charge = await paid(pagora)
    const receipt = await refundOf(pagora, charge)
    const moved = { body: { seconds: 60 } }
    answered(await pagora.sandbox("POST", "/clock/advance", moved), 200)
    const name = `refund-${charge.id}`
    assert.strictEqual((await transaction(pagora, name)).status, "pending")
    const path = `/refunds/${receipt.pspRefundTransactionId}/settle` as const
    const body = { outcome: "error" }
    const settled = answered(await pagora.sandbox("POST", path, { body }), 200)
    assert.strictEqual(settled.status, "ERROR")
    assert.strictEqual((await transaction(pagora, name)).status, "failed")
    assert.strictEqual(await total(pagora), 1_000)
    await assertAudited(pagora)
  })
})
