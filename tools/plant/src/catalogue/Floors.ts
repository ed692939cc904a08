import type { Proved } from "../Plant.ts"
import { inCore, proved } from "../Plant.ts"

const decision = "src/units/Decision.test.ts"

/** Names that nothing is booked, paid or told under twice. */
const names: ReadonlyArray<Proved> = [
  proved(
    "a payment that is not kept under its end-to-end id",
    "test/discrepancies/discrepancies.test.ts",
    "by showing it under a second charge is recorded, and its money counts once",
    inCore(
      "charges/ChargeWriter.ts",
      '    keys: [{ space: "e2e", key: payment.endToEndId, holder: booking.charge.id }],\n',
      ""
    )
  ),
  proved(
    "a payout that is kept under neither of its names",
    "test/withdrawals/payout-identity.test.ts",
    "at once pays one of the two",
    inCore(
      "withdrawals/PayoutNames.ts",
      "  ...(pspReference === undefined || pspReference === before.pspReference",
      "  ...(pspReference !== before.pspReference || pspReference === before.pspReference"
    ),
    inCore(
      "withdrawals/PayoutNames.ts",
      "  ...(e2eId === undefined || e2eId === before.e2eId",
      "  ...(e2eId !== before.e2eId || e2eId === before.e2eId"
    )
  ),
  proved(
    "a contradiction that is not kept under what it says",
    "test/discrepancies/discrepancies.test.ts",
    "is recorded once as %s, and nothing moves",
    inCore(
      "discrepancies/DiscrepancyRecords.ts",
      "keys: [...(unit.keys ?? []), key],",
      "keys: [...(unit.keys ?? [])],"
    )
  ),
  proved(
    "an event that can be told twice",
    decision,
    "an event whose key the account has",
    inCore(
      "units/Decision.ts",
      "    if (facts.events.has(eventName(event)))\n",
      "    if (facts.events.has(event.key))\n"
    )
  ),
  proved(
    "a move that can be booked twice",
    decision,
    "booking the same move again",
    inCore(
      "units/Decision.ts",
      "if (facts.ledger.has(ledgerName(tx))) {",
      "if (facts.ledger.has(tx.id)) {"
    )
  ),
  proved(
    "an attempt that can be recorded twice",
    decision,
    "an attempt of a number that was made",
    inCore(
      "units/Decision.ts",
      "if (facts.attempts.has(attemptName(attempt))) {",
      "if (facts.attempts.has(attempt.delivery)) {"
    )
  ),
  proved(
    "a key that is answered twice",
    decision,
    "completing what has its answer",
    inCore(
      "units/Decision.ts",
      "const isOpen = fact?.entity === idempotency.entity && !fact.isAnswered",
      "const isOpen = fact?.entity === idempotency.entity"
    )
  )
]

const buckets = ["available", "held", "promotional", "lien"]
const listOf = (names: ReadonlyArray<string>) => `[${names.map((name) => `"${name}"`).join(", ")}]`

const floor = (bucket: string, title: string): Proved =>
  proved(
    `the floor of what is ${bucket}`,
    decision,
    title,
    inCore("units/Decision.ts", listOf(buckets), listOf(buckets.filter((one) => one !== bucket)))
  )

/** What a wallet may not go below, or hold when it ends; and what an account may not go beyond. */
const floors: ReadonlyArray<Proved> = [
  floor("available", "spending more than there is"),
  floor("held", "taking from held more than there is"),
  floor("promotional", "taking from promotional more than there is"),
  floor("lien", "lifting more lien than there is"),
  proved(
    "a wallet that is closed with what is available in it",
    decision,
    "closing a wallet with money",
    inCore("units/Decision.ts", "      after.available !== 0n ||\n", "")
  ),
  proved(
    "a wallet that is closed with what is held in it",
    decision,
    "closing a wallet that holds something",
    inCore("units/Decision.ts", "      after.held !== 0n ||\n", "")
  ),
  proved(
    "a wallet that is closed with promotional balance",
    decision,
    "closing a wallet with promotional balance",
    inCore("units/Decision.ts", "      after.promotional !== 0n ||\n", "")
  ),
  proved(
    "a wallet that is closed with a claim on it",
    decision,
    "closing a wallet with a lien",
    inCore(
      "units/Decision.ts",
      "      after.promotional !== 0n ||\n      after.lien !== 0n\n",
      "      after.promotional !== 0n\n"
    )
  ),
  proved(
    "a withdrawal of what balance blocks claim",
    "test/blocks/spending.test.ts",
    "is not spent by a %s",
    inCore(
      "withdrawals/WithdrawalPostings.ts",
      "spend(available(withdrawal.wallet), ownPart(withdrawal)),",
      "debit(available(withdrawal.wallet), ownPart(withdrawal)),"
    )
  ),
  proved(
    "a refund of what balance blocks claim",
    "test/blocks/spending.test.ts",
    "is not spent by a %s",
    inCore(
      "returns/ReturnPostings.ts",
      "spend(available(refund.wallet), fromAvailable(refund)),",
      "debit(available(refund.wallet), fromAvailable(refund)),"
    )
  ),
  proved(
    "a transfer of what balance blocks claim",
    "test/blocks/spending.test.ts",
    "is not spent by a %s",
    inCore(
      "transfers/Transfer.ts",
      "postings: [spend(available(wallet), amount), credit(available(destination), amount)]",
      "postings: [debit(available(wallet), amount), credit(available(destination), amount)]"
    ),
    inCore(
      "transfers/Transfer.ts",
      "import { credit, post, spend }",
      "import { credit, debit, post }"
    )
  ),
  proved(
    "an adjustment of what balance blocks claim",
    "test/blocks/blocks.test.ts",
    "exactly what the wallet has, which then cannot be spent",
    inCore(
      "accounts/Accounts.ts",
      'adjustment.bucket === "available" ? spend(bucket, size) : debit(bucket, size),',
      "debit(bucket, size),"
    )
  ),
  proved(
    "a return of the PSP that is borne by what balance blocks claim",
    "test/psp-reports/claims.test.ts",
    "is not borne by what a balance block claims",
    inCore(
      "psp-reports/PspReturn.ts",
      "spend(available(money.wallet), money.amount)",
      "debit(available(money.wallet), money.amount)"
    )
  ),
  proved(
    "more endpoints than an account may have",
    "test/webhooks/endpoints.test.ts",
    "are ten thousand at most in one account, and one that was removed counts no more",
    inCore("webhooks/Endpoints.ts", "add: 1n, max: endpointsOfAccountMax }", "add: 1n }")
  ),
  proved(
    "an endpoint that was removed and goes on counting",
    "test/webhooks/endpoints.test.ts",
    "are ten thousand at most in one account, and one that was removed counts no more",
    inCore(
      "webhooks/Endpoints.ts",
      "counters: [{ key: counterOf(table.value.account), add: -1n }]",
      "counters: []"
    )
  ),
  proved(
    "more sub-accounts than an account may have",
    "test/sub-accounts/create.test.ts",
    "is refused to an account that is not approved, and past 10,000 of them",
    inCore("sub-accounts/SubAccounts.ts", "add: 1n, max: subAccountsMax }", "add: 1n }")
  ),
  proved(
    "more projects than a wallet may have",
    "test/projects/projects.test.ts",
    "takes no more, and still tells a name that is there",
    inCore("projects/Projects.ts", "add: 1n, max: projectsMax }", "add: 1n }")
  ),
  proved(
    "more projects than an account may have",
    "test/projects/projects.test.ts",
    "takes no more in any wallet, however many are asked for at once",
    inCore("projects/Projects.ts", "add: 1n, max: projectsOfAccountMax }", "add: 1n }")
  ),
  proved(
    "a payment that does not count towards what an account may receive",
    "test/charges/limits.test.ts",
    "a day is what is paid: a charge beyond it is refused, and nothing is written",
    inCore(
      "charges/ChargeWriter.ts",
      `      counters:
        booking._tag === "Completed" ? limitCounts(loaded.account.value, payment.amount, at) : []
`,
      ""
    )
  ),
  proved(
    "a charge beyond what an account may receive",
    "test/charges/limits.test.ts",
    "a day is what is paid: a charge beyond it is refused, and nothing is written",
    inCore(
      "charges/ChargeIntents.ts",
      "        counters: limitChecks(account.value, charge.amount, at),\n",
      ""
    )
  ),
  proved(
    "a withdrawal that failed and goes on counting towards a limit",
    "test/withdrawals/create.test.ts",
    "forget what failed, and not what was refused or reversed",
    inCore(
      "withdrawals/WithdrawalWriter.ts",
      "        counters: uncounted(next.account, next.amount, next.createdAt),\n",
      ""
    )
  )
]

/** Each taken away alone, where no bug that the simulator has to find does. */
export const namesAndFloors: ReadonlyArray<Proved> = [...names, ...floors]
