import { Effect } from "effect"
import type { Uuid, WalletId } from "../kernel/Ids.ts"
import type { Wallet } from "../ledger/Wallet.ts"
import type { AuditState } from "./AuditRun.ts"
import { auditLimits, report } from "./AuditRun.ts"
import type { StorageError } from "./Refused.ts"

/**
 * Rule `closed_not_empty`. What is closed stays closed, so nothing can come in between two reads.
 *
 * - The wallet of a closed sub-account holds nothing, and nothing is claimed of it (0025).
 * - That of a closed account holds no more than came back to it: payouts that were reversed, less what the operator took
 *   out since (0044).
 */
export const lookAtClosed = Effect.fnUntraced(function* (
  state: AuditState
): Effect.fn.Return<void, StorageError> {
  for (const kind of ["sub_account", "account"]) {
    let after: Uuid | undefined
    for (let isMore = true; isMore;) {
      const query = { table: "registry", kind, status: "closed", order: "asc" } as const
      const page = { limit: auditLimits.wallets, ...(after && { after }) }
      const rows = yield* state.driver.list({ ...query, ...page })
      const ids = rows.map(({ id }) => id as WalletId)
      for (const wallet of ids.length === 0 ? [] : yield* state.driver.wallets(ids)) {
        const { available, held, lien, promotional } = wallet
        if (available + held + promotional === 0n && lien === 0n) continue
        const allowed = kind === "account" ? yield* cameBack(state, wallet) : 0n
        const isEmpty = kind === "account" ? held === 0n : lien === 0n
        if (isEmpty && available + held + promotional <= allowed) continue
        const detail = `is closed and holds ${available + held + promotional} centavos, with a lien of ${lien}`
        report(state, { rule: "closed_not_empty", subject: wallet.id, detail })
      }
      after = rows.at(-1)?.id
      isMore = rows.length === auditLimits.wallets
    }
  }
})

/** What payouts that were reversed brought to a wallet: adjustments that stand for a withdrawal and not for themselves. */
const cameBack = Effect.fnUntraced(function* (
  { driver }: AuditState,
  { id: wallet }: Wallet
): Effect.fn.Return<bigint, StorageError> {
  let sum = 0n
  let after: Uuid | undefined
  for (let isMore = true; isMore;) {
    const txs = yield* driver.movements({
      wallet,
      kinds: ["adjustment"],
      order: "asc",
      limit: auditLimits.wallets,
      ...(after && { after })
    })
    for (const { amount, id, source } of txs) if (source !== id) sum += amount
    after = txs.at(-1)?.id
    isMore = txs.length === auditLimits.wallets
  }
  return sum
})
