import { assert, describe, it } from "@effect/vitest"
import type { LogEntry, PromisePsp, PspShape } from "@pagora/core"
import { memory, Pagora, pspFromPromises, PspOutcome } from "@pagora/core"
import { Effect, Option } from "effect"
import { refusalOf, until, withPagora } from "../world/Embedding.test-data.ts"
import { bankA, plainBank } from "./PlainBank.test-data.ts"

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/** A bank that somebody wrote who knows no Effect. */
const promised = (methods: Partial<PromisePsp> = {}): PromisePsp => {
  const charges = new Map<string, object>()
  const nothing = async () => PspOutcome.done(undefined)
  return {
    provider: "promised",
    environment: "production",
    capabilities: {
      idempotentByReference: true,
      knowsPayer: true,
      notFoundIsFinalAfter: "1 minute",
      settlementLag: "1 minute"
    },
    createCharge: async ({ amount, reference }) => {
      const charge = {
        reference,
        pspPaymentId: reference,
        status: "active" as const,
        amount,
        pixCopyPaste: "00020126",
        createdAt: new Date().toISOString(),
        expiresAt: inAnHour(),
        payments: []
      }
      charges.set(reference, charge)
      return PspOutcome.done(charge)
    },
    findCharge: async (reference) => {
      const charge = charges.get(reference)
      if (charge === undefined) return PspOutcome.done(undefined)
      const payment = {
        endToEndId: "E9999999920261121120099999999999",
        amount: 1_000n,
        paidAt: new Date().toISOString()
      }
      return PspOutcome.done({ ...charge, status: "paid", payments: [payment] } as never)
    },
    cancelCharge: async () => PspOutcome.rejected("unknown_charge", "There is no such charge."),
    sendPayout: async () => PspOutcome.notSent("connection refused"),
    findPayout: nothing,
    refund: async () => PspOutcome.unknown("an answer that nobody understands"),
    findRefund: nothing,
    readNotification: async ({ body }) =>
      body.length === 0
        ? "Unauthenticated"
        : [{ _tag: "Charge", reference: new TextDecoder().decode(body) }],
    ...methods
  }
}

const setupOf = (psp: PspShape) => ({ default: bankA, psps: { [bankA]: psp } })

const notified = (pagora: { fetch: (request: Request) => Promise<Response> }, body: string) =>
  pagora.fetch(new Request(`http://pagora.test/psp/${bankA}/webhook`, { method: "POST", body }))

describe("a PSP of plain async functions", () => {
  it("opens charges, is told of payments, and settles them", () =>
    withPagora({ psp: setupOf(pspFromPromises(promised())) }, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja" })
      const charge = await pagora.charges.create(id, { amount: 10 })
      assert.strictEqual(charge.status, "pending")
      assert.strictEqual((await notified(pagora, "")).status, 401)
      assert.strictEqual((await notified(pagora, charge.pspPaymentId)).status, 200)
      let amount = 0
      await until(() => {
        void pagora.balances.get(id).then(({ available }) => {
          amount = available.amount
        })
        return amount === 1_000
      })
    }))

  it("what it throws is an unknown outcome, whose message the host's own logger gets whole", async () => {
    const entries: Array<LogEntry> = []
    const psp = pspFromPromises(
      promised({
        createCharge: async () => {
          throw new TypeError("certificate of bank.example expired yesterday")
        }
      })
    )
    await withPagora(
      { psp: setupOf(psp), logger: (entry) => entries.push(entry) },
      async (pagora) => {
        const { id } = await pagora.accounts.create({ name: "Loja" })
        const refusal = await refusalOf(pagora.charges.create(id, { amount: 10 }))
        assert.strictEqual(refusal.code, "PSP_UNAVAILABLE")
        assert.notInclude(JSON.stringify([refusal.message, refusal.details]), "certificate")
      }
    )
    const told = entries.filter(({ cause }) => cause?.includes("certificate of bank.example"))
    assert.isAbove(told.length, 0)
  })

  it.each([
    ["nothing", undefined],
    ["no outcome", { ok: true }],
    ["an amount that is a number", PspOutcome.done({ amount: 10.5 })],
    ["a time that is none", PspOutcome.done({ amount: 10n, createdAt: "soon", payments: [] })]
  ])("an answer of %s is an unknown outcome", (_, answer) =>
    withPagora(
      { psp: setupOf(pspFromPromises(promised({ createCharge: async () => answer as never }))) },
      async (pagora) => {
        const { id } = await pagora.accounts.create({ name: "Loja" })
        const refusal = await refusalOf(pagora.charges.create(id, { amount: 10 }))
        assert.strictEqual(refusal.code, "PSP_UNAVAILABLE")
      }
    )
  )

  it("gets a signal that is aborted when nobody waits for the answer any more, as at the deadline", async () => {
    let isAborted = false
    const { createCharge } = pspFromPromises(
      promised({
        createCharge: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              isAborted = true
              reject(new Error("aborted"))
            })
          })
      })
    )
    const asked = createCharge({} as never).pipe(Effect.timeoutOption("20 millis"))
    assert.isTrue(Option.isNone(await Effect.runPromise(asked)))
    assert.isTrue(isAborted)
  })

  it("is refused at the start where nobody wrapped it, with what to do", async () => {
    const start = (psp: unknown) =>
      refusalOf(Pagora.start({ storage: memory(), logger: false, psp: setupOf(psp as PspShape) }))
    const sentence =
      /^psp\.psps has a PSP whose \w+ answers a promise, at .*: wrap it with pspFromPromises/
    assert.match((await start(promised())).message, sentence)
    const hidden = {
      ...plainBank().psp,
      readNotification: () => Promise.reject(new Error("late"))
    }
    assert.match((await start(hidden)).message, sentence)
    const neither = { ...plainBank().psp, readNotification: () => [] }
    assert.match((await start(neither)).message, /whose readNotification answers neither an Effect/)
  })
})

describe("an error that a handler of the host throws", () => {
  it("reaches the host's own logger whole, and nobody else", async () => {
    const entries: Array<LogEntry> = []
    await withPagora(
      { psp: setupOf(pspFromPromises(promised())), logger: (entry) => entries.push(entry) },
      async (pagora) => {
        await pagora.on("payment_completed", { name: "books" }, () => {
          throw new Error("the table orders has no column total")
        })
        const { id } = await pagora.accounts.create({ name: "Loja" })
        const charge = await pagora.charges.create(id, { amount: 10 })
        await notified(pagora, charge.pspPaymentId)
        await until(() =>
          entries.some(({ cause }) => cause?.includes("the table orders has no column total"))
        )
      }
    )
  })
})
