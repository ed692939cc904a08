import { Money, PixKey } from "@pagora/core"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { bacen } from "../Bacen.ts"
import type { Says } from "../Bank.test-data.ts"
import { endToEndId, optionsFor, pixKey, startBank, txid } from "../Bank.test-data.ts"
import { idempotencyKey } from "./InterWire.ts"

const amount = Money.Centavos.make(1234n)
const key = Result.getOrThrow(PixKey.parse("email", "maria@example.com"))
const payout = { reference: txid, amount, pixKey: key, holder: {} }
const codigo = "0f9d1bcd-0d3b-4c4e-8a53-4f0e7b0c1a2b"
const proof = { by: "mutualTls" } as const
const webhookUrl = "https://pay.example.com/v2/psp/id/webhook"

const asked = (status: string, more: object = {}): Says => ({
  json: {
    transacaoPix: { status, valor: 12.34, endToEnd: endToEndId, erros: [], ...more },
    historico: []
  }
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

layer(Layer.empty, { excludeTestServices: true })("Inter", (it) => {
  it.effect("is sent a payout under an idempotency key of ours, with a token for that", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(() => ({
        json: { tipoRetorno: "APROVACAO", codigoSolicitacao: codigo, dataPagamento: "2026-01-02" }
      }))
      const psp = bacen(optionsFor("inter", bank.origin))
      for (const _ of [1, 2]) {
        assert.deepStrictEqual(yield* psp.sendPayout(payout), {
          _tag: "Done",
          value: { reference: txid, pspReference: codigo, status: "processing", amount }
        })
      }
      const [first, second] = bank.asks.filter(({ method }) => method === "POST")
      assert.strictEqual(first?.path, "/banking/v2/pix")
      assert.strictEqual(first?.headers["x-id-idempotente"], "01234567-89ab-cdef-0123-456789abcdef")
      assert.strictEqual(second?.headers["x-id-idempotente"], first?.headers["x-id-idempotente"])
      assert.strictEqual(
        first?.body,
        '{"valor":12.34,"destinatario":{"tipo":"CHAVE","chave":"maria@example.com"}}'
      )
      assert.include(bank.tokens[0]?.body, "scope=pagamento-pix.write+pagamento-pix.read")
    }).pipe(Effect.scoped)
  )

  it.effect(
    "that refuses a repeat says nothing of the first try; a first one waits for money",
    () =>
      Effect.gen(function* () {
        const error = { erro: { mensagem: "Saldo insuficiente", codigo: "12", status: 422 } }
        const bank = yield* startBank(() => ({ status: 422, json: error }))
        const psp = bacen(optionsFor("inter", bank.origin))
        assert.deepInclude(yield* psp.sendPayout(payout), { _tag: "NotNow", needsMoney: true })
        const repeated = yield* psp.sendPayout({ ...payout, isRepeat: true })
        assert.strictEqual(repeated._tag, "Unknown")
      }).pipe(Effect.scoped)
  )

  it.effect("that quotes the address of callbacks does not have its secret told", () =>
    Effect.gen(function* () {
      const secret = "segredo-dos-callbacks-1"
      const bank = yield* startBank(({ body }) => ({
        status: 400,
        json: { title: "Requisição inválida", detail: `Não alcançado: ${body}` }
      }))
      const callbacks = { by: "secret", secret } as const
      const psp = bacen(optionsFor("inter", bank.origin, { callbacks }))
      const findings = yield* psp.prepare?.({ webhookUrl }) ?? Effect.succeed([])
      const told = findings.map(({ message }) => message).join(" ")
      assert.include(told, "hmac=***")
      assert.notInclude(told, secret)
    }).pipe(Effect.scoped)
  )

  it.effect("tells what its account holds, with a token for that, and without its overdraft", () =>
    Effect.gen(function* () {
      const json = {
        disponivel: 80.66,
        limite: 5_000,
        bloqueadoCheque: 0,
        bloqueadoJudicialmente: 7,
        bloqueadoAdministrativo: 12.34
      }
      const bank = yield* startBank(() => ({ json }))
      const psp = bacen(optionsFor("inter", bank.origin))
      assert.deepStrictEqual<unknown>(yield* psp.balance?.() ?? Effect.die("none"), {
        _tag: "Done",
        value: { available: 8_066n, blocked: 1_934n }
      })
      assert.strictEqual(bank.asks[0]?.path, "/banking/v2/saldo")
      assert.include(bank.tokens[0]?.body, "scope=extrato.read")
    }).pipe(Effect.scoped)
  )

  it("makes a key of any reference, the same one each time", () => {
    for (const reference of [txid, "A".repeat(26), "Zz9".repeat(11)]) {
      assert.match(idempotencyKey(reference), uuid)
      assert.strictEqual(idempotencyKey(reference), idempotencyKey(reference))
    }
    assert.notStrictEqual(idempotencyKey("A".repeat(26)), idempotencyKey("A".repeat(27)))
  })

  it.effect("that answers about another payout says nothing of the one that was asked about", () =>
    Effect.gen(function* () {
      for (const [named, tag] of [
        [codigo, "Done"],
        ["another", "Unknown"]
      ] as const) {
        const bank = yield* startBank(() => asked("PAGO", { codigoSolicitacao: named }))
        const psp = bacen(optionsFor("inter", bank.origin))
        const found = yield* psp.findPayout({ reference: txid, pspReference: codigo })
        assert.strictEqual(found._tag, tag)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("tells how a payout stands; what may be either is left to a person", () =>
    Effect.gen(function* () {
      const stands: Readonly<Record<string, string>> = {
        AGUARDANDO_APROVACAO: "processing",
        AGENDADO: "processing",
        ENVIADO: "processing",
        NEW_STATE: "processing",
        PAGO: "completed",
        PIX_PAGO: "completed",
        REPROVADO: "rejected",
        EXPIRADO: "rejected",
        CANCELADO: "rejected",
        CANCELADO_SEM_SALDO: "rejected",
        AGENDAMENTO_CANCELADO: "rejected",
        FALHA: "Unknown",
        NAO_DEBITADO: "Unknown"
      }
      for (const [state, expected] of Object.entries(stands)) {
        const bank = yield* startBank(() => asked(state))
        const found = yield* bacen(optionsFor("inter", bank.origin)).findPayout({
          reference: txid,
          pspReference: codigo
        })
        assert.strictEqual(
          found._tag === "Done" ? found.value?.status : found._tag,
          expected,
          state
        )
        if (expected === "rejected" && found._tag === "Done")
          assert.notStrictEqual(found.value?.rejection?.code ?? "", "")
        assert.strictEqual(bank.asks[0]?.path, `/banking/v2/pix/${codigo}`)
      }
      const early = yield* startBank(() => asked("PAGO", { endToEnd: null }))
      const found = yield* bacen(optionsFor("inter", early.origin)).findPayout({
        reference: txid,
        pspReference: codigo
      })
      assert.strictEqual(found._tag === "Done" ? found.value?.status : "", "processing")
    }).pipe(Effect.scoped)
  )

  it.effect("has nothing under our reference alone, so that it is sent again under its key", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(() => "drop")
      const psp = bacen(optionsFor("inter", bank.origin))
      assert.strictEqual((yield* psp.sendPayout(payout))._tag, "Unknown")
      assert.deepStrictEqual(yield* psp.findPayout({ reference: txid }), {
        _tag: "Done",
        value: undefined
      })
      assert.strictEqual(bank.asks.length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("names a payout by its own id, whichever process has sent it", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(() => "drop")
      const psp = bacen(optionsFor("inter", bank.origin, { callbacks: proof }))
      const told = (codigoSolicitacao: string) =>
        ({
          headers: {},
          body: new TextEncoder().encode(
            JSON.stringify({
              codigoSolicitacao,
              endToEnd: endToEndId,
              status: "EFETIVADO",
              valor: "12.34"
            })
          ),
          query: {},
          path: "",
          clientCertificate: { verified: true, subject: "CN=inter", fingerprint: "ab" }
        }) as const
      assert.deepStrictEqual(yield* psp.readNotification(told(codigo)), [
        { _tag: "PspPayout", pspReference: codigo }
      ])
      assert.strictEqual(bank.asks.length, 0)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is told of both of its webhooks, and shows deliveries that failed, and that it may not read the balance",
    () =>
      Effect.gen(function* () {
        const bank = yield* startBank(({ path }) =>
          path.endsWith("/callbacks")
            ? { json: { data: [{ sucesso: true }, { sucesso: false }] } }
            : path === "/banking/v2/saldo"
              ? { status: 403, json: { title: "Sem permissão", detail: "extrato.read" } }
              : { json: { webhookUrl } }
        )
        const psp = bacen(optionsFor("inter", bank.origin, { callbacks: proof }))
        yield* psp.prepare?.({ webhookUrl }) ?? Effect.die("left out")
        assert.deepStrictEqual(
          bank.asks.map(({ method, path }) => `${method} ${path}`),
          [`PUT /pix/v2/webhook/${pixKey}`, "PUT /banking/v2/webhooks/pix-pagamento"]
        )
        const findings = yield* psp.check?.() ?? Effect.die("left out")
        assert.deepStrictEqual(
          findings.map(({ name, state }) => [name, state]),
          [
            ["certificate", "ok"],
            ["scopes", "ok"],
            ["webhook", "ok"],
            ["payout-webhook", "ok"],
            ["deliveries", "warning"],
            ["balance", "warning"]
          ]
        )
      }).pipe(Effect.scoped)
  )

  it.effect("that grants less than was asked for is a finding", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(
        () => ({ json: {} }),
        () => ({
          json: {
            access_token: "t",
            expires_in: 3600,
            scope:
              "cob.read cob.write pix.read webhook.read webhook.write pagamento-pix.write pagamento-pix.read webhook-banking.write webhook-banking.read"
          }
        })
      )
      const findings = yield* (
        bacen(optionsFor("inter", bank.origin)).check?.() ?? Effect.die("left out")
      )
      const scopes = findings.find(({ name }) => name === "scopes")
      assert.strictEqual(scopes?.state, "failed")
      assert.include(scopes?.message, "pix.write")
    }).pipe(Effect.scoped)
  )
})
