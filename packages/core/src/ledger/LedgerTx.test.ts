import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import { available, equity, held, pspClearing } from "./LedgerAccount.ts"
import type { LedgerTx, Posting } from "./LedgerTx.ts"
import { credit, debit, imbalanceOf, post, spend } from "./LedgerTx.ts"

const idOf = <Id extends Uuid>(digit: string): Id =>
  `00000000-0000-7000-8000-00000000000${digit}` as Id
const brl = (amount: bigint) => Centavos.make(amount)
const psp = pspClearing(idOf("b"))
const wallet = available(idOf("a"))

const txOf = (postings: ReadonlyArray<Posting>): LedgerTx => ({
  id: idOf("1"),
  kind: "payment",
  account: idOf("a"),
  wallet: idOf("a"),
  source: idOf("2"),
  leg: 0,
  amount: brl(100n),
  document: null,
  postings
})

describe("post", () => {
  it("takes what balances, over any number of accounts", () => {
    const tx = txOf([
      debit(psp, brl(100n)),
      credit(wallet, brl(60n)),
      credit(held(idOf("a")), brl(40n))
    ])
    assert.deepStrictEqual(post(tx), tx)
  })

  it("leaves out what moves nothing", () => {
    const postings = [debit(psp, brl(100n)), credit(wallet, brl(100n))]
    const nothing = credit(equity(idOf("a")), brl(0n))
    assert.deepStrictEqual(post(txOf([nothing, ...postings])), txOf(postings))
  })

  const refused: ReadonlyArray<readonly [string, ReadonlyArray<Posting>, string]> = [
    ["nothing", [], "needs at least two postings"],
    ["one side alone", [credit(wallet, brl(1n))], "needs at least two postings"],
    ["zeros alone", [credit(wallet, brl(0n)), debit(psp, brl(0n))], "needs at least two postings"],
    [
      "a centavo too much",
      [debit(psp, brl(100n)), credit(wallet, brl(101n))],
      "sums to 1 centavos instead of zero"
    ],
    [
      "two credits",
      [credit(psp, brl(5n)), credit(wallet, brl(5n))],
      "sums to 10 centavos instead of zero"
    ]
  ]
  for (const [name, postings, sentence] of refused) {
    it(`refuses ${name}`, () => {
      assert.throws(
        () => post(txOf(postings)),
        `Ledger transaction payment of ${idOf("2")} ${sentence}.`
      )
    })
  }

  const amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -9n, maximum: 9n }))
  it.prop(
    "never lets a set through that does not sum to zero",
    { amounts: Schema.Array(amount) },
    ({ amounts }) => {
      const postings = amounts.map((amount) => credit(wallet, brl(amount)))
      const sum = amounts.reduce((total, amount) => total + amount, 0n)
      const isFit = sum === 0n && amounts.some((amount) => amount !== 0n)
      if (!isFit) return assert.throws(() => post(txOf(postings)), "Ledger transaction payment")
      const posted = post(txOf(postings)).postings
      assert.isUndefined(imbalanceOf(posted))
      assert.deepStrictEqual(
        posted.map((posting) => posting.amount),
        amounts.filter((amount) => amount !== 0n).map(brl)
      )
    }
  )
})

describe("imbalanceOf", () => {
  it("names a posting of zero, which `post` would have left out", () => {
    const postings = [credit(wallet, brl(0n)), debit(psp, brl(0n))]
    assert.strictEqual(imbalanceOf(postings), "has a posting of zero")
  })
})

describe("a posting", () => {
  it("adds when it credits, takes when it debits, and guards the liens when it spends", () => {
    assert.deepStrictEqual(credit(wallet, brl(7n)), {
      account: wallet,
      amount: brl(7n),
      spends: false
    })
    assert.deepStrictEqual(debit(wallet, brl(7n)), {
      account: wallet,
      amount: brl(-7n),
      spends: false
    })
    assert.deepStrictEqual(spend(wallet, brl(7n)), {
      account: wallet,
      amount: brl(-7n),
      spends: true
    })
  })
})
