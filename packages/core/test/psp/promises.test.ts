import { assert, describe, it } from "@effect/vitest"
import type { LogEntry, PromisePsp, PspShape } from "@pagora/core"
import { memory, Pagora, pspFromPromises, PspOutcome } from "@pagora/core"
import { eventually } from "@pagora/testkit"
import { DateTime, Duration, Effect, Option } from "effect"
import type { PspOperation } from "../../src/psp-calls/PspAnswers.ts"
import { isUnderstood } from "../../src/psp-calls/PspAnswers.ts"
import { refusalOf, until, withPagora } from "../world/Embedding.test-data.ts"
import { existing } from "../world/ServiceWorld.test-data.ts"
import { bankA, plainBank } from "./PlainBank.test-data.ts"

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

describe("a PSP of promises that is not whole", () => {
  const refusal = (changed: object): string => {
    try {
      pspFromPromises({ ...promised(), ...changed })
      return "taken"
    } catch (error) {
      return String(error)
    }
  }

  it.each([
    [{ refund: undefined }, "refund is missing: it must be a function"],
    [{ readNotification: undefined }, "readNotification is missing: it must be a function"],
    [{ findPayout: undefined, findPayOut: async () => undefined }, "findPayOut is not known, and"],
    [
      { listPayment: async () => undefined },
      "listPayment is not known, and listPayments is not there"
    ],
    [{ balance: 5 }, "balance must be a function"],
    [{ provider: undefined }, "provider is missing: it must be a text"],
    [{ capabilities: undefined }, "capabilities is missing"],
    [{ capabilities: {} }, "capabilities.settlementLag is missing: it must be a time"],
    [{ capabilities: { settlementLag: "soon" } }, "capabilities.settlementLag must be a time"],
    [{ capabilities: { knowsPayer: "yes" } }, "capabilities.knowsPayer must be true or false"]
  ])("is refused where it is made, by what is missing: %o", (changed, said) => {
    assert.include(refusal(changed), said)
  })

  it.each([
    "entity",
    "balanceOf",
    "checked",
    "checks",
    "prepared",
    "findPayments",
    "findInfractions",
    "chuck"
  ])("may have a helper that is called %s", (name) => {
    assert.strictEqual(refusal({ [name]: async () => undefined }), "taken")
  })

  it("may have helpers of its own, and is named whole", () => {
    assert.strictEqual(refusal({ tokenOf: () => "token", client: {} }), "taken")
    const all = refusal({ refund: undefined, findRefund: undefined })
    assert.match(all, /^TypeError: pspFromPromises: refund is missing.*; findRefund is missing/)
  })
})

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

const endToEndId = "E9999999920261121120099999999999"
type Optional<A> = {
  [Name in keyof A]-?: undefined extends A[Name] ? Name : never
}[keyof A]

/** All that may be left out, of a bank where somebody reports fraud about the one payment. */
const everything = ({ returns }: { readonly returns: 0 | 1 }) => {
  const asked: Array<string> = []
  const noting = async <A>(name: string, answer: A) => {
    asked.push(name)
    return PspOutcome.done(answer)
  }
  const at = new Date().toISOString()
  const infraction = {
    id: "i1",
    endToEndId,
    status: "open",
    amount: 1_000n,
    reportedAt: at,
    answerUntil: inAnHour()
  } as const
  const returned = { reference: "D1", status: "confirmed", amount: 400n, settledAt: at } as const
  const payment = { endToEndId, amount: 1_000n, paidAt: at, returns: [returned].slice(0, returns) }
  const finding = { name: "webhook", state: "ok", message: "It is registered." } as const
  const methods: Required<Pick<PromisePsp, Optional<PspShape>>> = {
    identity: { clientId: "us" },
    findPayment: async () => noting("findPayment", payment),
    listPayments: async ({ from, to }) =>
      noting(`listPayments ${typeof from} ${typeof to}`, { payments: [payment] }),
    confirmPayer: async () => noting("confirmPayer", true),
    findInfraction: async (_, { now }) => noting(`findInfraction ${typeof now}`, infraction),
    listInfractions: async ({ from }) =>
      noting(`listInfractions ${typeof from}`, { infractions: [infraction] }),
    defendInfraction: async ({ answer, now, text }) =>
      noting(`defendInfraction ${answer} ${text} ${typeof now}`, {
        ...infraction,
        isAnswered: true
      }),
    balance: async () => noting("balance", { available: 500n, blocked: 0n }),
    prepare: async ({ webhookUrl }) => [{ ...finding, message: webhookUrl }],
    check: async () => [finding],
    certificateEnds: async () => at
  }
  return { asked, at, methods }
}

describe("what a PSP of plain async functions may leave out", () => {
  it("is not there where it leaves it out, and is where it does not, as the port gives it", async () => {
    const names = ["identity", "prepare", "check", "certificateEnds"] as const
    const without = pspFromPromises(promised())
    const { at, methods } = everything({ returns: 1 })
    const psp = pspFromPromises(promised(methods))
    for (const name of Object.keys(methods)) {
      assert.isUndefined(Reflect.get(without, name), name)
      assert.isDefined(Reflect.get(psp, name), name)
    }
    const run = <A>(effect: Effect.Effect<A> | undefined) => Effect.runPromise(existing(effect))
    const now = DateTime.nowUnsafe()
    const period = { from: now, to: now }
    const answers = {
      findPayment: await run(psp.findPayment?.(endToEndId)),
      listPayments: await run(psp.listPayments?.(period)),
      confirmPayer: await run(psp.confirmPayer?.({ endToEndId, document: "12345678909" })),
      findInfraction: await run(psp.findInfraction?.("i1", now)),
      listInfractions: await run(psp.listInfractions?.(period)),
      defendInfraction: await run(
        psp.defendInfraction?.({ id: "i1", answer: "agree", text: "", now })
      ),
      balance: await run(psp.balance?.())
    } satisfies Record<Exclude<Optional<PspShape>, (typeof names)[number]>, unknown>
    for (const [name, answer] of Object.entries(answers))
      assert.isTrue(isUnderstood(name as PspOperation, answer), name)
    const webhookUrl = "https://shop.example/psp/a/webhook"
    assert.strictEqual((await run(psp.prepare?.({ webhookUrl })))[0]?.message, webhookUrl)
    assert.strictEqual((await run(psp.check?.()))[0]?.state, "ok")
    assert.strictEqual(DateTime.formatIso(existing(await run(psp.certificateEnds?.()))), at)
    assert.deepStrictEqual(psp.identity, { clientId: "us" })
  })

  it("serves: payouts wait for its balance, its reports hold money and are answered", async () => {
    const { asked, methods } = everything({ returns: 0 })
    await withPagora(
      { psp: setupOf(pspFromPromises(promised({ ...methods, environment: "sandbox" }))) },
      async (pagora) => {
        const { id } = await pagora.accounts.create({ name: "Loja" })
        const charge = await pagora.charges.create(id, { amount: 10 })
        await notified(pagora, charge.pspPaymentId)
        const blocks = async () => (await pagora.blocks.page(id)).data
        await eventually(async () => {
          await pagora.advanceTime({ seconds: 900 })
          return (await blocks()).length === 1 ? true : undefined
        })
        const [block] = await blocks()
        assert.deepInclude(block, { amount: 10, status: "awaiting_response" })
        await pagora.blocks.answer(existing(block).id, { answer: "disagree", text: "Entregue." })
        await eventually(async () => {
          await pagora.advanceTime({ seconds: 60 })
          return asked.find((name) => name === "defendInfraction disagree Entregue. string")
        })
        assert.include(asked, "listInfractions string")
        assert.include(asked, "findInfraction string")

        await pagora.accounts.adjust(id, { amount: 100, reason: "seed" })
        const key = { pixKey: "ana@example.com", pixKeyType: "email" } as const
        await pagora.withdrawals.create(id, { amount: 6, ...key })
        const isShort = async () =>
          (await pagora.reviews.list()).data.find(({ reason }) => reason === "psp_short")
        await eventually(isShort)
        const [psp] = (await pagora.psps.list()).data
        assert.deepStrictEqual(psp?.balance, { available: 5, blocked: 0 })
      }
    )
  })

  it("may say how many payouts it takes, and how long it knows a repeat", () => {
    const capabilities = {
      ...promised().capabilities,
      payoutsAtOnce: 1,
      repeatableFor: "1 day"
    } as const
    const { repeatableFor, ...told } = pspFromPromises(promised({ capabilities })).capabilities
    assert.strictEqual(Duration.toHours(existing(repeatableFor)), 24)
    assert.strictEqual(told.payoutsAtOnce, 1)
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
