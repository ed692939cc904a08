import { assert, describe, it } from "@effect/vitest"
import { Accounts, Charges, Pagora, Sandbox } from "@pagora/core"
import type { PagoraError } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import type { Layer } from "effect"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import {
  bank,
  bankPsp,
  codeOf,
  refusalOf,
  small,
  withPagora
} from "../world/Embedding.test-data.ts"

const hook = "https://hooks.example.com/pagora"

describe("the Promise API", () => {
  it("refuses an option that there is not, before anything is done", () =>
    withPagora({}, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      const options = { subaccount: "ana" } as { subAccount?: string }
      const refused = await refusalOf(pagora.charges.create(id, { amount: 1 }, options))
      assert.strictEqual(refused.code, "VALIDATION_ERROR")
      assert.match(refused.message, /^subaccount: There is no such option/)
      assert.deepStrictEqual((await pagora.transactions.list(id)).data, [])
    }))

  it("is the program of the first page: an account, a credential, a charge over HTTP, its event", () =>
    withPagora({ basePath: "/payments/v2" }, async (pagora) => {
      const shop = await pagora.accounts.create({ name: "Loja Azul", document: "11222333000181" })
      const { clientId, clientSecret } = await pagora.credentials.issue(shop.id, {
        permissions: ["FULL_ACCESS"]
      })
      const orders: Array<unknown> = []
      await pagora.on("payment_completed", { name: "orders" }, async (event) => {
        orders.push([event.accountId, event.eventId, event.data.amount])
      })
      const post = async (path: string, body: unknown, token?: string) => {
        const response = await pagora.fetch(
          new Request(`https://shop.example.com/payments/v2${path}`, {
            method: "POST",
            headers: {
              "content-type": "application/json",
              ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
            },
            body: JSON.stringify(body)
          })
        )
        return (await response.json()) as Record<string, string>
      }
      const auth = await post("/auth", { client_id: clientId, client_secret: clientSecret })
      const charge = await post("/pix", { amount: 25.9 }, auth["access_token"])
      await pagora.sandbox.pay(String(charge["id"]))
      await pagora.sandbox.advance({ seconds: 0 })
      assert.deepStrictEqual(orders, [[shop.id, charge["id"], 25.9]])
      assert.isTrue((await pagora.audit()).ok)
    }))

  it("moves money by every method, and the ledger balances", () =>
    withPagora({}, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      await pagora.accounts.change(id, { fees: { payment: { percent: 1 } } })
      assert.strictEqual((await pagora.accounts.get(id)).fees.payment?.percent, 1)
      await pagora.accounts.adjust(id, { amount: 100, reason: "Saldo inicial" })
      await pagora.accounts.payCommission(id, { amount: 1.5 })
      const project = await pagora.projects.create(id, { name: "Site" })
      assert.strictEqual((await pagora.projects.list(id, { limit: 5 })).items[0]?.id, project.id)
      await pagora.subAccounts.create(id, { reference: "filial", name: "Filial" })
      await pagora.subAccounts.change(id, "filial", { status: "approved" })
      assert.strictEqual((await pagora.subAccounts.list(id)).data.length, 1)
      await pagora.transfers.create(id, { to: "filial", amount: 10 })
      const branch = await pagora.balances.get(id, { subAccount: "filial" })
      assert.strictEqual(branch.available.amountFormatted, 10)

      const open = await pagora.charges.create(id, { amount: 5 })
      assert.strictEqual((await pagora.charges.cancel(id, open.id)).status, "cancelled")
      const late = await pagora.charges.create(id, { amount: 5 })
      assert.strictEqual((await pagora.sandbox.expire(late.id)).status, "cancelled")
      const charge = await pagora.charges.create(id, { amount: 50, projectId: project.id })
      await pagora.sandbox.pay(charge.id, { payerName: "Ana" })
      assert.strictEqual((await pagora.transactions.find(id, charge.id)).status, "completed")
      const page = await pagora.transactions.list(id, { type: "payment", limit: 1 })
      assert.isNotNull(page.nextCursor)

      const block = await pagora.blocks.create(id, {
        transactionId: charge.id,
        blockType: "med"
      })
      await pagora.blocks.defend(block.id)
      await pagora.blocks.resolve(block.id, { outcome: "rejected" })
      assert.strictEqual((await pagora.blocks.list(id)).items[0]?.status, "rejected")

      const refund = await pagora.refunds.request(id, charge.id, { reason: "Devolução" })
      await pagora.sandbox.settleRefund(refund.pspRefundTransactionId, { outcome: "confirmed" })
      const withdrawal = await pagora.withdrawals.create(id, {
        amount: 20,
        pixKey: "ana@example.com",
        pixKeyType: "email"
      })
      await pagora.sandbox.settleWithdrawal(withdrawal.id, { outcome: "completed" })
      assert.strictEqual((await pagora.withdrawals.find(id, withdrawal.id)).status, "completed")
      const decided = await refusalOf(
        pagora.withdrawals.resolve(withdrawal.id, { outcome: "failed", reason: "Não" })
      )
      assert.strictEqual(decided.details["status"], 409)
      const balance = await pagora.balances.get(id)
      // 100 + 1.50 + 50 - 0.50 of fee - 50 back - 10 to the branch - 20 away.
      assert.strictEqual(balance.total.amountFormatted, 71)
      assert.deepInclude(await pagora.audit(), { ok: true, violations: [] })
    }))

  it("looks after webhooks and credentials, and after what the simulated PSP does wrong", () =>
    withPagora({}, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      const endpoint = await pagora.webhooks.create(id, { url: hook })
      assert.match(endpoint.secret, /^whsec_/)
      assert.strictEqual((await pagora.webhooks.list(id)).data[0]?.url, hook)
      const charge = await pagora.charges.create(id, { amount: 5 })
      await pagora.sandbox.pay(charge.id)
      const { data } = await pagora.webhooks.deliveries(id, { event: "payment_completed" })
      assert.strictEqual(data[0]?.endpointId, endpoint.id)
      const again = await pagora.webhooks.resend(String(data[0]?.id), { idempotencyKey: once })
      assert.notStrictEqual(again.id, data[0]?.id)
      const filtered = await pagora.webhooks.deliveries(id, { endpoint: endpoint.id, limit: 1 })
      assert.strictEqual(filtered.data[0]?.id, again.id)
      assert.isNotNull(filtered.nextCursor)
      const test = await pagora.webhooks.test(id, endpoint.id, { idempotencyKey: once })
      assert.strictEqual(test.event, "webhook_test")
      const recovery = { since: "2026-11-21" }
      const options = { idempotencyKey: once }
      const recovered = await pagora.webhooks.recover(endpoint.id, recovery, options)
      assert.strictEqual(recovered.endpointId, endpoint.id)
      const rotated = await pagora.webhooks.rotateSecret(id, endpoint.id, { graceSeconds: 60 })
      assert.notStrictEqual(rotated.secret, endpoint.secret)
      await pagora.webhooks.rotateSecret(id, endpoint.id)
      const off = await pagora.webhooks.change(id, endpoint.id, { enabled: false })
      assert.isFalse(off.enabled)
      const credential = await pagora.credentials.issue(id, { permissions: ["PIX:WRITE"] }, options)
      const issuedAgain = pagora.credentials.issue(id, { permissions: ["PIX:WRITE"] }, options)
      assert.deepStrictEqual(await issuedAgain, credential)
      assert.isUndefined(await pagora.webhooks.remove(id, endpoint.id))
      assert.isUndefined(await pagora.credentials.revoke(id, credential.id))
      const { data: credentials } = await pagora.credentials.list(id, { limit: 5 })
      assert.deepStrictEqual(
        credentials.map(({ clientId, status }) => [clientId, status]),
        [[credential.id, "revoked"]]
      )
      const faults = [{ kind: "dropRequest", operation: "createCharge", times: 1 }] as const
      await pagora.sandbox.setFaults({ faults })
      assert.deepInclude((await pagora.sandbox.faults()).faults[0], faults[0])
      const unknown = await refusalOf(pagora.charges.create(id, { amount: 5 }))
      assert.strictEqual(unknown.code, "PSP_UNAVAILABLE")
    }))

  it("lists what an account has, and moves its money once for a key", () =>
    withPagora({}, async (pagora) => {
      const options = { idempotencyKey: once }
      const { id } = await pagora.accounts.create({ name: "Loja Azul" }, options)
      assert.strictEqual((await pagora.accounts.create({ name: "Loja Azul" }, options)).id, id)
      assert.strictEqual((await pagora.accounts.list({ status: "approved" })).data[0]?.id, id)
      await pagora.subAccounts.create(id, { reference: "filial", name: "Filial" })
      assert.strictEqual((await pagora.subAccounts.page(id)).data[0]?.reference, "filial")
      for (let time = 0; time < 2; time++) {
        await pagora.accounts.adjust(id, { amount: 9, reason: "Saldo" }, options)
        await pagora.accounts.payCommission(id, { amount: 1, subAccount: "filial" }, options)
      }
      const balances = await pagora.balances.list(id)
      assert.strictEqual(balances.available.amountFormatted, 9)
      assert.deepStrictEqual(
        balances.data.map(({ subAccount, total }) => [subAccount, total.amountFormatted]),
        [
          ["filial", 1],
          [null, 9]
        ]
      )
      const { data: entries } = await pagora.accounts.entries(id, { limit: 10 })
      assert.deepStrictEqual(
        entries.map(({ amount, bucket, kind }) => [kind, bucket, amount]),
        [
          ["referral_commission", "available", 1],
          ["adjustment", "available", 9]
        ]
      )
      const { data: transactions } = await pagora.accounts.transactions(id, { type: "adjustment" })
      assert.strictEqual(transactions[0]?.id, entries[1]?.ledgerTransactionId)
      const charge = await pagora.charges.create(id, { amount: 5 })
      await pagora.sandbox.pay(charge.id)
      const blocked = { transactionId: charge.id, blockType: "med" } as const
      const block = await pagora.blocks.create(id, blocked, options)
      assert.strictEqual((await pagora.blocks.create(id, blocked, options)).id, block.id)
      await pagora.blocks.defend(block.id, options)
      await pagora.blocks.resolve(block.id, { outcome: "rejected" }, options)
      await pagora.blocks.resolve(block.id, { outcome: "rejected" }, options)
      assert.strictEqual((await pagora.blocks.page(id)).data[0]?.status, "rejected")
      assert.isTrue((await pagora.audit()).ok)
    }))

  it("rejects with the code, the sentence and the details of the HTTP API", () =>
    withPagora({}, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      const badAmount = await refusalOf(pagora.charges.create(id, { amount: 0.001 }))
      assert.strictEqual(badAmount.code, "VALIDATION_ERROR")
      const noAmount = await refusalOf(pagora.charges.create(id, {} as never))
      assert.strictEqual(noAmount.message, "amount: This field is required.")
      assert.strictEqual(badAmount.details["status"], 400)
      assert.match(badAmount.message, /^amount: /)
      const inCentavos = { amount: 100n as unknown as number }
      assert.match((await refusalOf(pagora.charges.create(id, inCentavos))).message, /not bigint/)
      const nobody = await refusalOf(pagora.charges.create("nobody", { amount: 1 }))
      assert.deepInclude(nobody.details, { status: 404, resource: "account", id: "nobody" })
      const nowhere = await refusalOf(pagora.transactions.find(id, "../account"))
      assert.deepInclude(nowhere.details, { status: 404, resource: "transaction" })
      const options = { subAccount: "nobody" }
      const noBranch = await refusalOf(pagora.charges.create(id, { amount: 1 }, options))
      assert.strictEqual(noBranch.code, "SUB_ACCOUNT_NOT_FOUND")
    }))

  it("does one thing once for an idempotency key, together with HTTP", () =>
    withPagora({}, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      const options = { idempotencyKey: "order-1234" }
      const first = await pagora.charges.create(id, { amount: 5 }, options)
      assert.deepStrictEqual(await pagora.charges.create(id, { amount: 5 }, options), first)
      const other = await refusalOf(pagora.charges.create(id, { amount: 6 }, options))
      assert.strictEqual(other.code, "IDEMPOTENCY_KEY_REUSED")
      assert.strictEqual((await pagora.transactions.find(id, "order-1234")).id, first.id)
    }))

  it("is no way in for a request", () =>
    withPagora({ operatorKey: "an operator key of 32 characters" }, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      const open = (path: string, headers: Record<string, string> = {}) =>
        new Request(`http://pagora.internal${path}`, { headers })
      const tenant = await pagora.fetch(open("/account", { "x-pagora-account": id }))
      assert.deepStrictEqual([tenant.status, await codeOf(tenant)], [401, "TOKEN_MISSING"])
      assert.strictEqual((await pagora.operatorFetch(open("/audit"))).status, 401)
      assert.strictEqual((await pagora.fetch(open("/audit"))).status, 404)
      const operator = { authorization: "Bearer an operator key of 32 characters" }
      assert.strictEqual((await pagora.operatorFetch(open("/audit", operator))).status, 200)
      assert.strictEqual((await pagora.sandboxFetch(open("/faults", operator))).status, 200)
    }))

  it("believes the host where a request comes from, and nobody else", () =>
    withPagora({}, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      const credential = await pagora.credentials.issue(id, {
        permissions: ["WITHDRAWAL:WRITE"],
        allowedIps: ["203.0.113.7"]
      })
      const post = (path: string, body: unknown, headers: Record<string, string>) =>
        new Request(`http://pagora.internal${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body)
        })
      const { clientId, clientSecret } = credential
      const pair = { client_id: clientId, client_secret: clientSecret }
      const auth = await pagora.fetch(post("/auth", pair, {}))
      const { access_token: token } = (await auth.json()) as { readonly access_token: string }
      const withdraw = async (remoteAddress?: string) => {
        const body = { amount: 1, pixKey: "ana@example.com", pixKeyType: "email" }
        const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": "203.0.113.7" }
        return codeOf(await pagora.fetch(post("/withdrawals", body, headers), { remoteAddress }))
      }
      assert.strictEqual(await withdraw(), "IP_NOT_ALLOWED")
      assert.strictEqual(await withdraw("203.0.113.8"), "IP_NOT_ALLOWED")
      assert.strictEqual(await withdraw("203.0.113.7"), "INSUFFICIENT_BALANCE")
    }))

  it("says how to mount it when the host has read a body already", () =>
    withPagora({ basePath: "/payments/v2" }, async (pagora) => {
      const url = "http://pagora.internal/payments/v2/auth"
      const request = new Request(url, { method: "POST", body: "{}" })
      const clone = request.clone()
      await request.text()
      const response = await pagora.fetch(request)
      assert.deepStrictEqual(
        [response.status, await codeOf(response)],
        [500, "BODY_ALREADY_PARSED"]
      )
      assert.strictEqual((await pagora.fetch(clone, null as never)).status, 415)
    }))

  it("is there below basePath, and without it: its host may have taken it off", () =>
    withPagora({ basePath: "/payments/v2" }, async (pagora) => {
      const statusOf = async (path: string) =>
        (await pagora.fetch(new Request(`http://pagora.internal${path}`))).status
      assert.strictEqual(await statusOf("/payments/v2/account"), 401)
      assert.strictEqual(await statusOf("/account"), 401)
      assert.strictEqual(await statusOf("/payments/v2x/account"), 404)
    }))

  it("knows no sandbox where another PSP runs", () =>
    withPagora({ psp: { default: bank, psps: { [bank]: bankPsp } } }, async (pagora) => {
      assert.strictEqual((await refusalOf(pagora.sandbox.faults())).code, "NO_SANDBOX")
      const response = await pagora.sandboxFetch(new Request("http://pagora.internal/faults"))
      assert.deepStrictEqual([response.status, await codeOf(response)], [404, "NO_SANDBOX"])
    }))

  it("is the same service that Effect users get, in their types", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const charges = yield* Charges
      const shop = yield* accounts.create({ name: "Loja Azul" })
      const account = yield* accounts.find(shop.id)
      const charge = yield* charges.create(
        { account, subAccount: undefined },
        { amount: Centavos.make(2590n) }
      )
      assert.strictEqual(charge.amount, 2590n)
      // The type has the payer's hands where the options have the sandbox, and only there.
      const [payment] = yield* (yield* Sandbox).pay(charge.id, {})
      assert.strictEqual(payment?.amount, 2590n)
      type Provided<L> = L extends Layer.Layer<infer A, PagoraError> ? A : never
      const withBank = () => Pagora.layer({ ...small, psp: { default: bank, psps: {} } })
      const withSandbox = () => Pagora.layer({ ...small, psp: sandbox() })
      const has: [
        Sandbox extends Provided<ReturnType<typeof withSandbox>> ? true : false,
        Sandbox extends Provided<ReturnType<typeof withBank>> ? true : false
      ] = [true, false]
      assert.strictEqual(has.length, 2)
    }).pipe(Effect.provide(Pagora.layer({ ...small, psp: sandbox() })), Effect.runPromise))
})

const once = "once-0000001"
