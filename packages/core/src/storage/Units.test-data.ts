import { assert } from "@effect/vitest"
import { DateTime, Exit } from "effect"
import type { LedgerTxId, PspCredentialId, UnitId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { LedgerAccount } from "../ledger/LedgerAccount.ts"
import { available, pspClearing } from "../ledger/LedgerAccount.ts"
import type { Posting } from "../ledger/LedgerTx.ts"
import { credit, debit, post, spend } from "../ledger/LedgerTx.ts"
import type { Row, Unit } from "../units/Unit.ts"

let made = 0

/** An id that no other call gave, in the order of the calls. */
export const newId = <Id extends Uuid>(): Id => idOf(++made)

export const idOf = <Id extends Uuid>(number: number): Id =>
  `00000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}` as Id

export const at = (millis: number): DateTime.Utc => DateTime.makeUnsafe(millis)

export const unitOf = (parts: Partial<Unit>): Unit => ({
  id: newId<UnitId>(),
  at: at(1_000),
  ...parts
})

export const rowOf = (parts: Partial<Row> = {}): Row => ({
  table: "operation",
  id: newId(),
  kind: "thing",
  account: idOf(0xa),
  wallet: idOf(0xa),
  status: "new",
  amount: null,
  ref: null,
  document: "{}",
  ...parts
})

const psp = pspClearing(idOf<PspCredentialId>(0xb))

const movement = (wallet: WalletId, amount: bigint, postings: ReadonlyArray<Posting>): Unit =>
  unitOf({
    ledger: [
      post({
        id: newId<LedgerTxId>(),
        kind: "adjustment",
        account: idOf(0xa),
        wallet,
        source: newId(),
        leg: 0,
        amount: amount as Centavos,
        document: null,
        postings
      })
    ]
  })

/** Money that comes into a wallet from outside. */
export const moneyIn = (
  wallet: WalletId,
  amount: bigint,
  into: LedgerAccount = available(wallet)
): Unit => {
  const centavos = amount as Centavos
  return movement(wallet, amount, [debit(psp, centavos), credit(into, centavos)])
}

/** Money that its owner spends. */
export const moneyOut = (wallet: WalletId, amount: bigint): Unit => {
  const centavos = amount as Centavos
  return movement(wallet, amount, [spend(available(wallet), centavos), credit(psp, centavos)])
}

/** Money moved between accounts, none of it spent. */
export const moving = (
  wallet: WalletId,
  moves: ReadonlyArray<{ readonly account: LedgerAccount; readonly amount: bigint }>
): Unit =>
  movement(
    wallet,
    0n,
    moves.map(({ account, amount }) => credit(account, amount as Centavos))
  )

/** A wallet that begins to exist. */
export const opening = (wallet: WalletId): Unit => unitOf({ opens: [wallet] })

/** Compares all that a refusal tells: the assertions of the test runner look at nothing but its message. */
export const assertRefused = (actual: unknown, expected: unknown): void =>
  assert.deepStrictEqual(told(actual), told(expected))

const told = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(told)
  if (Exit.isExit(value) && Exit.isFailure(value)) {
    return value.cause.reasons.map((reason) => ("error" in reason ? told(reason.error) : reason))
  }
  return value instanceof Error ? { ...value, name: value.name, message: value.message } : value
}
