import { Effect } from "effect"
import type { AccountId, LedgerTxId, Uuid, WalletId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { isWalletBucket } from "../ledger/LedgerAccount.ts"
import { lookAtClosed, walkClosed } from "./AuditClosed.ts"
import type { AuditStretch } from "../ports/AuditReads.ts"
import type { AuditOptions, AuditState } from "./AuditRun.ts"
import {
  begin,
  lookAtDeliveries,
  lookAtSubjects,
  report,
  takeStretch,
  progressed,
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
import type { StorageError } from "../units/Refused.ts"
import type { AuditReport, StorageDriverShape, Violation } from "../ports/StorageDriver.ts"

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
  yield* walkClosed(state)
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

/** No piece of the ledger tells of it: once found, it stays in the report until the next complete audit. */
const onlyComplete = "global_sum"

/**
 * Holds what is new against the rules: operations that were begun or booked for since, wallets that moved, accounts whose
 * suspense did. What was changed without a booking, or by another hand than ours, only the complete audit sees; once
 * known, it is looked at by this one too.
 */
export const auditSince = Effect.fn("Audit.since")(function* (
  driver: StorageDriverShape,
  { known, since, ...options }: AuditSince
): Effect.fn.Return<AuditReport, StorageError> {
  const state = begin(driver, options)
  const moved = new Set<WalletId>()
  const accounts = new Set<AccountId>()
  const onStretch = ({ sources, sums }: AuditStretch) => {
    for (const { bucket, owner } of sums) {
      if (isWalletBucket(bucket)) moved.add(owner as WalletId)
      if (bucket === "suspense") accounts.add(owner as AccountId)
    }
    // Those that are newer were met before.
    return lookAtSubjects(
      state,
      sources.filter((id) => id <= since)
    )
  }
  yield* walkSubjects(state, since)
  yield* walkLedger(state, since as LedgerTxId, onStretch)
  // What is known may be anything with an id, and is looked at as each.
  const again: ReadonlyArray<Uuid> = [...new Set(known.map(({ subject }) => subject))].filter(
    isUuid
  )
  const owners = again as ReadonlyArray<never>
  yield* lookAtSubjects(state, again)
  for (const id of again) yield* lookAt(state, id, onStretch)
  const wallets = [...new Set([...moved, ...state.claimants])]
  yield* lookAtMoved(state, wallets)
  yield* lookAtWallets(state, owners)
  const waiting = new Set([...accounts, ...state.suspense.keys(), ...owners])
  yield* lookAtSuspense(state, [...waiting])
  yield* lookAtClosed(state, [...new Set([...wallets, ...owners])])
  yield* walkDeliveries(state, since)
  report(
    state,
    known.filter(({ rule }) => rule === onlyComplete)
  )
  return reportOf(state)
})

/** The transaction or the delivery under an id. */
const lookAt = Effect.fnUntraced(function* (
  state: AuditState,
  id: Uuid,
  onStretch: (stretch: AuditStretch) => Effect.Effect<void, StorageError>
): Effect.fn.Return<void, StorageError> {
  const after = idBefore(id) as LedgerTxId
  const stretch = yield* state.driver.audit.stretch({ after, upTo: id as LedgerTxId, limit: 1 })
  yield* takeStretch(state, stretch, false)
  yield* onStretch(stretch)
  yield* lookAtDeliveries(state, { after, limit: 1 })
  yield* progressed(state, "ledger", state.entries)
})

/** Nothing lies between it and the id. */
const idBefore = (id: Uuid): Uuid => {
  const digits = (BigInt(`0x${id.replaceAll("-", "")}`) - 1n).toString(16).padStart(32, "0")
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/u, "$1-$2-$3-$4-") as Uuid
}

const reportOf = (state: AuditState): AuditReport => ({
  accounts: state.sums.size,
  entries: state.entries,
  violations: violationsOf(state)
})
