import { assert, describe, it } from "@effect/vitest"
import type { PagoraInstance } from "@pagora/core"
import { Pagora } from "@pagora/core"
import { refusalOf, secret, sharedMemory, until, withPagora } from "../world/Embedding.test-data.ts"
import { bankA, bankB } from "./PlainBank.test-data.ts"
import { aElseB, codeIn, isPaid, tenant, twoBanks } from "./Routing.test-data.ts"

const unavailable = [500, "PSP_UNAVAILABLE"]

/** So many charges on end that a bank does not take make that it is passed over. */
const untaken = 3

const shopOf = async (pagora: PagoraInstance, psps: object) => {
  const { id } = await pagora.accounts.create({ name: "Loja", psps: psps as typeof aElseB })
  return { id, ...(await tenant(pagora, id)) }
}

const passedOver = async (pagora: PagoraInstance, psp: string) =>
  new RegExp(`pagora_psp_passed_over_total\\{psp="${psp}"\\} (\\d+)`).exec(
    await pagora.metrics()
  )?.[1]

describe("new charges by the rules of their account", () => {
  it("go by amount, by share and else to the default; the one that names a PSP goes there", () => {
    const { a, b, psp } = twoBanks()
    return withPagora({ psp }, async (pagora) => {
      const rules = [
        { max: 99.99, to: [{ psp: bankB }] },
        {
          min: 1_000,
          to: [
            { psp: bankA, share: 1 },
            { psp: bankB, share: 3 }
          ]
        }
      ]
      const { charge, id } = await shopOf(pagora, {
        default: bankA,
        allowed: [bankA, bankB],
        rules
      })
      const pspOf = async (content: object) => (await charge(content)).json.pspCredentialId
      assert.strictEqual(await pspOf({ amount: 99.99 }), bankB)
      assert.strictEqual(await pspOf({ amount: 100 }), bankA)
      assert.strictEqual(await pspOf({ amount: 50, pspCredentialId: bankA }), bankA)
      assert.strictEqual(await pspOf({ amount: 100, pspCredentialId: bankB }), bankB)

      let atB = 0
      for (let made = 0; made < 100; made++) {
        const key = `split-${String(made).padStart(8, "0")}`
        const first = await charge({ amount: 1_000 }, key)
        assert.deepStrictEqual((await charge({ amount: 1_000 }, key)).json, first.json)
        if (first.json.pspCredentialId === bankB) atB++
      }
      // Three in four; one test in a million would see less.
      assert.isAbove(atB, 50)
      assert.isBelow(atB, 97)

      const paid = await charge({ amount: 50 })
      await isPaid(pagora, b, id, paid)
      // Payouts have rules of their own: the default.
      await pagora.withdrawals.create(id, {
        amount: 5,
        pixKey: "ana@example.com",
        pixKeyType: "email"
      })
      await until(() => a.payouts.size === 1)
      assert.isUndefined(await passedOver(pagora, bankA))
    })
  })

  it("are what the operator said, and are shown to him; a choice without rules has none", () => {
    const { psp } = twoBanks()
    return withPagora({ psp }, async (pagora) => {
      const { charge, id } = await shopOf(pagora, aElseB)
      const shown = { to: [{ psp: bankA, share: 1 }] }
      assert.deepStrictEqual((await pagora.accounts.get(id)).psps, {
        ...aElseB,
        rules: [shown, { to: [{ psp: bankB, share: 1 }] }]
      })
      const bounded = [{ min: 0.01, max: 1_234.56, to: [{ psp: bankB, share: 1_000 }] }]
      const changed = await pagora.accounts.change(id, { psps: { ...aElseB, rules: bounded } })
      assert.deepStrictEqual(changed.psps?.rules, bounded)
      assert.strictEqual((await charge()).json.pspCredentialId, bankB)
      const { rules: _, ...without } = aElseB
      assert.deepStrictEqual((await pagora.accounts.change(id, { psps: without })).psps, without)
      assert.strictEqual((await charge()).json.pspCredentialId, bankA)
    })
  })

  it("that fit nothing are a 400 that says so, and change nothing", () => {
    const { psp } = twoBanks()
    return withPagora({ psp }, async (pagora) => {
      const { id } = await shopOf(pagora, aElseB)
      const before = await pagora.accounts.get(id)
      const foreign = "00000000-0000-7000-8000-0000000000ff"
      const both = { default: bankA, allowed: [bankA, bankB] }
      const a = { psp: bankA }
      const wrong: ReadonlyArray<readonly [object, RegExp]> = [
        [{ default: bankA, rules: [{ to: [{ psp: bankB }] }] }, /not allowed/],
        [{ ...both, rules: [{ to: [{ psp: foreign }] }] }, /not allowed/],
        [
          { default: bankA, allowed: [bankA, foreign], rules: [{ to: [{ psp: foreign }] }] },
          /^psps: no PSP is configured under/
        ],
        [{ ...both, rules: [{ to: [] }] }, /at least one PSP/],
        [{ ...both, rules: [{ to: [a, a] }] }, /each PSP once/],
        [{ ...both, rules: [{ min: 2, max: 1, to: [a] }] }, /from this min to this max/],
        [{ ...both, rules: [{ to: [{ ...a, share: 0 }] }] }, /share/],
        [{ ...both, rules: [{ to: [{ ...a, share: 1_001 }] }] }, /share/],
        [{ ...both, rules: [{ to: [{ ...a, share: 1.5 }] }] }, /share/],
        [{ ...both, rules: [{ max: 0.001, to: [a] }] }, /max/],
        [{ ...both, rules: Array.from({ length: 21 }, () => ({ to: [a] })) }, /rules/]
      ]
      for (const [psps, sentence] of wrong) {
        const refusal = await refusalOf(pagora.accounts.change(id, { psps: psps as typeof aElseB }))
        assert.strictEqual(refusal.details["status"], 400)
        assert.match(refusal.message, sentence)
      }
      assert.deepStrictEqual(await pagora.accounts.get(id), before)
    })
  })
})

describe("the rules of a deployment", () => {
  const pspRules = [
    { max: 99.99, to: [{ psp: bankB }] },
    { to: [{ psp: bankA }] },
    { to: [{ psp: bankB }] }
  ]

  it("are those of every account that has none, as far as it may use their PSPs; its own win", () => {
    const { a, b, psp } = twoBanks()
    return withPagora({ psp, pspRules }, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja" })
      const plain = { id, ...(await tenant(pagora, id)) }
      const both = { default: bankA, allowed: [bankA, bankB] }
      const free = await shopOf(pagora, both)
      const bound = await shopOf(pagora, { default: bankA })
      const own = await shopOf(pagora, { ...both, rules: [{ max: 10, to: [{ psp: bankA }] }] })
      const none = await shopOf(pagora, { ...both, rules: [] })
      const placeOf = async ({ charge }: typeof free, amount: number) =>
        (await charge({ amount })).json.pspCredentialId
      for (const [shop, small, large] of [
        [plain, bankB, bankA],
        [free, bankB, bankA],
        [bound, bankA, bankA],
        [own, bankA, bankA],
        [none, bankA, bankA]
      ] as const)
        assert.deepStrictEqual([await placeOf(shop, 10), await placeOf(shop, 100)], [small, large])
      // What was said for all is nothing that the account was given.
      assert.isUndefined((await pagora.accounts.get(id)).psps)
      const paid = await plain.charge({ amount: 10 })
      await isPaid(pagora, b, id, paid)

      a.refuses()
      for (let one = 0; one < untaken; one++)
        assert.deepStrictEqual(codeIn(await plain.charge({ amount: 100 })), unavailable)
      assert.strictEqual(await placeOf(plain, 100), bankB)
      assert.strictEqual(await placeOf(free, 100), bankB)
      for (const { charge } of [bound, own, none])
        assert.deepStrictEqual(codeIn(await charge({ amount: 100 })), unavailable)
      assert.isTrue((await pagora.audit()).ok)
    })
  })

  it("that name a PSP which is not there are told at the start, and gone past", async () => {
    const { a } = twoBanks()
    const told: Array<string> = []
    const options = {
      pspRules,
      psp: { default: bankA, psps: { [bankA]: a.psp } },
      logger: (entry: object) => void told.push(JSON.stringify(entry))
    }
    await withPagora(options, async (pagora) => {
      await until(() => told.some((line) => line.includes("The rules of this deployment")))
      const { id } = await pagora.accounts.create({ name: "Loja" })
      const made = await pagora.charges.create(id, { amount: 10 })
      assert.strictEqual(made.pspCredentialId, bankA)
    })
  })
})

describe("a bank that takes no new charges", () => {
  it("is passed over by those to come; what was intended there stays, and ends there when it is back", () => {
    const { a, b, psp } = twoBanks()
    return withPagora({ psp }, async (pagora) => {
      const { charge, id } = await shopOf(pagora, aElseB)
      const ruleless = await shopOf(pagora, { default: bankA, allowed: [bankA, bankB] })
      a.refuses()
      for (let one = 0; one < untaken; one++)
        assert.deepStrictEqual(codeIn(await charge({}, `intended-${one}`)), unavailable)
      assert.isUndefined(b.asked.get("createCharge"))

      const next = await charge({}, "elsewhere-1")
      assert.deepStrictEqual([next.status, next.json.pspCredentialId], [201, bankB])
      await isPaid(pagora, b, id, next)
      assert.strictEqual(await passedOver(pagora, bankA), "1")
      // Only where rules name another, and only where the charge names none.
      assert.deepStrictEqual(codeIn(await charge({ pspCredentialId: bankA })), unavailable)
      assert.deepStrictEqual(codeIn(await ruleless.charge()), unavailable)
      // A repeat goes on where it began, though others go elsewhere.
      assert.deepStrictEqual(codeIn(await charge({}, "intended-0")), unavailable)
      assert.strictEqual(b.asked.get("createCharge"), 1)

      a.isBack()
      for (let one = 0; one < untaken; one++) {
        const made = await charge({}, `intended-${one}`)
        assert.deepStrictEqual([made.status, made.json.pspCredentialId], [201, bankA])
        await isPaid(pagora, a, id, made)
      }
      assert.strictEqual(b.asked.get("createCharge"), 1)
      // What it took shows that it is back, and nobody passes over it; what went elsewhere stays there.
      assert.strictEqual((await charge()).json.pspCredentialId, bankA)
      assert.deepStrictEqual((await charge({}, "elsewhere-1")).json, next.json)
      const { available } = await pagora.balances.get(id)
      assert.strictEqual(available.amount, 4_000)
      assert.isTrue((await pagora.audit()).ok)
    })
  }, 60_000)

  it("is passed over as well while its circuit is open", () => {
    const { a, b, psp } = twoBanks()
    return withPagora({ psp }, async (pagora) => {
      const { charge, id } = await shopOf(pagora, aElseB)
      a.isSilent()
      const met = await Promise.all(Array.from({ length: 5 }, () => charge()))
      for (const answer of met) assert.deepStrictEqual(codeIn(answer), unavailable)
      assert.include(await pagora.metrics(), `pagora_psp_circuit_open{psp="${bankA}"} 1`)
      const next = await charge()
      assert.deepStrictEqual([next.status, next.json.pspCredentialId], [201, bankB])
      await isPaid(pagora, b, id, next)
    })
  }, 60_000)

  it("where all take none, a charge goes where it would go, and is refused as ever", () => {
    const { a, b, psp } = twoBanks()
    return withPagora({ psp }, async (pagora) => {
      const { charge } = await shopOf(pagora, aElseB)
      a.refuses()
      b.refuses()
      for (let one = 0; one < 2 * untaken + 2; one++)
        assert.deepStrictEqual(codeIn(await charge()), unavailable)
      a.isBack()
      assert.strictEqual((await charge()).json.pspCredentialId, bankA)
    })
  })
})

describe("two processes", () => {
  it("may know different things of a bank, and answer one key with one charge at one bank", async () => {
    const storage = await sharedMemory()
    const { a, b, psp } = twoBanks()
    const options = { storage, secret, logger: false, psp } as const
    const [knowing, other] = [await Pagora.start(options), await Pagora.start(options)]
    try {
      const { charge } = await shopOf(knowing, aElseB)
      a.refuses()
      for (let one = 0; one < untaken; one++) await charge()
      // The one that knows goes elsewhere, the other one does not know yet.
      const next = await charge({}, "one-key-1")
      assert.strictEqual(next.json.pspCredentialId, bankB)
      assert.deepStrictEqual(codeIn(await charge({}, "one-key-2", other)), unavailable)
      const atB = b.asked.get("createCharge")
      // Each goes on with what the other one began, where that began it.
      assert.deepStrictEqual((await charge({}, "one-key-1", other)).json, next.json)
      assert.deepStrictEqual(codeIn(await charge({}, "one-key-2")), unavailable)
      a.isBack()
      assert.strictEqual((await charge({}, "one-key-2")).json.pspCredentialId, bankA)
      assert.strictEqual(b.asked.get("createCharge"), atB)
    } finally {
      await knowing.stop()
      await other.stop()
    }
  })

  it("one that a rule names may have left the configuration: it is told at the start, and passed over", async () => {
    const storage = await sharedMemory()
    const { a, psp } = twoBanks()
    const first = await Pagora.start({ storage, secret, logger: false, psp })
    const { id } = await shopOf(first, { ...aElseB, rules: [{ to: [{ psp: bankB }] }] })
    await first.stop()
    const told: Array<string> = []
    const pagora = await Pagora.start({
      storage,
      secret,
      logger: (entry) => void told.push(JSON.stringify(entry)),
      psp: { default: bankA, psps: { [bankA]: a.psp } }
    })
    try {
      await until(() => told.some((line) => line.includes("Rules of accounts name a PSP")))
      assert.include(told.join("\n"), id)
      const made = await pagora.charges.create(id, { amount: 10 })
      assert.strictEqual(made.pspCredentialId, bankA)
    } finally {
      await pagora.stop()
    }
  })
})
