import type { PspFinding } from "@pagora/core"
import { Money, PixKey } from "@pagora/core"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Result } from "effect"
import { bacen } from "../Bacen.ts"
import { endToEndId, optionsFor, pixKey, startBank, txid } from "../Bank.test-data.ts"
import type { Asked, Says } from "../Bank.test-data.ts"

const amount = Money.Centavos.make(1234n)
const key = Result.getOrThrow(PixKey.parse("email", "maria@example.com"))
const payout = { reference: txid, amount, pixKey: key, holder: {} }
const enviado = {
  idEnvio: txid,
  endToEndId,
  valor: "12.34",
  chave: "maria@example.com",
  horario: { solicitacao: "2026-01-02T03:05:00Z", liquidacao: "2026-01-02T03:05:01Z" },
  favorecido: { identificacao: { nome: "Maria", cpf: "***.982.247-**" } }
}
const proof = { by: "secret", secret: "um-segredo-bem-comprido" } as const
const webhookUrl = "https://pay.example.com/v2/psp/id/webhook"

const missing: Says = { status: 404, json: { nome: "nao_encontrado", mensagem: "Não encontrado." } }

layer(Layer.empty, { excludeTestServices: true })("Efí", (it) => {
  it.effect("is sent a payout under our id, with the holder's document for it to check", () =>
    Effect.gen(function* () {
      const answer = {
        idEnvio: txid,
        e2eId: endToEndId,
        valor: "12.34",
        horario: { solicitacao: "2026-01-02T03:05:00Z" },
        status: "EM_PROCESSAMENTO"
      }
      const bank = yield* startBank(() => ({ status: 201, json: answer }))
      const psp = bacen(optionsFor("efi", bank.origin))
      assert.strictEqual(psp.capabilities.payoutsAtOnce, 1)
      for (const document of ["52998224725", "11222333000181"]) {
        const sent = yield* psp.sendPayout({ ...payout, holder: { document } })
        assert.deepStrictEqual(sent, {
          _tag: "Done",
          value: {
            reference: txid,
            pspReference: txid,
            status: "processing",
            amount,
            endToEndId,
            recipient: {}
          }
        })
      }
      assert.deepStrictEqual(
        bank.asks.map(({ body, method, path }) => [method, path, JSON.parse(body).favorecido]),
        [
          ["PUT", `/v3/gn/pix/${txid}`, { chave: key.value, cpf: "52998224725" }],
          ["PUT", `/v3/gn/pix/${txid}`, { chave: key.value, cnpj: "11222333000181" }]
        ]
      )
      assert.deepStrictEqual(JSON.parse(bank.asks[0]?.body ?? "").pagador, { chave: pixKey })
    }).pipe(Effect.scoped)
  )

  it.effect(
    "tells how a payout stands: done, refused and why, come back in whole and not in part",
    () =>
      Effect.gen(function* () {
        const back = (valor: string) => ({
          id: "d1",
          rtrId: "D1234567820260102030600000000abc",
          valor,
          horario: { liquidacao: "2026-01-02T03:06:00Z" },
          status: "DEVOLVIDO"
        })
        const stands: ReadonlyArray<readonly [object, object]> = [
          [{ status: "REALIZADO" }, { status: "completed", rejection: undefined }],
          [
            {
              status: "NAO_REALIZADO",
              gnExtras: { erro: { codigo: "AC07", motivo: "Conta encerrada" } }
            },
            {
              status: "rejected",
              rejection: { code: "account_closed", message: "Conta encerrada" }
            }
          ],
          [
            { status: "NAO_REALIZADO" },
            {
              status: "rejected",
              rejection: { code: "psp_rejected", message: "The bank did not say why." }
            }
          ],
          [
            { status: "REALIZADO", devolucoes: [back("2.34")] },
            { status: "completed", rejection: undefined }
          ],
          [
            { status: "REALIZADO", devolucoes: [back("2.34"), back("10.00")] },
            { status: "reversed", rejection: undefined }
          ]
        ]
        for (const [fields, expected] of stands) {
          const bank = yield* startBank(() => ({ json: { ...enviado, ...fields } }))
          const found = yield* bacen(optionsFor("efi", bank.origin)).findPayout({ reference: txid })
          if (found._tag !== "Done" || found.value === undefined) return assert.fail(found._tag)
          const { rejection, reversal, settledAt, status } = found.value
          assert.deepStrictEqual({ status, rejection }, expected)
          assert.strictEqual(
            reversal?.returnId,
            status === "reversed" ? back("1").rtrId : undefined
          )
          if (status === "completed")
            assert.strictEqual(
              settledAt && DateTime.formatIso(settledAt),
              "2026-01-02T03:05:01.000Z"
            )
          assert.strictEqual(bank.asks[0]?.path, `/v2/gn/pix/enviados/id-envio/${txid}`)
        }
      }).pipe(Effect.scoped)
  )

  it.effect("refuses a payout in the words that its owner reads", () =>
    Effect.gen(function* () {
      const words: ReadonlyArray<readonly [string, string]> = [
        ["chave_nao_encontrada", "pix_key_not_found"],
        ["AC03", "invalid_account"],
        ["outra_coisa", "outra_coisa"]
      ]
      for (const [nome, code] of words) {
        const bank = yield* startBank(({ method }) =>
          method === "GET" ? missing : { status: 400, json: { nome, mensagem: "Não." } }
        )
        const sent = yield* bacen(optionsFor("efi", bank.origin)).sendPayout(payout)
        assert.deepInclude(sent, { _tag: "Rejected", code })
      }
    }).pipe(Effect.scoped)
  )

  it.effect("has a payout wait that it refuses because our account holds too little", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(({ method }) =>
        method === "GET"
          ? missing
          : { status: 400, json: { nome: "saldo_insuficiente", mensagem: "Saldo insuficiente." } }
      )
      const sent = yield* bacen(optionsFor("efi", bank.origin)).sendPayout(payout)
      assert.deepInclude(sent, { _tag: "NotNow", needsMoney: true })
    }).pipe(Effect.scoped)
  )

  it.effect("tells what its account holds, and what of that is blocked", () =>
    Effect.gen(function* () {
      const none = { judicial: "0.00", med: "0.00", total: "0.00" }
      const some = { judicial: "7.00", med: "12.34", total: "19.34" }
      const balances: ReadonlyArray<readonly [object, bigint, bigint]> = [
        [{ saldo: "100.00", bloqueios: some }, 8_066n, 1_934n],
        [{ saldo: "100.00", bloqueios: none }, 10_000n, 0n],
        [{ saldo: "123456789012.34" }, 12_345_678_901_234n, 0n],
        [{ saldo: "-0.50" }, -50n, 0n]
      ]
      for (const [json, available, blocked] of balances) {
        const bank = yield* startBank(() => ({ json }))
        const told = yield* bacen(optionsFor("efi", bank.origin)).balance?.() ?? Effect.die("none")
        assert.deepStrictEqual<unknown>(told, { _tag: "Done", value: { available, blocked } })
        assert.strictEqual(bank.asks[0]?.query.get("bloqueios"), "true")
      }
      const bank = yield* startBank(() => ({ json: { saldo: "cem" } }))
      const misfit = yield* bacen(optionsFor("efi", bank.origin)).balance?.() ?? Effect.die("none")
      assert.strictEqual(misfit._tag, "Unknown")
    }).pipe(Effect.scoped)
  )

  it.effect("finds a report of fraud in its list, over all pages", () =>
    Effect.gen(function* () {
      const report = (id: string, status: string) => ({
        idInfracao: id,
        endToEndId,
        protocolo: "1",
        valor: "12.34",
        razao: "golpe",
        status,
        dadosAnalise: { abertura: "2026-01-02T03:05:00Z", prazoFinalizacao: "2026-01-09T03:05:00Z" }
      })
      const pages = [
        [report("i1", "ABERTA"), report("i2", "EM_DEFESA")],
        [report("i3", "ACEITA"), report("i4", "REJEITADA"), report("i5", "CANCELADA_EFI")]
      ]
      const bank = yield* startBank(({ query }) => ({
        json: {
          parametros: { paginacao: { quantidadeDePaginas: 2 } },
          infracoes: pages[Number(query.get("paginacao.paginaAtual"))]
        }
      }))
      const find = bacen(optionsFor("efi", bank.origin)).findInfraction
      if (find === undefined) return assert.fail("left out")
      const statuses = yield* Effect.forEach(["i1", "i2", "i3", "i4", "i5", "i6"], (id) =>
        Effect.map(find(id), (found) => (found._tag === "Done" ? found.value?.status : found._tag))
      )
      assert.deepStrictEqual(statuses, [
        "open",
        "open",
        "accepted",
        "rejected",
        "cancelled",
        undefined
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("is told a defence, and believed by what its list shows then", () =>
    Effect.gen(function* () {
      const report = (status: string) => ({
        idInfracao: "i1",
        endToEndId,
        valor: "12.34",
        status,
        dadosAnalise: { abertura: "2026-01-02T03:05:00Z", prazoFinalizacao: "2026-01-09T03:05:00Z" }
      })
      const refusal = { status: 400, json: { nome: "prazo_encerrado", mensagem: "Tarde." } }
      const cases: ReadonlyArray<readonly [Says, string, string]> = [
        [{ status: 204, text: "" }, "EM_DEFESA", "Done"],
        [{ status: 204, text: "" }, "ABERTA", "Unknown"],
        [refusal, "ABERTA", "Rejected"],
        [refusal, "EM_DEFESA", "Done"],
        ["drop", "EM_DEFESA", "Unknown"]
      ]
      for (const [says, status, expected] of cases) {
        const bank = yield* startBank(({ method }) =>
          method === "POST" ? says : { json: { infracoes: [report(status)] } }
        )
        const defend = bacen(optionsFor("efi", bank.origin)).defendInfraction
        if (defend === undefined) return assert.fail("left out")
        const told = yield* defend({ id: "i1", answer: "disagree", text: "Entregue." })
        assert.strictEqual(told._tag, expected)
        const [asked] = bank.asks
        assert.strictEqual(asked?.path, "/v2/gn/infracoes/i1/defesa")
        assert.deepStrictEqual(JSON.parse(asked?.body ?? ""), {
          analise: "rejeitado",
          justificativa: "Entregue."
        })
      }
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is prepared again and again: webhook, and settings of our key beside those of others",
    () =>
      Effect.gen(function* () {
        let config: unknown = {
          pix: {
            receberSemChave: false,
            chaves: {
              outra: { recebimento: { txidObrigatorio: true } },
              [pixKey]: {
                recebimento: { txidObrigatorio: true, recusarTipoPessoa: "PJ", outro: 1 }
              }
            }
          }
        }
        const bank = yield* startBank(({ body, method, path }) => {
          if (path !== "/v2/gn/config") return { json: {} }
          if (method === "PUT") config = JSON.parse(body)
          return { json: config }
        })
        const psp = bacen(optionsFor("efi", bank.origin, { callbacks: proof }))
        const first = yield* psp.prepare?.({ webhookUrl }) ?? Effect.die("left out")
        assert.deepStrictEqual(
          first.map(({ name, state }) => [name, state]),
          [
            ["certificate", "ok"],
            ["scopes", "ok"],
            ["webhook", "ok"],
            ["settings", "ok"]
          ]
        )
        assert.notInclude(JSON.stringify(first), proof.secret)
        const once = config
        yield* psp.prepare?.({ webhookUrl }) ?? Effect.die("left out")
        assert.deepStrictEqual(config, once)
        const isWebhook = ({ path }: Asked) => path === `/v2/webhook/${pixKey}`
        const put = bank.asks.find(isWebhook)
        assert.strictEqual(put?.headers["x-skip-mtls-checking"], "true")
        assert.strictEqual(
          JSON.parse(put?.body ?? "").webhookUrl,
          `${webhookUrl}?hmac=${proof.secret}&ignorar=`
        )
        assert.deepStrictEqual(config, {
          pix: {
            receberSemChave: false,
            chaves: {
              outra: { recebimento: { txidObrigatorio: true } },
              [pixKey]: {
                recebimento: {
                  txidObrigatorio: true,
                  qrCodeEstatico: { recusarTodos: false },
                  outro: 1,
                  webhook: {
                    notificacao: { tarifa: false, pagador: true },
                    notificar: { pixSemTxid: true }
                  }
                },
                envio: { webhook: { notificacao: { tarifa: false, favorecido: true } } }
              }
            }
          }
        })
      }).pipe(Effect.scoped)
  )

  it.effect("shows a webhook at another address than ours, by whatever callbacks are proved", () =>
    Effect.gen(function* () {
      const elsewhere = "https://old.example.com/v2/psp/id/webhook"
      const registered = (address: string) => (by: typeof proof | { readonly by: "mutualTls" }) =>
        Effect.gen(function* () {
          const url = by.by === "secret" ? `${address}?hmac=${by.secret}&ignorar=` : address
          const bank = yield* startBank(({ path }) =>
            path.startsWith("/v2/webhook/") ? { json: { webhookUrl: url } } : missing
          )
          const psp = bacen(optionsFor("efi", bank.origin, { callbacks: by }))
          const check = psp.check ?? (() => Effect.die("left out"))
          const webhookOf = (findings: ReadonlyArray<PspFinding>) =>
            findings.find(({ name }) => name === "webhook")
          return [webhookOf(yield* check({ webhookUrl })), webhookOf(yield* check())] as const
        })
      for (const by of [proof, { by: "mutualTls" } as const]) {
        const [wrong, unasked] = yield* registered(elsewhere)(by)
        assert.strictEqual(wrong?.state, "failed")
        assert.include(wrong?.message, `The bank calls ${elsewhere}, which is not ${webhookUrl}`)
        assert.notInclude(wrong?.message, proof.secret)
        assert.strictEqual(unasked?.state, "ok")
        const [right] = yield* registered(webhookUrl)(by)
        assert.strictEqual(right?.state, "ok")
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is asked to refuse payers only where a setting says so", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(() => ({ json: {} }))
      const efi = { refusePayers: "PJ" } as const
      const psp = bacen(optionsFor("efi", bank.origin, { efi }))
      yield* psp.prepare?.({ webhookUrl }) ?? Effect.die("left out")
      const checked = yield* psp.check?.() ?? Effect.die("left out")
      const settings = checked.find(({ name }) => name === "settings")
      assert.match(settings?.message ?? "", /^Efí does not refuse payers of the kind PJ yet/)
      const put = bank.asks.find(({ method, path }) => method === "PUT" && path.endsWith("/config"))
      const { chaves } = JSON.parse(put?.body ?? "").pix
      assert.strictEqual(chaves[pixKey].recebimento.recusarTipoPessoa, "PJ")
    }).pipe(Effect.scoped)
  )

  it.effect(
    "shows what is amiss: webhook, settings, reports that wait, money that is blocked",
    () =>
      Effect.gen(function* () {
        const answers: Readonly<Record<string, Says>> = {
          [`/v2/webhook/${pixKey}`]: { json: { webhookUrl: "https://old.example/webhook" } },
          "/v2/gn/config": {
            json: { pix: { chaves: { [pixKey]: { recebimento: { recusarTipoPessoa: "PJ" } } } } }
          },
          "/v2/gn/infracoes": {
            json: {
              infracoes: [
                {
                  idInfracao: "i1",
                  endToEndId,
                  valor: "12.34",
                  status: "ABERTA",
                  dadosAnalise: { abertura: "2026-01-02T03:05:00Z", prazoFinalizacao: "2026-01-09" }
                }
              ]
            }
          },
          "/v2/gn/saldo": {
            json: { saldo: "100.00", bloqueios: { judicial: "7.00", med: "12.34", total: "19.34" } }
          }
        }
        const bank = yield* startBank(({ path }) => answers[path] ?? missing)
        const psp = bacen(optionsFor("efi", bank.origin, { callbacks: proof }))
        const findings = yield* psp.check?.() ?? Effect.die("left out")
        const shown = Object.fromEntries(findings.map(({ name, state }) => [name, state]))
        assert.deepStrictEqual(shown, {
          certificate: "ok",
          scopes: "ok",
          webhook: "failed",
          settings: "warning",
          infractions: "warning",
          balance: "warning"
        })
        const words = JSON.stringify(findings)
        for (const word of ["i1", "7.00", "12.34", "recusarTipoPessoa"]) assert.include(words, word)
      }).pipe(Effect.scoped)
  )
})
