import type { Edit, Proved } from "../Plant.ts"
import { inCore, proved } from "../Plant.ts"

/** What there may be one of. */
const names: ReadonlyArray<Proved> = [
  proved(
    "a project of a name that another one has",
    "test/projects/projects.test.ts",
    "makes one of many that ask for one name at once",
    inCore(
      "projects/Projects.ts",
      "        keys: [{ space: nameSpace, key: `${wallet}/${foldedName(project.name)}`, holder: id }],\n",
      ""
    )
  ),
  proved(
    "a sub-account of a reference that another one has",
    "test/sub-accounts/create.test.ts",
    "opens one of many that ask for one reference at once, and all of other ones",
    inCore(
      "sub-accounts/SubAccounts.ts",
      '        keys: [{ space: "sub_account", key: `${account.id}/${reference}`, holder: id }],\n',
      ""
    )
  ),
  proved(
    "a block that its infraction does not name",
    "test/psp-reports/infractions.test.ts",
    "gives the money free where it is rejected",
    inCore(
      "blocks/BlockOpener.ts",
      "        keys:\n          infraction === undefined\n            ? []\n            : [{ ...infractionKey(pspCredentialId, infraction), holder: block.id }],\n",
      ""
    )
  ),
  proved(
    "a report for each notice of one thing",
    "test/psp-reports/received.test.ts",
    "is asked about no more often for many notices at once than for one",
    inCore(
      "psp-reports/PspReports.ts",
      "                  keys: [{ ...key, holder: id }]",
      "                  keys: []"
    )
  )
]

/** The key is not kept with what was done under it: whoever comes again does it again. */
const notKept = (path: string, work: string): Edit =>
  inCore(path, work, work.replace("begun(key, ", "begun(undefined, "))

const ofOperator = (name: string, path: string, work: string): Proved => ({
  ...proved(
    `an Idempotency-Key of the operator's that is not kept: ${name}`,
    "test/operator/idempotency.test.ts",
    "%s: does it once, and answers the same bytes again",
    notKept(path, work)
  ),
  case: `${name}: `
})

const ofTenant = (what: string, file: string, title: string, path: string, work: string): Proved =>
  proved(
    `an Idempotency-Key of a tenant's that is not kept: ${what}`,
    file,
    title,
    notKept(path, work)
  )

const keys: ReadonlyArray<Proved> = [
  ofOperator("accounts", "accounts/Accounts.ts", "begun(key, id, AccountKind.snapshot(account))"),
  ofOperator("adjustments", "accounts/Accounts.ts", "begun(key, id, encodeAdjustment(booked))"),
  ofOperator("commissions", "accounts/Commissions.ts", "begun(key, id, encodeCommission(paid))"),
  ofOperator("credentials", "auth/Credentials.ts", "begun(key, credential.id, key === undefined"),
  ofOperator("blocks", "blocks/BlockOpener.ts", "begun(key, block.id, BlockKind.snapshot(block))"),
  ofOperator(
    "defence",
    "blocks/Blocks.ts",
    "{ block, at, ...begun(key, block.id, BlockKind.snapshot(block)) }"
  ),
  ofOperator(
    "answer",
    "blocks/Blocks.ts",
    '          jobs: [{ _tag: "Schedule", ...job }],\n          ...begun(key, block.id, BlockKind.snapshot(block))\n'
  ),
  ofOperator(
    "rejection",
    "blocks/Blocks.ts",
    "      isAlone,\n      at,\n      ...begun(key, block.id, BlockKind.snapshot(block))\n"
  ),
  ofOperator(
    "approval",
    "blocks/Blocks.ts",
    "      ...begun(key, block.id, BlockKind.snapshot(block)),\n      jobs: [\n"
  ),
  ofOperator(
    "withdrawals",
    "withdrawals/Withdrawals.ts",
    "begun(key, next.id, WithdrawalKind.snapshot(next))"
  ),
  ofOperator("retry", "returns/ReturnReviews.ts", "begun(key, next.id, ReturnKind.snapshot(next))"),
  ofOperator("deposits", "returns/ReturnReviews.ts", "begun(key, id, ReturnKind.snapshot(next))"),
  ofOperator(
    "pspReturns",
    "psp-reports/PspReturns.ts",
    "begun(key, next.id, PspReturnKind.snapshot(next))"
  ),
  ofOperator(
    "discrepancies",
    "discrepancies/Discrepancies.ts",
    "begun(key, next.id, DiscrepancyKind.snapshot(next))"
  ),
  ofOperator("endpoints", "webhooks/Endpoints.ts", "begun(key, endpointId, snapshotOf(made))"),
  ofOperator("rotation", "webhooks/Endpoints.ts", "begun(key, id, snapshotOf(made))"),
  ofOperator("test", "webhooks/Deliveries.ts", "begun(key, delivery.id, JSON.stringify(delivery))"),
  ofOperator("resend", "webhooks/Deliveries.ts", "begun(key, queued.id, JSON.stringify(queued))"),
  ofOperator("recovery", "webhooks/Deliveries.ts", "begun(key, id, encodeRecovery(recovery))"),
  proved(
    "an Idempotency-Key of the operator's that is not kept: credentials of a PSP",
    "test/psp/kept.test.ts",
    "is told once under one Idempotency-Key",
    notKept("psp-vault/PspCredentials.ts", "begun(key, credential.id, snapshot)")
  ),
  ofTenant(
    "charges",
    "test/charges/idempotency.test.ts",
    "is answered the second time with the bytes of the first, and makes one charge",
    "charges/ChargeIntents.ts",
    "begun(key, charge.id, null)"
  ),
  ofTenant(
    "cancels",
    "test/charges/cancel-keys.test.ts",
    "are all answered with what the last of them came to, at once and again",
    "charges/ChargeCanceller.ts",
    "begun(key, id, null)"
  ),
  ofTenant(
    "refunds",
    "test/refunds/request.test.ts",
    "answers one Idempotency-Key with the same bytes, and finds the refund by it",
    "refunds/Refunds.ts",
    "begun(key, refund.id, snapshotOf(receipt))"
  ),
  ofTenant(
    "withdrawals",
    "test/withdrawals/idempotency.test.ts",
    "twins are one withdrawal, and are answered alike",
    "withdrawals/Withdrawals.ts",
    "begun(key, id, WithdrawalKind.snapshot(withdrawal))"
  ),
  ofTenant(
    "transfers",
    "test/transfers/internal.test.ts",
    "is made once for an Idempotency-Key, and found by it",
    "transfers/Transfers.ts",
    "begun(key, transfer.id, TransferKind.snapshot(transfer))"
  ),
  ofTenant(
    "sub-accounts",
    "test/sub-accounts/create.test.ts",
    "answers a repeat of an Idempotency-Key with the first one, and twins too",
    "sub-accounts/SubAccounts.ts",
    "begun(key, id, SubAccountKind.snapshot(subAccount))"
  ),
  ofTenant(
    "projects",
    "test/projects/projects.test.ts",
    "answers a repeat of an Idempotency-Key with the first project, and twins too",
    "projects/Projects.ts",
    "begun(key, id, ProjectKind.snapshot(project))"
  )
]

/** Each taken away alone. */
export const namesAndKeys: ReadonlyArray<Proved> = [...names, ...keys]
