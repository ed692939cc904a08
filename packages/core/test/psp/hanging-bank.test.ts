import { assert, describe, it } from "@effect/vitest"
import type { PagoraInstance, PspShape } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { Deferred, Effect, Exit } from "effect"
import { refusalOf, until, withPagora } from "../world/Embedding.test-data.ts"
import { bankA, bankB, plainBank } from "./PlainBank.test-data.ts"

const notify = (pagora: PagoraInstance, psp: string, reference: string) =>
  pagora.fetch(
    new Request(`http://pagora.test/psp/${psp}/webhook`, { method: "POST", body: reference })
  )

/** Two banks; the first can be made to hang, on what a test says. */
const banks = () => {
  let hung: Effect.Effect<void> | undefined
  let asked = 0
  const sound = plainBank()
  const hanging = <A>(answer: Effect.Effect<PspOutcome<A>>) =>
    Effect.suspend(() => {
      if (hung === undefined) return answer
      asked++
      return Effect.as(hung, PspOutcome.unknown("It had no time."))
    })
  const a: PspShape = {
    ...sound.psp,
    createCharge: (charge) => hanging(sound.psp.createCharge(charge)),
    findCharge: (reference) => hanging(sound.psp.findCharge(reference))
  }
  const b = plainBank()
  return {
    b,
    psp: { default: bankA, psps: { [bankA]: a, [bankB]: b.psp } },
    hang: (on: Effect.Effect<void>) => {
      hung = on
    },
    asked: () => asked
  }
}

describe("a bank that never answers", () => {
  it("128 notices of it do not keep the other bank's payments waiting", () => {
    const { asked, b, hang, psp } = banks()
    return withPagora({ psp }, async (pagora) => {
      const shops = await Promise.all(
        Array.from({ length: 8 }, () => pagora.accounts.create({ name: "Loja" }))
      )
      const other = await pagora.accounts.create({ name: "Outra", psps: { default: bankB } })
      const charges = await Promise.all(
        shops.flatMap(({ id }) =>
          Array.from({ length: 16 }, () => pagora.charges.create(id, { amount: 10 }))
        )
      )
      const paid = await pagora.charges.create(other.id, { amount: 10 })
      const gate = Deferred.makeUnsafe<void>()
      hang(Deferred.await(gate))
      await Promise.all(charges.map(({ pspPaymentId }) => notify(pagora, bankA, pspPaymentId)))
      // The workers are at it.
      await new Promise((resolve) => setTimeout(resolve, 300))
      b.pay(paid.pspPaymentId)
      const begun = performance.now()
      await notify(pagora, bankB, paid.pspPaymentId)
      let balance = 0
      await until(() => {
        void pagora.balances.get(other.id).then(({ available }) => {
          balance = available.amount
        })
        return balance > 0
      })
      // It was a hundred seconds; one bank's deadline alone is 15.
      assert.isBelow(performance.now() - begun, 12_000)
      assert.isAbove(asked(), 0)
      Deferred.doneUnsafe(gate, Exit.void)
    })
  }, 60_000)

  it("is left alone after five silences, and new charges at it are refused at once", () => {
    const { asked, hang, psp } = banks()
    return withPagora({ psp }, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja" })
      // A silence; that one of 15 seconds is another is told where time is a test's.
      hang(Effect.sleep("5200 millis"))
      const refusals = await Promise.all(
        Array.from({ length: 5 }, () => refusalOf(pagora.charges.create(id, { amount: 10 })))
      )
      for (const { code } of refusals) assert.strictEqual(code, "PSP_UNAVAILABLE")
      const before = asked()
      const begun = performance.now()
      const refusal = await refusalOf(
        pagora.charges.create(id, { amount: 10, externalReference: "cedo" })
      )
      assert.isBelow(performance.now() - begun, 5_000)
      assert.strictEqual(refusal.code, "PSP_UNAVAILABLE")
      assert.strictEqual(asked(), before)
      // Nothing was begun, so there is nothing to find.
      const missing = await refusalOf(pagora.transactions.find(id, "cedo"))
      assert.strictEqual(missing.code, "TRANSACTION_NOT_FOUND")
      assert.include(await pagora.metrics(), `pagora_psp_circuit_open{psp="${bankA}"} 1`)
      assert.include(await pagora.metrics(), `pagora_psp_circuit_open{psp="${bankB}"} 0`)
      const health = await pagora.health()
      assert.isTrue(health.ready)
      assert.strictEqual(health.checks.psps, "failed")
    })
  }, 60_000)
})
