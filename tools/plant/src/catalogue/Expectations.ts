import type { Proved } from "../Plant.ts"
import { inCore, proved } from "../Plant.ts"

/** Where two processes meet between the read of a request and its write. */
export const requests = "test/storage/meanwhile.test.ts"

/** Whoever acts still may. */
const acting: ReadonlyArray<Proved> = [
  proved(
    "a withdrawal that begins in an account that was suspended meanwhile",
    requests,
    "a suspension of the account: the %s does not begin",
    inCore("withdrawals/Withdrawals.ts", "      expects: expectationsOf(acting),\n", "")
  ),
  proved(
    "a refund that begins in an account that was suspended meanwhile",
    requests,
    "a suspension of the account: the %s does not begin",
    inCore("refunds/Refunds.ts", "          ...expectationsOf(loaded),\n", "")
  ),
  proved(
    "a transfer that begins in an account that was suspended meanwhile",
    requests,
    "a suspension of the account: the %s does not begin",
    inCore(
      "transfers/Transfers.ts",
      "                Kind.expectation(AccountKind, account),\n",
      ""
    )
  ),
  proved(
    "whatever begins in an account that was changed meanwhile",
    requests,
    "a suspension of the account: the %s does not begin",
    inCore("accounts/ActingWallet.ts", "  expectation(AccountKind, account),\n", "")
  ),
  proved(
    "a transfer from a sub-account that was suspended meanwhile",
    requests,
    "a suspension of the sub-account: its %s does not begin",
    inCore(
      "transfers/Transfers.ts",
      "                ...owners.map((owner) => Kind.expectation(SubAccountKind, owner))\n",
      ""
    )
  ),
  proved(
    "whatever begins in a sub-account that was changed meanwhile",
    requests,
    "a suspension of the sub-account: its %s does not begin",
    inCore(
      "accounts/ActingWallet.ts",
      "  ...(subAccount === undefined ? [] : [expectation(SubAccountKind, subAccount)])\n",
      ""
    )
  ),
  proved(
    "a charge that begins in a sub-account that was suspended meanwhile",
    "test/sub-accounts/closing.test.ts",
    "opens nothing in one that is %s",
    inCore(
      "charges/ChargeIntents.ts",
      "expects: owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)],",
      "expects: [],"
    )
  ),
  proved(
    "a sub-account that is opened in an account that was closed meanwhile",
    "test/accounts/closing.test.ts",
    "and a payment, or a sub-account that is opened: one comes first, and both agree",
    inCore(
      "sub-accounts/SubAccounts.ts",
      "        expects: [Kind.expectation(AccountKind, current)],\n",
      ""
    )
  ),
  proved(
    "a payout that is told to the PSP though its wallet may not pay any more",
    "test/withdrawals/wallets.test.ts",
    "is not told to the PSP when its suspension comes between looking and telling",
    inCore(
      "withdrawals/WithdrawalWriter.ts",
      "...change, expects: expectationsOf(loaded) })",
      "...change })"
    )
  )
]

/** Whoever gets money may still have it. */
const credited: ReadonlyArray<Proved> = [
  proved(
    "an adjustment of an account that was closed meanwhile",
    requests,
    "a closing: of /%s %j nothing comes to what is closed",
    inCore(
      "accounts/Accounts.ts",
      "              ...(account === undefined ? [] : [Kind.expectation(AccountKind, account)]),\n",
      ""
    )
  ),
  proved(
    "an adjustment of a sub-account that was closed meanwhile",
    requests,
    "a closing: of /%s %j nothing comes to what is closed",
    inCore(
      "accounts/Accounts.ts",
      "              ...(owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)])\n",
      ""
    )
  ),
  proved(
    "a commission to an account that was closed meanwhile",
    requests,
    "a closing: of /%s %j nothing comes to what is closed",
    inCore("accounts/Commissions.ts", "                Kind.expectation(AccountKind, owner),\n", "")
  ),
  proved(
    "a commission to a sub-account that was closed meanwhile",
    requests,
    "a closing: of /%s %j nothing comes to what is closed",
    inCore(
      "accounts/Commissions.ts",
      "                ...(subAccount === undefined ? [] : [Kind.expectation(SubAccountKind, subAccount)])\n",
      ""
    )
  ),
  proved(
    "a payment whose fee is of an account that was changed meanwhile",
    "test/charges/fees.test.ts",
    "counts as it is when the payment is booked, though it changed while the PSP was asked",
    inCore(
      "charges/ChargeWriter.ts",
      "      ...expectationsOf(loaded),\n      ...loaded.destinations",
      "      ...loaded.destinations"
    )
  ),
  proved(
    "a leg of a split to a sub-account that was closed meanwhile",
    "test/charges/split.test.ts",
    "sees a destination that is closed while the PSP is asked",
    inCore(
      "charges/ChargeWriter.ts",
      "      ...loaded.destinations.map((owner) => Kind.expectation(SubAccountKind, owner))\n",
      ""
    )
  ),
  proved(
    "a payout that comes back to a sub-account that was closed meanwhile",
    "test/withdrawals/wallets.test.ts",
    "comes back to one of the two wallets while the sub-account is being closed",
    inCore(
      "withdrawals/WithdrawalWriter.ts",
      "      ...changeOf(loaded, next, jobs),\n      expects: expectationsOf(loaded),\n",
      "      ...changeOf(loaded, next, jobs),\n"
    )
  ),
  proved(
    "a block that claims of a sub-account that was closed meanwhile",
    requests,
    "a closing of the sub-account: a block of its payment claims of the main wallet",
    inCore(
      "blocks/BlockOpener.ts",
      "          ...(owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)]),\n",
      ""
    )
  ),
  proved(
    "a return of the PSP that a person charges to a sub-account that was closed meanwhile",
    requests,
    "a closing of the sub-account: the main wallet bears what a person charges to it",
    inCore(
      "psp-reports/PspReturns.ts",
      "expects: owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)]",
      "expects: []"
    )
  ),
  proved(
    "what a block has taken, and comes back to a sub-account that was closed meanwhile",
    "test/psp-reports/closed.test.ts",
    "is borne by a wallet that is open, whichever of the two comes first",
    inCore(
      "psp-reports/ReturnTaker.ts",
      "owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)]",
      "owner === undefined ? [] : []"
    )
  ),
  proved(
    "a return of the PSP that is booked whatever becomes of the sub-account that bears it",
    "test/psp-reports/closed.test.ts",
    "is borne by a wallet that is open, whichever of the two comes first",
    inCore("psp-reports/ReturnBooker.ts", "      ...unit,\n      expects,\n", "      ...unit,\n")
  )
]

/** What went before is still so. */
const former: ReadonlyArray<Proved> = [
  proved(
    "a second refund whose first one turns out otherwise meanwhile",
    requests,
    "the refund that failed: what follows of it is decided anew",
    inCore(
      "refunds/Refunds.ts",
      "...(former === undefined ? [] : [Kind.expectation(ReturnKind, former)])",
      "...(former === undefined ? [] : [])"
    )
  ),
  proved(
    "a block beside a refund that turns out otherwise meanwhile",
    requests,
    "the refund that failed: what follows of it is decided anew",
    inCore(
      "blocks/BlockOpener.ts",
      "          ...(refund === undefined ? [] : [Kind.expectation(ReturnKind, refund)])\n",
      ""
    )
  ),
  proved(
    "a part that ends beside a charge that was changed meanwhile",
    "test/storage/former-primary.test.ts",
    "takes off the part of a payment that failed",
    inCore(
      "refunds/ChargeReturnSources.ts",
      "? { expects: [Kind.expectation(ChargeKind, charge)] }",
      "? {}"
    )
  )
]

/**
 * What a decision rests on, taken away where it stands, one at a time: two processes have to meet between a read and its write,
 * which few worlds see.
 */
export const expectations: ReadonlyArray<Proved> = [...acting, ...credited, ...former]
