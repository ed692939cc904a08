import { DateTime, Duration, Effect } from "effect"
import type { Uuid, WalletId } from "../kernel/Ids.ts"
import { idsAt } from "../kernel/Ids.ts"
import { isWalletBucket } from "../ledger/LedgerAccount.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import type { AuditState } from "./AuditRun.ts"
import { auditLimits, chunked, lastOf, report, progressed, walkPages } from "./AuditRun.ts"
import type { StorageError } from "../units/Refused.ts"
import type { StoredRow } from "../units/Unit.ts"

/** Everything that is closed. */
export const walkClosed = (state: AuditState) =>
  Effect.forEach(
    ["sub_account", "account"],
    (kind) => {
      const limit = auditLimits.wallets
      const query = { table: "registry", kind, status: "closed", order: "asc" } as const
      return walkPages(state, "wallets", { after: undefined, limit }, (page) =>
        Effect.gen(function* () {
          const rows = yield* state.driver.list({ ...query, ...page })
          yield* holdClosed(state, rows)
          return lastOf(
            rows.map(({ id }) => id),
            limit
          )
        })
      )
    },
    { discard: true }
  )

/** What is closed of these. Closing demands emptiness, so only what was moved or claimed since can be wrong. */
export const lookAtClosed = Effect.fnUntraced(function* (
  state: AuditState,
  ids: ReadonlyArray<WalletId>
): Effect.fn.Return<void, StorageError> {
  let done = 0
  for (const some of chunked(ids, auditLimits.wallets)) {
    const rows = yield* state.driver.rows("registry", some)
    const isOwner = ({ kind }: StoredRow) => kind === "sub_account" || kind === "account"
    yield* holdClosed(
      state,
      rows.filter((row) => isOwner(row) && row.status === "closed")
    )
    done += some.length
    yield* progressed(state, "wallets", done)
  }
})

/**
 * Rule `closed_not_empty`. What is closed stays closed, so nothing can come in between two reads.
 *
 * - The wallet of a closed sub-account holds nothing, and nothing is claimed of it (decision 0024).
 * - That of a closed account holds no more than came back to it: payouts that were reversed and pieces of blocks that came to
 *   nothing, less what the operator took out since (decisions 0042, 0111).
 */
const holdClosed = Effect.fnUntraced(function* (
  state: AuditState,
  rows: ReadonlyArray<StoredRow>
): Effect.fn.Return<void, StorageError> {
  const byId = new Map(rows.map((row) => [row.id as WalletId, row]))
  for (const wallet of byId.size === 0 ? [] : yield* state.driver.wallets([...byId.keys()])) {
    const { available, held, lien, promotional } = wallet
    if (available + held + promotional === 0n && lien === 0n) continue
    const row = byId.get(wallet.id)
    const isAccount = row?.kind === "account"
    const allowed = isAccount ? yield* cameBack(state, row) : 0n
    const isEmpty = isAccount ? held === 0n : lien === 0n
    if (isEmpty && available + held + promotional <= allowed) continue
    const detail = `is closed and holds ${available + held + promotional} centavos, with a lien of ${lien}`
    report(state, { rule: "closed_not_empty", subject: wallet.id, detail })
  }
})

/** A reversal that was made so long before a closing may have been written after it. */
const writtenWithin = Duration.minutes(10)

/**
 * What the wallet of an account still has of what came back to it since it was closed, and was empty: payouts that were
 * reversed and pieces of blocks, which are adjustments that stand for a withdrawal or a return and not for themselves. What is
 * taken out is taken of what should not be there, where there is such.
 */
const cameBack = Effect.fnUntraced(function* (
  { driver }: AuditState,
  account: StoredRow
): Effect.fn.Return<bigint, StorageError> {
  const closedAt = changedAt(account)
  if (closedAt === undefined) return 0n
  const [wallet, limit] = [account.id as WalletId, auditLimits.wallets]
  let left = { returned: 0n, other: 0n }
  let after: Uuid | undefined = idsAt(DateTime.subtractDuration(closedAt, writtenWithin)).first
  do {
    const txs: ReadonlyArray<LedgerTx> = yield* driver.movements({
      wallet,
      order: "asc",
      limit,
      after
    })
    left = txs.reduce((so, tx) => leftAfter(so, tx, movedOf(tx, wallet)), left)
    after = lastOf(
      txs.map(({ id }) => id),
      limit
    )
  } while (after !== undefined)
  return left.returned
})

/** Taken before there was anything, it was what was there before the closing. */
const leftAfter = (
  { other, returned }: { readonly returned: bigint; readonly other: bigint },
  { id, kind, source }: LedgerTx,
  moved: bigint
) => {
  if (moved > 0n)
    return kind === "adjustment" && source !== id
      ? { returned: returned + moved, other }
      : { returned, other: other + moved }
  if (other + moved >= 0n) return { returned, other: other + moved }
  const rest = returned + other + moved
  return { returned: rest > 0n ? rest : 0n, other: 0n }
}

/** When an account was changed last: a closed one, when it was closed. Undefined where its document is damaged. */
const changedAt = ({ document }: StoredRow): DateTime.Utc | undefined => {
  try {
    const { updatedAt } = JSON.parse(document) as { readonly updatedAt?: unknown }
    return typeof updatedAt === "string" ? DateTime.makeUnsafe(updatedAt) : undefined
  } catch {
    return undefined
  }
}

const movedOf = ({ postings }: LedgerTx, wallet: WalletId): bigint =>
  postings.reduce(
    (sum, { account: { bucket, owner }, amount }) =>
      owner === wallet && isWalletBucket(bucket) ? sum + amount : sum,
    0n
  )
