import { assert, describe, it } from "@effect/vitest"
import type { PagoraInstance } from "@pagora/core"
import { memory, Pagora, PspCredentialId, PspDirectory } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { Layer } from "effect"
import {
  bank,
  bankPsp,
  refusalOf,
  secret,
  sharedMemory,
  until,
  withPagora
} from "../world/Embedding.test-data.ts"
import { bankA, bankB, plainBank } from "./PlainBank.test-data.ts"

const both = () => {
  const a = plainBank({ provider: "a" })
  const b = plainBank({ provider: "b" })
  return { a, b, psp: { default: bankA, psps: { [bankA]: a.psp, [bankB]: b.psp } } }
}

const assertUnknown = async (promise: Promise<unknown>) => {
  const refusal = await refusalOf(promise)
  assert.strictEqual(refusal.code, "PSP_CREDENTIAL_NOT_FOUND")
}

const charge = (pagora: PagoraInstance, account: string, pspCredentialId?: string) =>
  pagora.charges.create(account, {
    amount: 10,
    ...(pspCredentialId === undefined ? {} : { pspCredentialId })
  })

/** The status that a tenant is answered over HTTP. */
const statusOfCharge = async (pagora: PagoraInstance, account: string, body: object) => {
  const { clientId, clientSecret } = await pagora.credentials.issue(account, {
    permissions: ["FULL_ACCESS"]
  })
  const post = (path: string, content: object, headers: Record<string, string> = {}) =>
    pagora.fetch(
      new Request(`http://pagora.test${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(content)
      })
    )
  const answer = await post("/auth", { client_id: clientId, client_secret: clientSecret })
  const { access_token: token } = (await answer.json()) as { readonly access_token: string }
  return (await post("/pix", body, { authorization: `Bearer ${token}` })).status
}

/** Pays a charge at its bank, tells of it, and waits until it is in the wallet. */
const paid = async (
  pagora: PagoraInstance,
  bankOf: ReturnType<typeof plainBank>,
  account: string,
  made: Awaited<ReturnType<typeof charge>>
) => {
  bankOf.pay(made.pspPaymentId)
  await pagora.fetch(
    new Request(`http://pagora.test/psp/${made.pspCredentialId}/webhook`, {
      method: "POST",
      body: made.pspPaymentId
    })
  )
  let isIn = false
  await until(() => {
    void pagora.transactions.find(account, made.id).then(({ status }) => {
      isIn = status === "completed"
    })
    return isIn
  })
}

describe("which PSPs an account may use", () => {
  it("an account that says nothing uses the deployment's default, and no other is there for it", () => {
    const { a, b, psp } = both()
    return withPagora({ psp }, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja" })
      assert.isUndefined((await pagora.accounts.get(id)).psps)
      assert.strictEqual((await charge(pagora, id)).pspCredentialId, bankA)
      assert.strictEqual((await charge(pagora, id, bankA)).pspCredentialId, bankA)
      await assertUnknown(charge(pagora, id, bankB))
      const status = await statusOfCharge(pagora, id, { amount: 10, pspCredentialId: bankB })
      assert.strictEqual(status, 404)
      assert.strictEqual(a.asked.get("createCharge"), 2)
      assert.isUndefined(b.asked.get("createCharge"))
    })
  })

  it("the operator says which, and which one is meant where none is named", () => {
    const { psp } = both()
    return withPagora({ psp }, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja", psps: { default: bankB } })
      assert.deepStrictEqual((await pagora.accounts.get(id)).psps, {
        default: bankB,
        allowed: [bankB]
      })
      assert.strictEqual((await charge(pagora, id)).pspCredentialId, bankB)
      await assertUnknown(charge(pagora, id, bankA))

      const changed = await pagora.accounts.change(id, {
        psps: { default: bankA, allowed: [bankB, bankA] }
      })
      assert.deepStrictEqual(changed.psps, { default: bankA, allowed: [bankB, bankA] })
      assert.strictEqual((await charge(pagora, id)).pspCredentialId, bankA)
      assert.strictEqual((await charge(pagora, id, bankB)).pspCredentialId, bankB)
      // What is not named stays.
      const renamed = await pagora.accounts.change(id, { policy: { blockCnpjPayers: true } })
      assert.deepStrictEqual(renamed.psps, changed.psps)
    })
  })

  it("what is not configured, or does not fit together, is a 400 that says so", () => {
    const { psp } = both()
    return withPagora({ psp }, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja" })
      const wrong = async (psps: object, sentence: RegExp) => {
        const asked = pagora.accounts.change(id, { psps } as never)
        assert.match((await refusalOf(asked)).message, sentence)
        const opened = pagora.accounts.create({ name: "Outra", psps } as never)
        const refusal = await refusalOf(opened)
        assert.match(refusal.message, sentence)
      }
      await wrong({ default: bank }, /^psps: no PSP is configured under 0000.*ba\.$/)
      await wrong({ default: bankA, allowed: [bankA, bank] }, /^psps: no PSP is configured under/)
      await wrong({ default: bankA, allowed: [bankB] }, /default/)
      assert.isUndefined((await pagora.accounts.get(id)).psps)
    })
  })

  it("withdrawals go by the account's default, and what is open elsewhere goes on", () => {
    const { a, b, psp } = both()
    return withPagora({ psp }, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja" })
      const old = await charge(pagora, id)
      await pagora.accounts.change(id, { psps: { default: bankB } })
      await paid(pagora, a, id, old)
      const refund = await pagora.refunds.request(id, old.id)
      assert.strictEqual(refund.pspProvider, "a")
      await until(() => a.asked.get("refund") === 1)

      const next = await charge(pagora, id)
      assert.strictEqual(next.pspCredentialId, bankB)
      await paid(pagora, b, id, next)
      await pagora.withdrawals.create(id, {
        amount: 5,
        pixKey: "ana@example.com",
        pixKeyType: "email"
      })
      await until(() => b.payouts.size === 1)
      assert.strictEqual(a.payouts.size, 0)
    })
  })
})

describe("the PSPs of a deployment", () => {
  const mixed = /sandbox and production|production and sandbox/

  it("are all of one environment, whichever is the default", async () => {
    const psps = {
      [bankA]: plainBank().psp,
      [bankB]: plainBank({ environment: "sandbox" }).psp
    }
    for (const id of [bankA, bankB]) {
      const refusal = await refusalOf(
        Pagora.start({ storage: memory(), logger: false, psp: { default: id, psps } })
      )
      assert.match(refusal.message, mixed)
      assert.include(refusal.message, bankA)
      assert.include(refusal.message, bankB)
    }
  })

  it("are looked at as well where a layer brings them", async () => {
    const psps: Record<string, typeof bankPsp> = {
      [bankA]: plainBank().psp,
      [bankB]: plainBank({ environment: "sandbox" }).psp
    }
    const psp = Layer.succeed(PspDirectory, {
      default: bankA,
      all: [bankA, bankB],
      find: (id: string) => psps[id]
    } as never)
    const refusal = await refusalOf(Pagora.start({ storage: memory(), logger: false, psp }))
    assert.match(refusal.message, mixed)
    const listless = Layer.succeed(PspDirectory, {
      default: bankA,
      find: (id: string) => psps[id]
    } as never)
    const other = await refusalOf(Pagora.start({ storage: memory(), logger: false, psp: listless }))
    assert.match(other.message, /^psp .*all/)
    const remaking = Layer.succeed(PspDirectory, {
      default: PspCredentialId.make(bankA),
      all: [PspCredentialId.make(bankA)],
      find: () => ({ ...bankPsp })
    })
    const third = await refusalOf(Pagora.start({ storage: memory(), logger: false, psp: remaking }))
    assert.match(third.message, /^psp .*make it once/)
  })

  it("a second bank that plays does not come into a production database later either", async () => {
    const storage = await sharedMemory()
    const a = plainBank().psp
    const first = await Pagora.start({
      storage,
      secret,
      logger: false,
      psp: { default: bankA, psps: { [bankA]: a } }
    })
    await first.stop()
    const refusal = await refusalOf(
      Pagora.start({ storage, secret, logger: false, psp: sandbox({ settleAfter: "manual" }) })
    )
    assert.match(refusal.message, /belongs to a production deployment/)
  })
})
