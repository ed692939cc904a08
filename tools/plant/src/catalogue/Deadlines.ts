import type { Proved } from "../Plant.ts"
import { inCore, proved } from "../Plant.ts"

/** How long something holds, or is waited for: each is made much longer, or nothing. */
export const deadlines: ReadonlyArray<Proved> = [
  proved(
    "a clock of a PSP that is behind, and is believed for an hour",
    "test/charges/psp-clock.test.ts",
    "is taken at its word up to five of them: %s",
    inCore(
      "charges/Charge.ts",
      "behindMax = Duration.seconds(5)",
      "behindMax = Duration.seconds(3_600)"
    )
  ),
  proved(
    "a payout that waits for hours for money at its PSP",
    "src/psp-http/PspCalls.test.ts",
    "waits a minute for money that its PSP has too little of",
    inCore(
      "psp-http/PspCalls.ts",
      "moneyWithin = Duration.minutes(1)",
      "moneyWithin = Duration.hours(1)"
    )
  ),
  {
    ...proved(
      "a payment that is compared before it may show",
      "src/psp-reports/PaymentComparison.test.ts",
      "are those %s",
      inCore(
        "psp-reports/PaymentComparison.ts",
        "settlesIn: Duration.minutes(5)",
        "settlesIn: Duration.zero"
      )
    ),
    case: "to five minutes ago"
  },
  {
    ...proved(
      "a payment that shows late, and is compared no more",
      "src/psp-reports/PaymentComparison.test.ts",
      "are those %s",
      inCore(
        "psp-reports/PaymentComparison.ts",
        "overlap: Duration.hours(1)",
        "overlap: Duration.zero"
      )
    ),
    case: "since an hour before"
  },
  {
    ...proved(
      "a comparison of all that a PSP ever received in one go",
      "src/psp-reports/PaymentComparison.test.ts",
      "are those %s",
      inCore(
        "psp-reports/PaymentComparison.ts",
        "periodMax: Duration.hours(24)",
        "periodMax: Duration.infinity"
      )
    ),
    case: "of a day at most"
  },
  {
    ...proved(
      "a first comparison that leaves out the day before",
      "src/psp-reports/PaymentComparison.test.ts",
      "are those %s",
      inCore(
        "psp-reports/PaymentComparison.ts",
        "first: Duration.hours(24)",
        "first: Duration.zero"
      )
    ),
    case: "where there were none before"
  },
  proved(
    "an infraction that is not looked for a month after the payment",
    "test/psp-reports/comparison.test.ts",
    "are those of 100 days",
    inCore(
      "psp-reports/InfractionLooks.ts",
      "reach: Duration.days(100)",
      "reach: Duration.days(30)"
    )
  ),
  proved(
    "an intent of a charge that is given up after hours",
    "test/charges/idempotency.test.ts",
    "is given up when its time is over, and its key says so",
    inCore(
      "charges/ChargeLimits.ts",
      "creatingMax: Duration.minutes(2)",
      "creatingMax: Duration.hours(2)"
    )
  ),
  proved(
    "an order that still goes out long after it was decided",
    "test/returns/settling.test.ts",
    "is sent again to a bank that would do it twice when three looks found nothing",
    inCore(
      "reconciliation/Requests.ts",
      "sendWithin = Duration.seconds(5)",
      "sendWithin = Duration.hours(5)"
    )
  ),
  proved(
    "a bank that says for weeks that it pays, and is believed",
    "test/withdrawals/payout-identity.test.ts",
    "is the PSP's again for a day, and then as the person says, though the PSP goes on so",
    inCore(
      "reconciliation/Requests.ts",
      "wordStandsFor = Duration.hours(24)",
      "wordStandsFor = Duration.days(24)"
    )
  ),
  proved(
    "a late look that comes after months",
    "test/reconciliation/late-looks.test.ts",
    "is asked about three times, and then no more",
    inCore(
      "reconciliation/LateLooks.ts",
      "Duration.hours(24), Duration.days(7)]",
      "Duration.hours(24), Duration.days(70)]"
    )
  ),
  proved(
    "an answer that is older than the end it contradicts",
    "test/returns/answers.test.ts",
    "(%s) contradicts what was confirmed after an hour, and not before",
    inCore(
      "kernel/Waiting.ts",
      "answersLag = Duration.hours(1)",
      "answersLag = Duration.seconds(1)"
    )
  ),
  proved(
    "a return that is waited for for weeks after its report was accepted",
    "test/psp-reports/infractions.test.ts",
    "waits a day for the rest where it is accepted, and then leaves that",
    inCore(
      "psp-reports/ReportVerdict.ts",
      "showsWithin = Duration.hours(24)",
      "showsWithin = Duration.days(24)"
    )
  ),
  proved(
    "a refund that is asked for after 90 days",
    "test/refunds/request.test.ts",
    "is for 90 days: at their end it still goes, after it does not",
    inCore("refunds/Refund.ts", "window = Duration.days(90)", "window = Duration.days(900)")
  ),
  proved(
    "a return of unknown outcome that comes to nobody's line",
    "test/returns/doubt.test.ts",
    "is a person's when the bank shows another return under its name for a day",
    inCore("returns/Return.ts", "unendedMax = Duration.hours(24)", "unendedMax = Duration.days(24)")
  ),
  proved(
    "a claim that is collected for years",
    "test/blocks/blocks.test.ts",
    "that was not collected in 90 days is given up, and the wallet is free",
    inCore(
      "blocks/Chargeback.ts",
      "collectFor = Duration.days(90)",
      "collectFor = Duration.days(900)"
    )
  ),
  proved(
    "a write that is asked about after its storage has forgotten it",
    "src/storage/GroupCommit.test.ts",
    "stays unknown when the storage may have forgotten the write meanwhile",
    inCore(
      "storage/GroupWriter.ts",
      "resolvedWithin = Duration.hours(1)",
      "resolvedWithin = Duration.days(1)"
    )
  ),
  proved(
    "a write that is asked about for hours while its callers wait",
    "src/storage/GroupWriter.test.ts",
    "what became of a write is looked for $looks times where each look takes $each s",
    inCore(
      "storage/GroupWriter.ts",
      "lookedFor = Duration.seconds(15)",
      "lookedFor = Duration.hours(15)"
    )
  ),
  proved(
    "a machine that works by a clock which is hours off",
    "src/storage/SharedClock.test.ts",
    "finds a machine unsound that is wrong by %i ms",
    inCore(
      "storage/SharedClock.ts",
      "skewMax: Duration.Duration = Duration.seconds(5)",
      "skewMax: Duration.Duration = Duration.hours(5)"
    )
  ),
  proved(
    "a counter of a limit that goes as soon as its day is over",
    "test/withdrawals/create.test.ts",
    "hold when the counters of days that are over for a week have gone",
    inCore("workers/Purger.ts", "counter: Duration.days(7)", "counter: Duration.zero")
  ),
  proved(
    "a delivery that nobody takes over from a process that died",
    "src/webhooks/WebhookDispatcherPool.test.ts",
    "a crash between sending and recording sends again, with the same bytes and ids",
    inCore(
      "webhooks/DeliveryLines.ts",
      "  lease: Duration.seconds(30)",
      "  lease: Duration.hours(30)"
    )
  ),
  proved(
    "what a PSP holds, taken for known for hours though it does not cover a payout",
    "src/withdrawals/PayoutFunds.test.ts",
    "counts for 5 seconds while it covers, and for one while it does not",
    inCore("withdrawals/PayoutFunds.ts", "short: Duration.seconds(1)", "short: Duration.hours(1)")
  ),
  proved(
    "what a PSP holds, taken for known while nobody knows what became of a payout",
    "src/withdrawals/PayoutFunds.test.ts",
    "is not, for a minute, where nobody knows what became of a payout",
    inCore(
      "withdrawals/PayoutFunds.ts",
      "unanswered: Duration.minutes(1)",
      "unanswered: Duration.zero"
    )
  ),
  proved(
    "an endpoint that is tried for weeks though nothing gets through",
    "test/webhooks/recovery.test.ts",
    "after five days of failures, and not while something gets through",
    inCore(
      "webhooks/EndpointHealth.ts",
      "failingMax = Duration.days(5)",
      "failingMax = Duration.days(50)"
    )
  )
]
