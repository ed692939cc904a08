import type { PspNotice, RawNotification } from "@pagora/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { bacen } from "../Bacen.ts"
import { endToEndId, optionsFor, pix, txid } from "../Bank.test-data.ts"
import type { BacenOptions } from "../BacenOptions.ts"
import { callbackUrl } from "./CallbackProof.ts"

const proof = { by: "secret", secret: "um-segredo-bem-comprido" } as const
const address = "34.193.116.226"

const sent = (json: unknown, more: Partial<RawNotification> = {}): RawNotification => ({
  headers: {},
  body: new TextEncoder().encode(typeof json === "string" ? json : JSON.stringify(json)),
  query: { hmac: proof.secret, ignorar: "/pix" },
  path: "",
  remoteAddress: address,
  ...more
})

const pspOf = (callbacks: BacenOptions["callbacks"], bank: BacenOptions["bank"] = "efi") =>
  bacen(optionsFor(bank, "https://localhost:1", callbacks === undefined ? {} : { callbacks }))

const read = (notification: RawNotification, callbacks: BacenOptions["callbacks"] = proof) =>
  Effect.runSync(Effect.exit(pspOf(callbacks).readNotification(notification)))

const named = (json: unknown) => {
  const exit = read(sent(json))
  return Exit.isSuccess(exit) ? exit.value : "refused"
}

describe("a callback", () => {
  it("is authentic by the secret that the bank was told and the address that it calls from", () => {
    const good = { pix: [pix()] }
    assert.isTrue(Exit.isSuccess(read(sent(good))))
    assert.isTrue(Exit.isSuccess(read(sent(good, { remoteAddress: `::ffff:${address}` }))))
    const forged: ReadonlyArray<Partial<RawNotification>> = [
      { query: {} },
      { query: { hmac: "" } },
      { query: { hmac: `${proof.secret}x` } },
      { remoteAddress: "203.0.113.7" }
    ]
    for (const change of forged) assert.isTrue(Exit.isFailure(read(sent(good, change))))
    assert.isTrue(
      Exit.isSuccess(
        read(sent(good, { remoteAddress: "203.0.113.7" }), { ...proof, addresses: [] })
      )
    )
  })

  it("is authentic by the certificate of the bank, where that was verified and is the one that we know", () => {
    const good = { pix: [pix()] }
    const shown = { verified: true, subject: "CN=webhook.bank.example,O=Bank", fingerprint: "ab" }
    const by = (callbacks: BacenOptions["callbacks"], certificate?: object) =>
      Exit.isSuccess(
        read(
          sent(good, {
            query: {},
            ...(certificate && { clientCertificate: { ...shown, ...certificate } })
          }),
          callbacks
        )
      )
    const any = { by: "mutualTls" } as const
    assert.isTrue(by(any, {}))
    assert.isFalse(by(any))
    assert.isFalse(by(any, { verified: false }))
    assert.isTrue(by({ ...any, commonName: "webhook.bank.example" }, {}))
    assert.isFalse(by({ ...any, commonName: "bank.example" }, {}))
    assert.isFalse(
      by({ ...any, commonName: "webhook.bank.example" }, { subject: "O=CN\\=webhook.bank.example" })
    )
    assert.isTrue(by({ ...any, fingerprints: ["cd", "ab"] }, {}))
    assert.isFalse(by({ ...any, fingerprints: ["cd"] }, {}))
  })

  it("is of nobody where nothing is told that proves it", () => {
    const psp = pspOf(undefined)
    const exit = Effect.runSync(Effect.exit(psp.readNotification(sent({ pix: [pix()] }))))
    assert.isTrue(Exit.isFailure(exit))
  })

  it("names the charge, with who is said to have paid", () => {
    assert.deepStrictEqual(named({ pix: [pix()] }), [{ _tag: "Charge", reference: txid }])
    const told = pix({
      gnExtras: { pagador: { nome: "Maria", cpf: "529.982.247-25" }, tarifa: "0.01" }
    })
    assert.deepStrictEqual(named({ pix: [told] }), [
      {
        _tag: "Charge",
        reference: txid,
        payers: [{ endToEndId, document: "52998224725", name: "Maria" }]
      }
    ])
    const masked = pix({ gnExtras: { pagador: { nome: "Maria", cpf: "***.982.247-**" } } })
    assert.deepStrictEqual(named({ pix: [masked] }), [{ _tag: "Charge", reference: txid }])
  })

  it("names a payment without a txid, or with that of a static code, by its end-to-end id", () => {
    for (const id of [null, "", "mesa7"]) {
      assert.deepStrictEqual(named({ pix: [pix({ txid: id })] }), [{ _tag: "Payment", endToEndId }])
    }
  })

  it("names returns: ours by their id, the bank's own by the payment, and both where nothing tells", () => {
    const charge: PspNotice = { _tag: "Charge", reference: txid }
    const id = "f".repeat(32)
    const ours: PspNotice = { _tag: "Refund", reference: id }
    const payment: PspNotice = { _tag: "Payment", endToEndId }
    const forms: ReadonlyArray<readonly [object, ReadonlyArray<PspNotice>]> = [
      [{ id, natureza: "ORIGINAL" }, [charge, ours]],
      [{ id, natureza: "MED_FRAUDE" }, [charge, payment]],
      [{ id: "1" }, [charge, payment]],
      [{ id }, [charge, ours, payment]]
    ]
    for (const [devolucao, notices] of forms) {
      assert.deepStrictEqual(named({ pix: [pix({ devolucoes: [devolucao] })] }), notices)
    }
  })

  it("names each thing once, and nothing of another key or of no form", () => {
    assert.deepStrictEqual(
      named({ pix: [pix(), pix(), pix({ chave: "outra@example.com" }), 7, null] }),
      [{ _tag: "Charge", reference: txid }]
    )
    assert.deepStrictEqual(named({ pix: [pix({ endToEndId: "E1" })] }), [])
  })

  it("of a payout names it by our id", () => {
    const result = {
      pix: [
        {
          tipo: "SOLICITACAO",
          status: "NAO_REALIZADO",
          endToEndId,
          chave: "x",
          horario: null,
          gnExtras: { idEnvio: txid }
        }
      ]
    }
    assert.deepStrictEqual(named(result), [{ _tag: "Payout", reference: txid }])
  })

  it("that is a test of the address names nothing, and garbage is refused", () => {
    assert.deepStrictEqual(named({ evento: "teste_webhook", data_criacao: "2026" }), [])
    assert.deepStrictEqual(named({ pix: [] }), [])
    for (const body of ["", "null", "0", "{}", "[]", "{", '{"pix":1}', "<pix/>"]) {
      assert.strictEqual(named(body), "refused", body)
    }
  })

  it("comes back with the secret, whatever the bank adds to the address", () => {
    const told = callbackUrl("https://pay.example.com/v2/psp/id/webhook", proof)
    const called = new URL(`${told}/pix`)
    assert.strictEqual(called.pathname, "/v2/psp/id/webhook")
    assert.strictEqual(called.searchParams.get("hmac"), proof.secret)
    assert.strictEqual(
      callbackUrl("https://a.example/webhook", { by: "mutualTls" }),
      "https://a.example/webhook"
    )
  })
})
