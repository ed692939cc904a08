import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { bacen } from "../Bacen.ts"
import type { Asked } from "../Bank.test-data.ts"
import { endToEndId, optionsFor, pix, startBank } from "../Bank.test-data.ts"

const page = (pages: number, entries: ReadonlyArray<unknown>) => ({
  json: {
    parametros: { paginacao: { paginaAtual: 0, itensPorPagina: 100, quantidadeDePaginas: pages } },
    pix: entries
  }
})

const payer = "52998224725"
const claim = { endToEndId, document: payer }

const isOne = ({ path }: Asked) => path.endsWith(endToEndId)

layer(Layer.empty, { excludeTestServices: true })("what was received", (it) => {
  it.effect("is listed by whole seconds, page by page, and without what is not of the period", () =>
    Effect.gen(function* () {
      const late = pix({ horario: "2026-01-02T03:05:00.900Z" })
      const bank = yield* startBank(({ query }) =>
        query.get("paginacao.paginaAtual") === "0" ? page(2, [pix(), late]) : page(2, [])
      )
      const psp = bacen(optionsFor("santander", bank.origin))
      const period = {
        from: DateTime.makeUnsafe("2026-01-02T03:04:59.500Z"),
        to: DateTime.makeUnsafe("2026-01-02T03:05:00.500Z")
      }
      const first = yield* psp.listPayments?.(period) ?? Effect.die("left out")
      if (first._tag !== "Done") return assert.fail(first._tag)
      assert.strictEqual(first.value.payments.length, 1)
      assert.strictEqual(first.value.next, "1")
      const last = yield* psp.listPayments?.({ ...period, cursor: "1" }) ?? Effect.die("left out")
      assert.deepStrictEqual(last, { _tag: "Done", value: { payments: [] } })
      const [asked] = bank.asks
      assert.strictEqual(asked?.path, "/api/v1/pix")
      assert.strictEqual(asked?.query.get("inicio"), "2026-01-02T03:04:59Z")
      assert.strictEqual(asked?.query.get("fim"), "2026-01-02T03:05:01Z")
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is not listed where one entry cannot be read, and that one is named without its payer",
    () =>
      Effect.gen(function* () {
        const other = endToEndId.replace(/.$/, "9")
        const odd = [
          pix({ endToEndId: other, valor: "doze", pagador: { nome: "Maria", cpf: payer } }),
          { endToEndId: "Maria da Silva", valor: "1.00" }
        ]
        const words = [`payment 2 of page 1 (${other})`, "payment 2 of page 1 does not fit"]
        for (const [index, entry] of odd.entries()) {
          const bank = yield* startBank(() => page(1, [pix(), entry]))
          const psp = bacen(optionsFor("efi", bank.origin))
          const period = {
            from: DateTime.makeUnsafe("2026-01-02T03:00:00Z"),
            to: DateTime.makeUnsafe("2026-01-02T04:00:00Z")
          }
          const listed = yield* psp.listPayments?.(period) ?? Effect.die("left out")
          if (listed._tag !== "Unknown") return assert.fail(listed._tag)
          assert.include(listed.detail, words[index] ?? "nothing")
          assert.notMatch(listed.detail, /Maria|52998224725/)
        }
      }).pipe(Effect.scoped)
  )

  it.effect("was paid by whom the bank's own filter shows, and by nobody else", () =>
    Effect.gen(function* () {
      const bank = yield* startBank((asked) => {
        if (isOne(asked)) return { json: pix() }
        return page(1, asked.query.get("cpf") === payer ? [pix()] : [])
      })
      const psp = bacen(optionsFor("efi", bank.origin))
      const confirm = psp.confirmPayer ?? (() => Effect.die("left out"))
      assert.deepStrictEqual(yield* confirm(claim), { _tag: "Done", value: true })
      const others = ["40442820135", "11222333000181", "nobody"]
      for (const document of others) {
        assert.deepStrictEqual(yield* confirm({ endToEndId, document }), {
          _tag: "Done",
          value: false
        })
      }
    }).pipe(Effect.scoped)
  )

  it.effect("confirms nobody where the bank does not filter", () =>
    Effect.gen(function* () {
      const bank = yield* startBank((asked) => (isOne(asked) ? { json: pix() } : page(1, [pix()])))
      const psp = bacen(optionsFor("efi", bank.origin))
      const outcome = yield* psp.confirmPayer?.(claim) ?? Effect.die("left out")
      assert.strictEqual(outcome._tag, "Unknown")
    }).pipe(Effect.scoped)
  )
})
