import { afterAll, assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { WalletId } from "../kernel/Ids.ts"
import { LeaseToken } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import { available, held, promotional, pspClearing } from "../ledger/LedgerAccount.ts"
import type { Posting } from "../ledger/LedgerTx.ts"
import { decideAll } from "./Decision.ts"
import type { WalletFact } from "./Facts.ts"
import { emptyFacts } from "./Facts.ts"
import type { MergedUnit } from "./MergedUnit.ts"
import { merge } from "./MergedUnit.ts"
import type { JobWrite, Unit } from "./Unit.ts"
import { at, idOf, moneyIn, newId, opening, rowOf, unitOf } from "../storage/Units.test-data.ts"

const wallets: ReadonlyArray<WalletId> = [idOf(1), idOf(2)]
const counters = ["a", "b"]
const buckets = { available, held, promotional }

const small = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -6n, maximum: 6n }))
const step = Schema.Struct({
  postings: Schema.Array(
    Schema.Struct({
      wallet: Schema.Literals(wallets),
      bucket: Schema.Literals(["available", "available", "held", "promotional"]),
      amount: small,
      spends: Schema.Boolean
    })
  ).check(Schema.isMaxLength(4)),
  liens: Schema.Array(Schema.Struct({ wallet: Schema.Literals(wallets), delta: small })).check(
    Schema.isMaxLength(2)
  ),
  counters: Schema.Array(
    Schema.Struct({ key: Schema.Literals(counters), add: small, max: Schema.UndefinedOr(small) })
  ).check(Schema.isMaxLength(3))
})
const group = Schema.Array(step).check(Schema.isMinLength(1), Schema.isMaxLength(8))
const start = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 12n }))
const balance = Schema.Struct({ available: start, held: start, promotional: start, lien: start })

const unitFor = ({ counters, liens, postings }: typeof step.Type): Unit => {
  const lines = postings.map(({ amount, bucket, spends, wallet }): Posting => ({
    account: buckets[bucket](wallet),
    amount: Centavos.make(amount),
    spends: spends && amount < 0n && bucket === "available"
  }))
  const rest = Centavos.make(-postings.reduce((sum, { amount }) => sum + amount, 0n))
  const psp: Posting = { account: pspClearing(idOf(9)), amount: rest, spends: false }
  return unitOf({
    ledger: [{ ...transaction, id: newId(), source: newId(), postings: [...lines, psp] }],
    liens: liens.map(({ delta, wallet }) => ({ wallet, delta: Centavos.make(delta) })),
    counters: counters.map(({ add, key, max }) => ({
      key,
      add: Centavos.make(add),
      ...(max === undefined ? {} : { max: Centavos.make(max) })
    }))
  })
}

const transaction = moneyIn(idOf(1), 1n).ledger?.[0] ?? assert.fail("no transaction")

/** What a storage checks of a merged unit, in one comparison for each figure. */
const holds = (
  merged: MergedUnit,
  balances: ReadonlyMap<WalletId, WalletFact>,
  counts: ReadonlyMap<string, bigint>
): boolean =>
  merged.wallets.every((wallet) => {
    const now = balances.get(wallet.id)
    return (
      now !== undefined &&
      now.available + wallet.lowestAvailable >= 0n &&
      now.held + wallet.lowestHeld >= 0n &&
      now.promotional + wallet.lowestPromotional >= 0n &&
      now.lien + wallet.lowestLien >= 0n &&
      (wallet.lowestSpendable === null || now.available - now.lien + wallet.lowestSpendable >= 0n)
    )
  }) &&
  merged.counters.every(
    ({ highest, key }) => highest === null || (counts.get(key) ?? 0n) <= highest
  )

const worldOf = (balances: ReadonlyArray<typeof balance.Type>, counts: ReadonlyArray<bigint>) => {
  const facts = emptyFacts()
  for (const [index, id] of wallets.entries()) {
    const balance = balances[index]
    if (balance !== undefined) facts.wallets.set(id, balance)
  }
  for (const [index, key] of counters.entries()) facts.counters.set(key, counts[index] ?? 0n)
  return facts
}

describe("any group, merged", () => {
  const world = {
    group,
    balances: Schema.Tuple([balance, balance]),
    counts: Schema.Tuple([start, start])
  }
  const seen = { written: 0, refused: 0 }

  it.prop(
    "may be written exactly when every unit may, one after the other, and ends where they end",
    world,
    ({ balances, counts, group }) => {
      const units = group.map(unitFor)
      const facts = worldOf(balances, counts)
      const merged = merge(units, newId())
      const isWritten = holds(merged, facts.wallets, facts.counters)

      const end = worldOf(balances, counts)
      const refusals = decideAll(end, units)
      assert.strictEqual(
        isWritten,
        refusals.every((refusal) => refusal === undefined)
      )
      seen[isWritten ? "written" : "refused"]++
      if (!isWritten) return
      for (const { available, held, id, lien, promotional } of merged.wallets) {
        const before = facts.wallets.get(id) ?? assert.fail("an unknown wallet")
        assert.deepStrictEqual(end.wallets.get(id), {
          available: before.available + available,
          held: before.held + held,
          promotional: before.promotional + promotional,
          lien: before.lien + lien
        })
      }
      for (const { add, key } of merged.counters) {
        assert.strictEqual(end.counters.get(key), (facts.counters.get(key) ?? 0n) + add)
      }
    },
    { arbitrary: { runs: 4_000 } }
  )

  afterAll(() => {
    assert.isAbove(seen.written, 200, "too few groups were written to mean something")
    assert.isAbove(seen.refused, 200, "too few groups were refused to mean something")
  })
})

describe("a merged unit", () => {
  it("has what locks rows in the order of its keys, whatever the order of its units", () => {
    const ids: ReadonlyArray<WalletId> = [idOf(0xc), idOf(0xa), idOf(0xb)]
    const units = ids.map((id, index) =>
      unitOf({
        updates: [{ row: rowOf({ id }), expected: 1 }],
        inserts: [rowOf({ id: idOf(0x20 - index) })],
        keys: [{ space: "s", key: id, holder: id }],
        expects: [{ table: "operation", id: idOf(0x30 - index), version: 1 }],
        counters: [{ key: id, add: Centavos.make(1n) }],
        liens: [{ wallet: idOf(0x40 - index), delta: Centavos.make(1n) }],
        jobs: [{ _tag: "Schedule", queue: "charge", id, group: id, due: at(0) }],
        idempotency: {
          _tag: "Begin",
          scope: { wallet: idOf(0x50 - index), route: "r", key: "k" },
          fingerprint: "",
          entity: id,
          expiresAt: at(1),
          snapshot: null
        }
      })
    )
    const merged = merge(units, newId())
    const names: Record<string, ReadonlyArray<string>> = {
      updates: merged.updates.map(({ row }) => row.id),
      inserts: merged.inserts.map(({ row }) => row.id),
      keys: merged.keys.map(({ key }) => key),
      expects: merged.expects.map(({ id }) => id),
      counters: merged.counters.map(({ key }) => key),
      wallets: merged.wallets.map(({ id }) => id),
      jobs: merged.jobs.map(({ id }) => id),
      begins: merged.begins.map(({ scope }) => scope.wallet)
    }
    for (const [part, ids] of Object.entries(names)) {
      assert.strictEqual(ids.length, 3, part)
      assert.deepStrictEqual(ids, ids.toSorted(), part)
    }
  })

  it("keeps every part of every unit, and who wrote which row", () => {
    const job = { queue: "inbox", id: idOf(1) } as const
    const token = LeaseToken.make(idOf(2))
    const jobs: ReadonlyArray<JobWrite> = [
      { ...job, _tag: "Schedule", group: idOf(2), due: at(0) },
      { ...job, id: idOf(3), _tag: "Finish", token },
      { ...job, id: idOf(4), _tag: "Retry", token, due: at(0) },
      { ...job, id: idOf(5), _tag: "Cancel" }
    ]
    const wallet: WalletId = idOf(6)
    const [one, two] = [unitOf({ jobs, inserts: [rowOf()] }), opening(wallet)]
    const merged = merge([one, two], newId())
    const kept = { queue: "inbox", group: null, token: null, due: null, lease: null } as const
    assert.deepStrictEqual(merged.jobs, [
      { ...kept, id: idOf(1), op: "Schedule", group: idOf(2), due: at(0) },
      { ...kept, id: idOf(3), op: "Finish", token },
      { ...kept, id: idOf(4), op: "Retry", token, due: at(0) },
      { ...kept, id: idOf(5), op: "Cancel" }
    ])
    assert.deepStrictEqual(merged.units, [one, two])
    assert.strictEqual(merged.inserts[0]?.unit, one.id)
    assert.deepStrictEqual(merged.opens, [{ wallet, at: two.at }])
  })

  it("moves a wallet at the latest of its units' instants", () => {
    const units = [3, 7, 5].map((millis) => ({ ...moneyIn(idOf(1), 1n), at: at(millis) }))
    assert.deepStrictEqual(merge(units, newId()).wallets[0]?.at, at(7))
  })

  it("asks once for what several units expect", () => {
    const expects = [{ table: "registry", id: idOf(1), version: 4 }] as const
    const merged = merge([unitOf({ expects }), unitOf({ expects })], newId())
    assert.deepStrictEqual(merged.expects, expects)
  })
})
