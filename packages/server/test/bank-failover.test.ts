import { assert, describe, it } from "@effect/vitest"
import { memory, Pagora, PagoraError } from "@pagora/core"
import { eventually } from "@pagora/testkit"
import { callBack, startBank } from "./BankStory.test-data.ts"

const efiId = "00000000-0000-7000-8000-0000000000e1"
const interId = "00000000-0000-7000-8000-0000000000e2"

describe("a shop at Efí and at Inter, over sockets", { timeout: 120_000 }, () => {
  it("charges at the other while one is down; what was begun there ends there, to the centavo", async (context) => {
    const [efi, inter] = [await startBank("efi", context), await startBank("inter", context)]
    const pagora = await Pagora.start({
      storage: memory(),
      psp: { default: interId, psps: { [efiId]: efi.psp, [interId]: inter.psp } },
      logger: false
    })
    context.onTestFinished(() => pagora.stop())
    await callBack(efi, pagora, efiId, context)
    await callBack(inter, pagora, interId, context)
    const { id: shop } = await pagora.accounts.create({
      name: "Loja Azul",
      psps: { default: interId, allowed: [efiId, interId], rules: [{ to: [{ psp: efiId }] }] }
    })
    const charge = (amount: number, idempotencyKey?: string) =>
      pagora.charges.create(shop, { amount }, { idempotencyKey })
    const paid = async (id: string, { bank }: typeof efi, centavos: number) => {
      const { txid } =
        bank.world.charges.find(({ terms }) => terms.centavos === centavos) ?? assert.fail()
      bank.pay(txid)
      await eventually(async () => {
        const { status } = await pagora.transactions.find(shop, id)
        return status === "completed" ? status : undefined
      })
    }
    const first = await charge(10)
    assert.strictEqual(first.pspCredentialId, efiId)
    await paid(first.id, efi, 1_000)

    await efi.bank.goDown()
    const amounts = [21, 22, 23]
    for (const amount of amounts) {
      const refusal: unknown = await charge(amount, `begun-at-${amount}`).catch((error) => error)
      assert.strictEqual(refusal instanceof PagoraError && refusal.code, "PSP_UNAVAILABLE")
    }
    const elsewhere = await charge(40)
    assert.strictEqual(elsewhere.pspCredentialId, interId)
    await paid(elsewhere.id, inter, 4_000)

    await efi.bank.comeBack()
    for (const amount of amounts) {
      const begun = await charge(amount, `begun-at-${amount}`)
      assert.strictEqual(begun.pspCredentialId, efiId)
      await paid(begun.id, efi, amount * 100)
    }
    assert.strictEqual((await charge(50)).pspCredentialId, efiId)
    assert.strictEqual(inter.bank.world.charges.length, 1)
    assert.deepStrictEqual([efi.arrived(), inter.arrived()], [7_600, 4_000])
    assert.strictEqual((await pagora.balances.get(shop)).total.amount, 11_600)
    const { ok, violations } = await pagora.audit()
    assert.deepStrictEqual([ok, violations], [true, []])
    for (const { bank } of [efi, inter]) assert.deepStrictEqual(bank.findings, [])
  })
})
