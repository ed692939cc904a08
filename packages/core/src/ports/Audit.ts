import { Effect } from "effect"
import type { AccountId, LedgerTxId, Uuid, WalletId } from "../kernel/Ids.ts"
import { isWalletBucket } from "../ledger/LedgerAccount.ts"
import { lookAtClosed } from "./AuditClosed.ts"
import { violationsOfTx } from "./AuditRules.ts"
import type { AuditOptions, AuditState } from "./AuditRun.ts"
import {
  auditLimits,
  begin,
  chunked,
  lookAtSubjects,
  report,
  violationsOf,
  walkDeliveries,
  walkLedger,
  walkSubjects
} from "./AuditRun.ts"
import {
  lookAtMoved,
  lookAtSuspense,
  lookAtWallets,
  walkSuspense,
  walkWallets
} from "./AuditWallets.ts"
import type { StorageError } from "./Refused.ts"
import type { AuditReport, StorageDriverShape, Violation } from "./StorageDriver.ts"

/**
 * Holds everything that is stored against every rule. It trusts nothing that an earlier audit kept. It reads in bounded
 * pieces, each a snapshot of its own; what does not fit together across them is looked at again in one snapshot before it
 * is told.
 */
export const completeAudit = Effect.fn("Audit.complete")(function* (
  driver: StorageDriverShape,
  options: AuditOptions = {}
): Effect.fn.Return<AuditReport, StorageError> {
  const state = begin(driver, options)
  yield* Effect.all([walkLedger(state, undefined), walkSubjects(state, undefined)], {
    concurrency: 2,
    discard: true
  })
  yield* walkWallets(state)
  yield* walkSuspense(state)
  yield* lookAtClosed(state)
  yield* walkDeliveries(state, undefined)
  return reportOf(state)
})

/** What an audit of what is new goes on from. */
export interface AuditSince extends AuditOptions {
  /** Everything that was begun, booked or told after this is looked at. */
  readonly since: Uuid
  readonly keepUpTo: LedgerTxId
  /** What was found wrong before, and is looked at again until it is right. */
  readonly known: ReadonlyArray<Violation>
}

/** What only a complete audit looks for: once found, it stays in the report until the next one. */
const onlyComplete = ["global_sum", "orphan_posting", "delivery_without_event"]

/**
 * Holds what is new against the rules: operations that were begun or booked for since, wallets that moved, accounts whose
 * suspense did. What was changed without a booking, or by another hand than ours, only the complete audit sees.
 */
export const auditSince = Effect.fn("Audit.since")(function* (
  driver: StorageDriverShape,
  { known, since, ...options }: AuditSince
): Effect.fn.Return<AuditReport, StorageError> {
  const state = begin(driver, options)
  const moved = new Set<WalletId>()
  const accounts = new Set<AccountId>()
  yield* walkSubjects(state, since)
  yield* walkLedger(state, since as LedgerTxId, ({ sources, sums }) => {
    for (const { bucket, owner } of sums) {
      if (isWalletBucket(bucket)) moved.add(owner as WalletId)
      if (bucket === "suspense") accounts.add(owner as AccountId)
    }
    // Those that are newer were met before.
    return lookAtSubjects(
      state,
      sources.filter((id) => id <= since)
    )
  })
  const again = [...new Set(known.map(({ subject }) => subject))].filter(isId)
  yield* lookAtSubjects(state, again)
  yield* lookAtTxs(state, again)
  yield* lookAtMoved(state, [...new Set([...moved, ...state.claimants])])
  yield* lookAtWallets(state, again as ReadonlyArray<Uuid> as ReadonlyArray<never>)
  const waiting = [
    ...accounts,
    ...state.suspense.keys(),
    ...(again as ReadonlyArray<Uuid> as ReadonlyArray<never>)
  ]
  yield* lookAtSuspense(state, [...new Set(waiting)])
  yield* lookAtClosed(state)
  yield* walkDeliveries(state, since)
  report(
    state,
    known.filter(({ rule }) => onlyComplete.includes(rule))
  )
  return reportOf(state)
})

const isId = (subject: string): subject is Uuid => subject.length === 36

const lookAtTxs = Effect.fnUntraced(function* (
  state: AuditState,
  ids: ReadonlyArray<Uuid>
): Effect.fn.Return<void, StorageError> {
  for (const some of chunked(ids as ReadonlyArray<LedgerTxId>, auditLimits.subjects)) {
    for (const tx of yield* state.driver.ledgerTxs(some)) report(state, violationsOfTx(tx))
  }
})

const reportOf = (state: AuditState): AuditReport => ({
  accounts: state.sums.size,
  entries: state.entries,
  violations: violationsOf(state)
})

/** The first id that could have been made at an instant. */
export const idAt = (millis: number): LedgerTxId => {
  const time = Math.max(0, Math.floor(millis)).toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000` as LedgerTxId
}
