import type { PspOutcome, PspShape } from "@pagora/core"
import { Money, PixKey } from "@pagora/core"
import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Layer, Result } from "effect"
import { bacen } from "./Bacen.ts"
import type { Asked, Says } from "./Bank.test-data.ts"
import { cob, endToEndId, optionsFor, pix, startBank, txid } from "./Bank.test-data.ts"

const amount = Money.Centavos.make(1234n)
const key = Result.getOrThrow(PixKey.parse("email", "maria@example.com"))

const refund = { reference: txid, endToEndId, amount, purpose: "requested" } as const
const payout = { reference: txid, amount, pixKey: key, holder: {} }

const removed = cob({ status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" })
const paid = cob({ status: "CONCLUIDA", pix: [pix()] })
const devolucao = {
  id: txid,
  rtrId: "D1234567820260102030500000000abc",
  valor: "12.34",
  horario: { solicitacao: "2026-01-02T03:05:00Z" },
  status: "EM_PROCESSAMENTO"
}
const enviado = { idEnvio: txid, endToEndId, valor: "12.34", status: "EM_PROCESSAMENTO" }

interface Operation {
  readonly run: (psp: PspShape) => Effect.Effect<PspOutcome<unknown>>
  /** What the bank has once it was done. */
  readonly there: unknown
  /** The same order with another amount. */
  readonly other: unknown
}

const orders: Readonly<Record<string, Operation>> = {
  createCharge: {
    run: (psp) => psp.createCharge({ reference: txid, amount, expiresInSeconds: 3600 }),
    there: cob(),
    other: cob({ valor: { original: "99.00" } })
  },
  cancelCharge: { run: (psp) => psp.cancelCharge(txid), there: removed, other: cob() },
  refund: {
    run: (psp) => psp.refund(refund),
    there: devolucao,
    other: { ...devolucao, valor: "1.00" }
  },
  sendPayout: {
    run: (psp) => psp.sendPayout(payout),
    there: enviado,
    other: { ...enviado, valor: "1.00" }
  }
}

const questions: Readonly<Record<string, Operation>> = {
  findCharge: { run: (psp) => psp.findCharge(txid), there: cob(), other: cob() },
  findRefund: { run: (psp) => psp.findRefund(refund), there: devolucao, other: devolucao },
  findPayout: {
    run: (psp) => psp.findPayout({ reference: txid }),
    there: enviado,
    other: enviado
  },
  findPayment: {
    run: (psp) => psp.findPayment?.(endToEndId) ?? Effect.die("left out"),
    there: pix(),
    other: pix()
  }
}

const efi = (status: number): Says => ({
  status,
  json: { nome: "operacao_invalida", mensagem: "Não foi possível." }
})
const problem = (status: number): Says => ({
  status,
  json: {
    type: "https://pix.bcb.gov.br/api/v2/error/NaoEncontrado",
    title: "Não encontrado.",
    status
  }
})
const html = (status: number): Says => ({ status, text: "<html><body>error</body></html>" })

type Tag = PspOutcome<unknown>["_tag"]

/** What an order comes to, by its own answer and by that of the look-up after it. */
const orderTable: ReadonlyArray<
  readonly [string, Says, "there" | "missing" | "other" | "broken", Tag]
> = [
  ["a refusal, and nothing is there", efi(400), "missing", "Rejected"],
  ["a refusal, and it is there", efi(400), "there", "Done"],
  ["a refusal, and something else is there", efi(400), "other", "Unknown"],
  ["a refusal, and nobody knows what is there", efi(400), "broken", "Unknown"],
  ["a duplicate, and it is there", efi(409), "there", "Done"],
  ["a duplicate, and something else is there", efi(409), "other", "Unknown"],
  ["a duplicate, and nothing is there", efi(409), "missing", "Unknown"],
  ["a problem of the file, and nothing is there", problem(422), "missing", "Rejected"],
  ["what it belongs to is missing", problem(404), "missing", "Rejected"],
  ["an answer that does not fit, and it is there", { json: { ok: true } }, "there", "Done"],
  ["an answer that does not fit, and nothing is there", { json: {} }, "missing", "Unknown"],
  ["HTML with 400", html(400), "missing", "Unknown"],
  ["HTML with 404", html(404), "there", "Unknown"],
  ["an error of the bank", problem(500), "there", "Unknown"],
  ["a bank in maintenance", problem(503), "missing", "Unknown"],
  ["a lost answer", "drop", "there", "Unknown"],
  ["too many requests", html(429), "missing", "NotNow"],
  ["a scope that is missing", problem(403), "missing", "NotSent"],
  ["a token that is not taken", html(401), "missing", "NotSent"]
]

const questionTable: ReadonlyArray<readonly [string, Says | "there", Tag | "Nothing"]> = [
  ["it is there", "there", "Done"],
  ["nothing is there", problem(404), "Nothing"],
  ["nothing is there, in Efí's words", efi(404), "Nothing"],
  ["a 404 of a proxy", html(404), "Unknown"],
  ["a 404 of a gateway", { status: 404, json: { statusCode: 404, error: "Not Found" } }, "Unknown"],
  ["a refusal", efi(400), "Unknown"],
  ["an answer about something else", { json: cob({ txid: "f".repeat(32) }) }, "Unknown"],
  ["an answer that does not fit", { json: [] }, "Unknown"],
  ["an answer without JSON", html(200), "Unknown"],
  ["an error of the bank", html(502), "Unknown"],
  ["a lost answer", "drop", "Unknown"],
  ["too many requests", problem(429), "NotNow"],
  ["a scope that is missing", efi(403), "NotSent"],
  ["a token that is not taken", problem(401), "NotSent"]
]

const isLookUp = ({ method }: Asked) => method === "GET"

layer(Layer.empty, { excludeTestServices: true })("what an answer comes to", (it) => {
  for (const [name, { other, run, there }] of Object.entries(orders)) {
    const found = {
      there: { json: there },
      other: { json: other },
      missing: problem(404),
      broken: html(500)
    }
    for (const [what, says, lookUp, tag] of orderTable) {
      it.effect(`${name}: ${what}`, () =>
        Effect.gen(function* () {
          const bank = yield* startBank((asked) => (isLookUp(asked) ? found[lookUp] : says))
          const outcome = yield* run(bacen(optionsFor("efi", bank.origin)))
          assert.strictEqual(outcome._tag, tag)
        }).pipe(Effect.scoped)
      )
    }

    it.effect(`${name}: a refusal that cannot be looked up for a while says for how long`, () =>
      Effect.gen(function* () {
        const bank = yield* startBank((asked) => (isLookUp(asked) ? html(429) : efi(400)))
        const outcome = yield* run(bacen(optionsFor("efi", bank.origin)))
        if (outcome._tag !== "Unknown") return assert.fail(outcome._tag)
        assert.deepStrictEqual(outcome.after, Duration.seconds(30))
      }).pipe(Effect.scoped)
    )

    it.effect(`${name}: is done by 200 and by 201`, () =>
      Effect.gen(function* () {
        for (const status of [200, 201]) {
          const bank = yield* startBank(() => ({ status, json: there }))
          const outcome = yield* run(bacen(optionsFor("efi", bank.origin)))
          assert.strictEqual(outcome._tag, "Done")
          assert.strictEqual(bank.asks.length, 1)
        }
      }).pipe(Effect.scoped)
    )
  }

  for (const [name, { run, there }] of Object.entries(questions)) {
    for (const [what, says, tag] of questionTable) {
      it.effect(`${name}: ${what}`, () =>
        Effect.gen(function* () {
          const bank = yield* startBank(() => (says === "there" ? { json: there } : says))
          const outcome = yield* run(bacen(optionsFor("efi", bank.origin)))
          const shown =
            outcome._tag === "Done" && outcome.value === undefined ? "Nothing" : outcome._tag
          assert.strictEqual(shown, tag)
        }).pipe(Effect.scoped)
      )
    }
  }

  it.effect("cancelling what somebody has paid answers the paid charge", () =>
    Effect.gen(function* () {
      const bank = yield* startBank((asked) => (isLookUp(asked) ? { json: paid } : problem(400)))
      const outcome = yield* bacen(optionsFor("efi", bank.origin)).cancelCharge(txid)
      if (outcome._tag !== "Done") return assert.fail(outcome._tag)
      assert.strictEqual(outcome.value.status, "paid")
      assert.strictEqual(outcome.value.payments[0]?.endToEndId, endToEndId)
    }).pipe(Effect.scoped)
  )
})
