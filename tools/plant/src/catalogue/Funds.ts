import type { Plant } from "../Plant.ts"
import { inBacen, inCore } from "../Plant.ts"

/** What an account at a bank holds, and what of it a payout may take. They show where accounts have little. */
export const funds: ReadonlyArray<Plant> = [
  {
    name: "payout-without-a-look-at-the-balance",
    what: "A payout is sent whatever its PSP holds: nobody asks what there is for it.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        '        return look.mayPay ? { _tag: "Cover" } : untilMayPay(withdrawal, look)\n',
        '        return look.mayPay ? { _tag: "Send" } : untilMayPay(withdrawal, look)\n'
      )
    ]
  },
  {
    name: "unsent-payout-without-a-look",
    what: "A payout that nobody could send, as its PSP was left alone, leaves later without a look at what that holds by then.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        "      if (isUnheard(withdrawal))\n",
        "      if (withdrawal.unknownSince === undefined)\n"
      )
    ]
  },
  {
    name: "one-balance-for-two-payouts",
    what: "What was promised to a payout is promised to the next as well: several leave on the same money.",
    storage: "memory",
    bank: "inter",
    edits: [
      inCore(
        "withdrawals/PayoutFunds.ts",
        "    if (amount > available - sum(others)) return",
        "    if (amount > available && others.length >= 0) return"
      )
    ]
  },
  {
    name: "want-of-money-is-a-refusal",
    what: "A bank that has too little refuses a payout for good: it fails, though more money will come.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "PayoutReasons.ts",
        "  return rejection.code === tooLittle\n",
        '  return rejection.code === ""\n'
      )
    ]
  },
  {
    name: "short-payout-is-left-in-line",
    what: "A payout that waits for money is not looked at again: it waits on when there is enough for it.",
    storage: "memory",
    bank: "inter",
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        "  const again = waitingSince(next.shortSince ?? now, now, lookBounds)\n",
        "  const again = DateTime.addDuration(now, Duration.days(90))\n"
      )
    ]
  },
  {
    name: "missing-money-is-no-difference",
    what: "What a PSP holds less than the ledger has there is not told: somebody has taken it, and nobody hears of it.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "psp-reports/BalanceComparison.ts",
        "  return missing < 0n ? missing : zero\n",
        "  return missing < 0n ? zero : missing\n"
      )
    ]
  },
  {
    name: "kept-sum-is-summed-again",
    what: "What the ledger has at a PSP is summed onto a sum that has it already: a difference is told that is not there.",
    storage: "memory",
    bank: "inter",
    edits: [
      inCore(
        "psp-reports/LedgerAtPsps.ts",
        "    after: kept && (idsAt(kept.through).last as LedgerTxId),\n",
        "    after: undefined,\n"
      )
    ]
  }
]
