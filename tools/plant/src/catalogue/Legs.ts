import type { Proved } from "../Plant.ts"
import { inCore, proved } from "../Plant.ts"

/** Where fees, promotional balance and claims go. */
const legs: ReadonlyArray<Proved> = [
  proved(
    "the fee of a payment that promotional balance does not pay",
    "src/charges/PaymentBooking.test.ts",
    "pays the fee from the promotional balance first, and reports it whole",
    inCore(
      "charges/PaymentBooking.ts",
      "const fromPromotional = min(fee, context.promotional)",
      "const fromPromotional = minus(fee, fee)"
    )
  ),
  proved(
    "the fee of a sub-account's payment, by the schedule of its account",
    "test/sub-accounts/wallet.test.ts",
    "pays the fees of its own schedule where it has one, and the account's otherwise",
    inCore(
      "charges/PaymentBooking.ts",
      "feeOn(subAccount?.fees.payment ?? account.fees.payment, charge.amount)",
      "feeOn(account.fees.payment, charge.amount)"
    )
  ),
  proved(
    "the fee of a payout that came back, which is kept",
    "test/withdrawals/payout.test.ts",
    "that comes back is reversed, gross and fee, and an adjustment records it",
    inCore(
      "withdrawals/WithdrawalPostings.ts",
      "      debit(feeRevenue(withdrawal.account), withdrawal.feeAmount),\n      credit(available(wallet), ownPart(withdrawal)),\n",
      "      credit(available(wallet), minus(ownPart(withdrawal), withdrawal.feeAmount)),\n"
    )
  ),
  proved(
    "promotional balance that a payout held, and that comes back as money",
    "test/withdrawals/payout.test.ts",
    "that is refused gives all back, and tells the amounts as accepted",
    inCore(
      "withdrawals/WithdrawalPostings.ts",
      "      credit(available(withdrawal.wallet), ownPart(withdrawal)),\n      credit(promotional(withdrawal.wallet), withdrawal.promotionalAmount)\n",
      "      credit(available(withdrawal.wallet), withdrawal.amount)\n"
    )
  ),
  proved(
    "promotional balance that a payout took, and that comes back as money",
    "test/withdrawals/payout.test.ts",
    "that comes back is reversed, gross and fee, and an adjustment records it",
    inCore(
      "withdrawals/WithdrawalPostings.ts",
      "      credit(available(wallet), ownPart(withdrawal)),\n      credit(promotional(wallet), withdrawal.promotionalAmount)\n",
      "      credit(available(wallet), withdrawal.amount)\n"
    )
  ),
  proved(
    "promotional balance that a refund held, and that comes back as money",
    "test/refunds/journey.test.ts",
    "is paid by promotional balance first: $name",
    inCore(
      "returns/ReturnPostings.ts",
      "      credit(available(refund.wallet), fromAvailable(refund)),\n      credit(promotional(refund.wallet), fromPromotional(refund))\n",
      "      credit(available(refund.wallet), costOf(refund))\n"
    )
  ),
  proved(
    "what several blocks claim of a wallet, and go on claiming once they have ended together",
    "test/psp-reports/closed.test.ts",
    "is borne by what was not sent: %d of 10",
    inCore(
      "blocks/BlockWriter.ts",
      "liens: [...liens].flatMap(([wallet, delta]) => (delta === 0n ? [] : [{ wallet, delta }]))",
      "liens: []"
    )
  )
]

/** How long something counts. */
const deadlines: ReadonlyArray<Proved> = [
  proved(
    "a notice that is believed for a second",
    "test/charges/lost-notices.test.ts",
    "is asked about at growing waits for a day, and as ever afterwards",
    inCore(
      "charges/ChargeSchedule.ts",
      "const noticeMax = Duration.days(1)",
      "const noticeMax = Duration.seconds(1)"
    )
  ),
  proved(
    "a charge that is not asked about before its end",
    "test/charges/lost-notices.test.ts",
    "is asked about in between, and credited within minutes of a payment made at once",
    inCore(
      "charges/ChargeSchedule.ts",
      "const firstLook = Duration.minutes(5)",
      "const firstLook = Duration.days(90)"
    )
  ),
  proved(
    "a payout of unknown outcome that comes to nobody's line",
    "test/withdrawals/unknown.test.ts",
    "is the operator's to decide after a day, and nobody else sees that",
    inCore(
      "withdrawals/WithdrawalLimits.ts",
      "unknownMax: Duration.hours(24)",
      "unknownMax: Duration.days(24)"
    )
  ),
  proved(
    "answers that are kept for ever once their keys are over",
    "test/idempotency/purge.test.ts",
    "of the operator's keeps no secret that was answered, sealed or not",
    inCore("workers/Purger.ts", "idempotency: Duration.hours(1)", "idempotency: Duration.days(365)")
  ),
  proved(
    "deliveries that go while they can be looked up",
    "test/webhooks/retention.test.ts",
    "can be looked up and sent again for 90 days, and is not there afterwards",
    inCore("workers/Purger.ts", "  delivery: deliveries\n", "  delivery: Duration.days(1)\n")
  )
]

/** Each taken away alone, where no bug that the simulator has to find does. */
export const legsAndDeadlines: ReadonlyArray<Proved> = [...legs, ...deadlines]
