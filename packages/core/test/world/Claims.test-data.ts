import type { AccountId, BlockId, Uuid, WalletId, WithdrawalId } from "../../src/kernel/Ids.ts"
import type { Centavos } from "../../src/kernel/Money.ts"
import type { Row, Unit } from "../../src/units/Unit.ts"

const rowOf = (parts: Pick<Row, "id" | "kind" | "status" | "document">, of: Owned): Row => ({
  table: "operation",
  account: of.wallet,
  wallet: of.wallet,
  amount: of.amount,
  ref: null,
  ...parts
})

interface Owned {
  readonly wallet: WalletId
  readonly amount: Centavos
}

/** What a balance block writes that claims so much of a main wallet. */
export const aClaim = (id: BlockId, claim: Owned): Pick<Unit, "inserts" | "liens"> => ({
  inserts: [rowOf({ id, kind: "balance_block", status: "defended", document: "{}" }, claim)],
  liens: [{ wallet: claim.wallet, delta: claim.amount }]
})

/** A balance block of which all was taken in one piece. */
export const aTakenBlock = (id: BlockId, taken: Owned): Pick<Unit, "inserts"> => ({
  inserts: [
    rowOf(
      {
        id,
        kind: "balance_block",
        status: "approved",
        document: JSON.stringify({ returned: taken.amount.toString(), pieces: 1 })
      },
      taken
    )
  ]
})

/** What stands for a hold that a test books by itself: a withdrawal that only a person looks at. */
export const aHolder = (id: WithdrawalId, held: Owned, at: Unit["at"]): Partial<Unit> => ({
  inserts: [rowOf({ id, kind: "withdrawal", status: "manual_review", document: "{}" }, held)],
  jobs: [
    {
      _tag: "Schedule",
      queue: "review",
      id,
      group: held.wallet as Uuid as AccountId,
      due: at
    }
  ]
})
