import type {
  AccountId,
  Centavos,
  LedgerTx,
  LedgerTxId,
  Row,
  Unit,
  UnitId,
  Uuid,
  WalletId,
  WriteId
} from "@pagora/core"
import { MergedUnit } from "@pagora/core"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { newId, rowOf } from "../contracts/StorageLaws.ts"
import { DoorWitness } from "./DoorWitness.ts"

type Posting = LedgerTx.LedgerTx["postings"][number]

const at = DateTime.makeUnsafe("2026-11-24T13:00:00Z")

/** What a witness says of units that came in, one write each. */
const said = (...all: ReadonlyArray<Partial<Unit>>): ReadonlyArray<string> => {
  const witness = new DoorWitness(() => DateTime.toEpochMillis(at))
  for (const parts of all) {
    const unit = { id: newId<UnitId>(), at, ...parts }
    witness.saw("write", [MergedUnit.merge([unit], newId<WriteId>())], null)
  }
  return witness.violations
}

const main = newId<AccountId & WalletId>()
const own = newId<WalletId>()
const owner = (kind: string, id: WalletId, status = "approved"): Row =>
  rowOf({ table: "registry", kind, id, account: main, wallet: id, status })
const account = owner("account", main)
const subAccount = owner("sub_account", own)
const opened: Partial<Unit> = { inserts: [account], opens: [main] }
const subOpened: Partial<Unit> = { inserts: [subAccount], opens: [own] }
const became = (row: Row, status: string): Partial<Unit> => ({
  updates: [{ row: { ...row, status }, expected: 1 }]
})

const posting = (of: WalletId, bucket: "available" | "equity", amount: bigint): Posting => ({
  account: { owner: of, bucket },
  amount: amount as Centavos,
  spends: false
})
const booked = (
  kind: LedgerTx.LedgerTx["kind"],
  source: Uuid,
  ...postings: ReadonlyArray<Posting>
): LedgerTx.LedgerTx => ({
  id: newId<LedgerTxId>(),
  kind,
  account: main,
  wallet: main,
  source,
  leg: 0,
  amount: 1n as Centavos,
  document: null,
  postings
})

const moved = (from: WalletId, to: WalletId): Partial<Unit> => {
  const row = rowOf({ kind: "transfer", account: main, wallet: from })
  const both = [posting(from, "available", -1n), posting(to, "available", 1n)]
  return { inserts: [row], ledger: [booked("internal_transfer", row.id, ...both)] }
}
const funded = (to: WalletId): Partial<Unit> => {
  const both = [posting(newId(), "equity", -1n), posting(to, "available", 1n)]
  return { ledger: [booked("adjustment", newId(), ...both)] }
}

const wrongs: Readonly<Record<string, readonly [RegExp, ReadonlyArray<Partial<Unit>>]>> = {
  "money comes to a sub-account that was closed": [
    /internal_transfer of .* came to sub-account .*, which is closed$/,
    [opened, funded(main), subOpened, became(subAccount, "closed"), moved(main, own)]
  ],
  "a suspended sub-account begins a transfer": [
    /transfer .* was begun by sub_account .*, which is suspended$/,
    [opened, subOpened, funded(own), became(subAccount, "suspended"), moved(own, main)]
  ],
  "a sub-account is opened in a closed account": [
    /sub-account .* was begun by account .*, which is closed$/,
    [opened, became(account, "closed"), subOpened]
  ],
  "an account is closed beside an open sub-account": [
    /account .* was closed, and its sub-account .* is approved$/,
    [opened, subOpened, became(account, "closed")]
  ]
}

describe("the witness of owners", () => {
  it.each(Object.entries(wrongs))("says that %s", (_, [sentence, units]) => {
    const [first, ...more] = said(...units)
    assert.match(first ?? "", sentence)
    assert.isEmpty(more)
  })

  it("says nothing where whoever is suspended is paid, and all is closed in its order", () =>
    assert.deepStrictEqual(
      said(
        opened,
        funded(main),
        subOpened,
        became(subAccount, "suspended"),
        moved(main, own),
        { updates: [{ row: subAccount, expected: 2 }] },
        moved(own, main),
        { updates: [{ row: { ...subAccount, status: "closed" }, expected: 3 }], empty: [own] },
        became(account, "closed"),
        // A payout of before comes back.
        funded(main)
      ),
      []
    ))
})
