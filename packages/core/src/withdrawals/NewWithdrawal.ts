import type { DateTime } from "effect"
import { Result } from "effect"
import type { Account } from "../accounts/Account.ts"
import type { NotActive } from "../accounts/NotActive.ts"
import { mayStart } from "../accounts/NotActive.ts"
import type { LimitReached } from "../accounts/PeriodLimit.ts"
import { limitBrokenBy } from "../accounts/PeriodLimit.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import type { ProjectId, PspCredentialId, WithdrawalId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { min } from "../kernel/Money.ts"
import type { PixKey } from "../kernel/PixKey.ts"
import { present } from "../kernel/Present.ts"
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

export type AcceptanceRefused = NotActive | AmountBelowFee | NetAmountUnreachable | LimitReached

/** What a request is decided on. */
export interface AcceptanceContext {
  readonly id: WithdrawalId
  readonly account: Account
  readonly subAccount: SubAccount | undefined
  /** What the wallet's promotional bucket holds: it pays fees first. */
  readonly promotional: Centavos
  readonly projectId: ProjectId | undefined
  readonly pspCredentialId: PspCredentialId
  readonly now: DateTime.Utc
}

/** Accepts a withdrawal, at the fee of this moment, or says why not. Whether there is enough, the hold decides. */
export const accept = (
  request: NewWithdrawal,
  context: AcceptanceContext
): Result.Result<Withdrawal, AcceptanceRefused> => {
  const { account, id, now: createdAt, projectId, pspCredentialId, subAccount } = context
  const may = mayStart(context)
  if (Result.isFailure(may)) return Result.fail(may.failure)
  const fees = subAccount?.fees.withdrawal ?? account.fees.withdrawal
  return Result.flatMap(grossAndFee(fees, request.asked), ({ amount, feeAmount }) => {
    const bound = limitBrokenBy("withdrawal", account, amount)
    if (bound !== undefined) return Result.fail(bound)
    const { externalReference, holderDocument, holderName, pixKey } = request
    return Result.succeed(
      new Withdrawal({
        id,
        account: account.id,
        wallet: subAccount?.id ?? account.id,
        status: "pending",
        amount,
        feeAmount,
        promotionalAmount: min(feeAmount, context.promotional),
        pixKey: pixKey.value,
        pixKeyType: pixKey.type,
        pspCredentialId,
        ...present({
          subAccount: subAccount?.reference,
          holderName,
          holderDocument,
          projectId,
          externalReference
        }),
        createdAt,
        updatedAt: createdAt
      })
    )
  })
}
