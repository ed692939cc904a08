import { assert, describe, it } from "@effect/vitest"
import { memory, Pagora, PagoraError } from "@pagora/core"
import { eventually } from "@pagora/testkit"
import { callBack, startBank, startWoovi } from "./BankStory.test-data.ts"

const firstId = "00000000-0000-7000-8000-0000000000e1"
const otherId = "00000000-0000-7000-8000-0000000000e2"

describe.each([
  ["efi", "inter"],
  ["woovi", "efi"],
  ["inter", "woovi"]
] as const)("a shop at %s and at %s, over sockets", { timeout: 120_000 }, (...names) => {
  it("charges at the other while one is down; what was begun there ends there, to the centavo", async (context) => {
    const start = (name: (typeof names)[number]) =>
      name === "woovi" ? startWoovi(context) : startBank(name, context)
    const [first, other] = [await start(names[0]), await start(names[1])]
    const pagora = await Pagora.start({
      storage: memory(),
      psp: { default: otherId, psps: { [firstId]: first.psp, [otherId]: other.psp } },
      logger: false
    })
    context.onTestFinished(() => pagora.stop())
    await callBack(first, pagora, firstId, context)
    await callBack(other, pagora, otherId, context)
    const { id: shop } = await pagora.accounts.create({
      name: "Loja Azul",
      psps: { default: otherId, allowed: [firstId, otherId], rules: [{ to: [{ psp: firstId }] }] }
    })
    const charge = (amount: number, idempotencyKey?: string) =>
      pagora.charges.create(shop, { amount }, { idempotencyKey })
    const paid = async (id: string, { bank }: typeof first, centavos: number) => {
      const { txid } =
        bank.world.charges.find(({ terms }) => terms.centavos === centavos) ?? assert.fail()
      bank.pay(txid)
      await eventually(async () => {
        const { status } = await pagora.transactions.find(shop, id)
        return status === "completed" ? status : undefined
      })
    }
    const once = await charge(10)
    assert.strictEqual(once.pspCredentialId, firstId)
    await paid(once.id, first, 1_000)

    await first.bank.goDown()
    const amounts = [21, 22, 23]
    for (const amount of amounts) {
      const refusal: unknown = await charge(amount, `begun-at-${amount}`).catch((error) => error)
      assert.strictEqual(refusal instanceof PagoraError && refusal.code, "PSP_UNAVAILABLE")
    }
    const elsewhere = await charge(40)
    assert.strictEqual(elsewhere.pspCredentialId, otherId)
    await paid(elsewhere.id, other, 4_000)

    await first.bank.comeBack()
    for (const amount of amounts) {
      const begun = await charge(amount, `begun-at-${amount}`)
      assert.strictEqual(begun.pspCredentialId, firstId)
      await paid(begun.id, first, amount * 100)
    }
    assert.strictEqual((await charge(50)).pspCredentialId, firstId)
    assert.strictEqual(other.bank.world.charges.length, 1)
    assert.deepStrictEqual([first.arrived(), other.arrived()], [7_600, 4_000])
    assert.strictEqual((await pagora.balances.get(shop)).total.amount, 11_600)
    const { ok, violations } = await pagora.audit()
    assert.deepStrictEqual([ok, violations], [true, []])
    for (const { bank } of [first, other])
      assert.deepStrictEqual("findings" in bank ? bank.findings : [], [])
  })
})
