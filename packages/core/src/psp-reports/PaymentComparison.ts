import { DateTime, Duration, Schema } from "effect"
import { PspCredentialId } from "../kernel/Ids.ts"
import * as Kind from "../units/Kind.ts"
import { accountAt } from "./PspReport.ts"

/** How what a PSP has received is held against what is booked. */
export const comparison = {
  /** Between two comparisons. */
  every: Duration.hours(1),
  /** What has just been paid may show in one place before the other. */
  settlesIn: Duration.minutes(5),
  /** What shows late is compared once more. */
  overlap: Duration.hours(1),
  /** So much at most in one go; after a time without comparisons there are several. */
  periodMax: Duration.hours(24),
  /** Where there was none before. */
  first: Duration.hours(24)
} as const

/** How far the payments of a PSP were compared. */
export class PaymentComparison extends Schema.Class<PaymentComparison>(
  "@pagora/core/psp-reports/PaymentComparison"
)({
  id: PspCredentialId,
  /** Payments made before it were compared. */
  through: Schema.DateTimeUtcFromString
}) {}

export const PaymentComparisonKind: Kind.Kind<PaymentComparison> = Kind.make({
  name: "payment_comparison",
  table: "registry",
  schema: PaymentComparison,
  columns: ({ id }) => ({ id, account: accountAt(id), wallet: null, status: "open" })
})

/** A period whose payments are compared: `from` is in it, `to` is not. */
export interface Period {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

/** What is compared next. */
export const nextPeriod = (before: PaymentComparison | undefined, now: DateTime.Utc): Period => {
  // What a clock that was ahead has noted would have nothing compared until then.
  const isAhead = before !== undefined && DateTime.isGreaterThan(before.through, now)
  const known = isAhead ? undefined : before?.through
  const through = known ?? DateTime.subtractDuration(now, comparison.first)
  const settled = DateTime.subtractDuration(now, comparison.settlesIn)
  const from = DateTime.subtractDuration(through, comparison.overlap)
  return {
    from,
    to: DateTime.max(
      DateTime.min(settled, DateTime.addDuration(through, comparison.periodMax)),
      through
    )
  }
}

/** When it is compared again: at once, where it is more than a period behind. */
export const nextComparison = ({ to }: Period, now: DateTime.Utc): DateTime.Utc =>
  DateTime.isLessThan(DateTime.addDuration(to, comparison.every), now)
    ? now
    : DateTime.addDuration(now, comparison.every)
