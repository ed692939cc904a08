import { BrCode, Money } from "@pagora/core"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Result } from "effect"
import { bacen } from "../Bacen.ts"
import { cob, endToEndId, optionsFor, pix, pixKey, startBank, txid } from "../Bank.test-data.ts"

const amount = Money.Centavos.make(1234n)
const asked = { reference: txid, amount, expiresInSeconds: 3600 }

layer(Layer.empty, { excludeTestServices: true })("a charge", (it) => {
  it.effect("is made under its txid for our key, with whoever is to pay", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(() => ({ status: 201, json: cob() }))
      yield* bacen(optionsFor("efi", bank.origin)).createCharge({
        ...asked,
        description: "açaí".repeat(50),
        payer: { name: "Maria", document: "52998224725" }
      })
      const [put] = bank.asks
      assert.strictEqual(put?.method, "PUT")
      assert.strictEqual(put?.path, `/v2/cob/${txid}`)
      const { solicitacaoPagador, ...body } = JSON.parse(put?.body ?? "")
      assert.strictEqual(solicitacaoPagador.length, 140)
      assert.deepStrictEqual(body, {
        calendario: { expiracao: 3600 },
        valor: { original: "12.34" },
        chave: pixKey,
        devedor: { cpf: "52998224725", nome: "Maria" }
      })
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is read by pixCopiaECola, by brcode, or by its location, with nulls and without zones",
    () =>
      Effect.gen(function* () {
        const { location, pixCopiaECola } = cob()
        const bare = { pixCopiaECola: null }
        const forms: ReadonlyArray<readonly [object, string]> = [
          [{ devedor: null, pix: null, location: null, infoAdicionais: [null] }, pixCopiaECola],
          [{ ...bare, brcode: "000201…" }, "000201…"],
          [
            { ...bare, calendario: { criacao: "2026-01-02T00:04:05", expiracao: "3600" } },
            location
          ],
          [{ ...bare, location: null, loc: { location: `https://${location}` } }, location]
        ]
        for (const [fields, code] of forms) {
          const bank = yield* startBank(() => ({ json: cob({ ...fields }) }))
          const merchant = { name: "Loja Azul", city: "Recife" }
          const found = yield* bacen(optionsFor("sicoob", bank.origin, { merchant })).findCharge(
            txid
          )
          if (found._tag !== "Done" || found.value === undefined) return assert.fail(found._tag)
          const { createdAt, expiresAt, pixCopyPaste } = found.value
          assert.strictEqual(DateTime.formatIso(createdAt), "2026-01-02T03:04:05.000Z")
          assert.strictEqual(DateTime.formatIso(expiresAt), "2026-01-02T04:04:05.000Z")
          if (code !== location) assert.strictEqual(pixCopyPaste, code)
          else {
            const written = Result.getOrThrow(BrCode.parse(pixCopyPaste))
            assert.strictEqual(written.kind === "dynamic" ? written.location : "", location)
          }
        }
      }).pipe(Effect.scoped)
  )

  it.effect("has its payments, with amounts as texts or numbers", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(() => ({
        json: cob({ status: "CONCLUIDA", pix: [pix(), pix({ valor: 0.1 })] })
      }))
      const found = yield* bacen(optionsFor("inter", bank.origin)).findCharge(txid)
      if (found._tag !== "Done") return assert.fail(found._tag)
      assert.deepStrictEqual(
        found.value?.payments.map((payment) => [payment.endToEndId, payment.amount]),
        [
          [endToEndId, 1234n],
          [endToEndId, 10n]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("that nobody can be asked for asks nobody", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(() => ({ json: cob() }))
      const psp = bacen(optionsFor("efi", bank.origin))
      const wrong = [
        { amount: Money.zero },
        { amount: Money.Centavos.make(10n ** 30n) },
        { expiresInSeconds: 0 },
        { expiresInSeconds: 1.5 },
        { reference: "../../etc/passwd/0123456789012345" }
      ]
      for (const terms of wrong) {
        assert.strictEqual((yield* psp.createCharge({ ...asked, ...terms }))._tag, "Rejected")
      }
      assert.strictEqual(bank.asks.length, 0)
    }).pipe(Effect.scoped)
  )
})
