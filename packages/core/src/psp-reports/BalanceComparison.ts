import { DateTime, Duration, Schema } from "effect"
import { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { minus, plus, zero } from "../kernel/Money.ts"
import type { PspBalance } from "../ports/Psp.ts"
import * as Kind from "../units/Kind.ts"

/** Centavos that may be below zero. */
const Signed = Schema.String.check(Schema.isPattern(/^-?\d+$/u))

/** What was found when the balance of a PSP was last held against the ledger. */
export class BalanceComparison extends Schema.Class<BalanceComparison>(
  "@pagora/core/psp-reports/BalanceComparison"
)({
  id: PspCredentialId,
  at: Schema.DateTimeUtcFromString,
  /** What there is more, or less, at the PSP than can be explained. */
  unexplained: Signed,
  /** Since when it has been the same. */
  since: Schema.DateTimeUtcFromString
}) {}

/** There is one row of them in a deployment, so it has a fixed id: the id of a PSP is that of its comparison of payments. */
export const comparisonsId = Uuid.make("00000000-0000-7000-8000-000000000008")

const BalanceComparisons = Schema.Struct({
  /** The last one of each PSP, by its id. */
  last: Schema.Record(Schema.String, BalanceComparison)
})
type BalanceComparisons = typeof BalanceComparisons.Type

export const BalanceComparisonsKind: Kind.Kind<BalanceComparisons> = Kind.make({
  name: "psp_balances",
  table: "registry",
  schema: BalanceComparisons,
  columns: () => ({ id: comparisonsId, account: comparisonsId, wallet: null, status: "kept" })
})

/** A PSP's balance, and what we know of what should be there. */
export interface Compared {
  readonly balance: PspBalance
  /** What the ledger has there. */
  readonly ledger: Centavos
  /** What was sent and is not booked yet: it may have left the account, and may not. */
  readonly underWay: Centavos
}

/** How much more there is at the PSP than in the ledger. */
export const differenceOf = ({ balance, ledger }: Omit<Compared, "underWay">): Centavos =>
  minus(plus(balance.available, balance.blocked), ledger)

/** What of the difference nothing that is under way can explain. */
export const unexplainedIn = (compared: Compared): Centavos => {
  const difference = differenceOf(compared)
  if (difference > 0n) return difference
  const missing = plus(difference, compared.underWay)
  return missing < 0n ? missing : zero
}

/** What a clock that was ahead has noted would keep all looks away until then: it counts for nothing. */
export const knownAt = (
  before: BalanceComparison | undefined,
  now: DateTime.Utc
): BalanceComparison | undefined =>
  before !== undefined && DateTime.isGreaterThan(before.at, now) ? undefined : before

/** Two looks that tell a difference from money on its way are so far apart; payments are compared more often after a pause. */
const apart = Duration.minutes(30)

export const isDue = ({ at }: BalanceComparison, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(at, apart))

/**
 * What is kept of a look, and whether it is a finding: only what stands still, to the centavo, over two looks. Money on its way
 * in, payments that were not noticed yet and payouts that are answered late never do, or for no longer than the comparison of
 * payments takes to find them.
 */
export const looked = (
  before: BalanceComparison | undefined,
  compared: Compared & { readonly id: PspCredentialId },
  at: DateTime.Utc
): { readonly next: BalanceComparison; readonly stands: boolean; readonly isNews: boolean } => {
  const unexplained = String(unexplainedIn(compared))
  const isSame = before?.unexplained === unexplained
  const since = isSame ? before.since : at
  const next = new BalanceComparison({ id: compared.id, at, unexplained, since })
  const stands = isSame && unexplained !== "0"
  // It has just been met for the second time.
  return { next, stands, isNews: stands && DateTime.Equivalence(before.at, before.since) }
}
