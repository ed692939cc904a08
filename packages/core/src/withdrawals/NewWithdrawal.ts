import { Result, Schema } from "effect"
import type { Account } from "../accounts/Account.ts"
import type { LimitReached } from "../accounts/PeriodLimit.ts"
import { limitBrokenBy } from "../accounts/PeriodLimit.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import type { ProjectId, PspCredentialId, WithdrawalId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { min } from "../kernel/Money.ts"
import type { PixKey } from "../kernel/PixKey.ts"
import { Withdrawal } from "./Withdrawal.ts"
import type { AmountBelowFee, AskedAmount, NetAmountUnreachable } from "./WithdrawalFee.ts"
import { grossAndFee } from "./WithdrawalFee.ts"

export interface NewWithdrawal {
  readonly pixKey: PixKey
  readonly asked: AskedAmount
  readonly holderName?: string
  readonly holderDocument?: string
  readonly projectId?: ProjectId
  readonly externalReference?: string
}

/** The account may not start anything new. */
export class AccountNotApproved extends Schema.TaggedError<AccountNotApproved>()(
  "AccountNotApproved",
  { status: Schema.String }
) {}

/** The sub-account may receive, and not send. */
export class SubAccountNotApproved extends Schema.TaggedError<SubAccountNotApproved>()(
  "SubAccountNotApproved",
  { reference: Schema.String }
) {}

export type AcceptanceRefused =
  | AccountNotApproved
  | SubAccountNotApproved
  | AmountBelowFee
  | NetAmountUnreachable
  | LimitReached

/** What a request is decided on. */
export interface AcceptanceContext {
  readonly id: WithdrawalId
  readonly account: Account
  readonly subAccount: SubAccount | undefined
  /** What the wallet's promotional bucket holds: it pays fees first. */
  readonly promotional: Centavos
  readonly projectId: ProjectId | undefined
  readonly pspCredentialId: PspCredentialId
}

/** Accepts a withdrawal, at the fee of this moment, or says why not. Whether there is enough, the hold decides. */
export const accept = (
  request: NewWithdrawal,
  context: AcceptanceContext
): Result.Result<Withdrawal, AcceptanceRefused> => {
  const { account, id, projectId, pspCredentialId, subAccount } = context
  if (account.status !== "approved")
    return Result.fail(new AccountNotApproved({ status: account.status }))
  if (subAccount !== undefined && subAccount.status !== "approved")
    return Result.fail(new SubAccountNotApproved({ reference: subAccount.reference }))
  const fees = subAccount?.fees.withdrawal ?? account.fees.withdrawal
  return Result.flatMap(grossAndFee(fees, request.asked), ({ amount, feeAmount }) => {
    const bound = limitBrokenBy("withdrawal", account, amount)
    if (bound !== undefined) return Result.fail(bound)
    const { externalReference, holderDocument, holderName, pixKey } = request
    const createdAt = instantOf(id)
    return Result.succeed(
      new Withdrawal({
        id,
        account: account.id,
        wallet: subAccount?.id ?? account.id,
        ...(subAccount === undefined ? {} : { subAccount: subAccount.reference }),
        status: "pending",
        amount,
        feeAmount,
        promotionalAmount: min(feeAmount, context.promotional),
        pixKey: pixKey.value,
        pixKeyType: pixKey.type,
        ...(holderName === undefined ? {} : { holderName }),
        ...(holderDocument === undefined ? {} : { holderDocument }),
        ...(projectId === undefined ? {} : { projectId }),
        pspCredentialId,
        ...(externalReference === undefined ? {} : { externalReference }),
        createdAt,
        updatedAt: createdAt
      })
    )
  })
}
