import { DateTime, Result, Schema } from "effect"
import type { Account } from "../accounts/Account.ts"
import { feeOn } from "../accounts/Fees.ts"
import type { NotActive } from "../accounts/NotActive.ts"
import { mayStart } from "../accounts/NotActive.ts"
import type { LimitReached } from "../accounts/PeriodLimit.ts"
import { limitBrokenBy } from "../accounts/PeriodLimit.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import type { ChargeId, CustomerId, ProjectId, PspCredentialId, WalletId } from "../kernel/Ids.ts"
import { Centavos, minus } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import type { Customer } from "./Charge.ts"
import { Charge } from "./Charge.ts"
import { chargeLimits } from "./ChargeLimits.ts"
import { askedOf } from "./Split.ts"

/** A leg as a caller asks for it: to a sub-account's reference or to `principal`. */
export interface NewSplitLeg {
  readonly subAccount: string
  readonly amount: Centavos
}

export interface NewCharge {
  readonly amount: Centavos
  readonly description?: string
  readonly customer?: Customer
  readonly projectId?: ProjectId
  readonly pspCredentialId?: PspCredentialId
  readonly expiresIn?: number
  readonly externalReference?: string
  /** JSON text of an object. */
  readonly metadata?: string
  readonly split?: ReadonlyArray<NewSplitLeg>
}

/** The legs together are more than what the charge brings in after its fee of now. */
export class SplitExceedsNet extends Schema.TaggedError<SplitExceedsNet>()("SplitExceedsNet", {
  asked: Centavos,
  fee: Centavos,
  net: Centavos
}) {}

/** What a request is decided on. */
export interface NewChargeContext {
  readonly id: ChargeId
  /** Where the customer is named. */
  readonly customerId: CustomerId | undefined
  readonly account: Account
  readonly subAccount: SubAccount | undefined
  /** The wallets that the legs of its split name, in their order. */
  readonly destinations: ReadonlyArray<WalletId>
  readonly pspCredentialId: PspCredentialId
  readonly now: DateTime.Utc
}

/** Whether the account may create a charge of this amount at all: known before anything else is read for it. */
export const mayCreate = (
  { amount }: NewCharge,
  account: Account
): Result.Result<void, NotActive | LimitReached> => {
  const may = mayStart({ account })
  if (Result.isFailure(may)) return may
  const bound = limitBrokenBy("charge", account, amount)
  return bound === undefined ? Result.void : Result.fail(bound)
}

/** Whether anything is told of a customer. */
export const isNamed = (customer: Customer | undefined): customer is Customer =>
  customer !== undefined && Object.values(customer).some((value) => value !== undefined)

/** Opens a charge, whose PSP has not been asked yet, or says why not. */
export const accept = (
  request: NewCharge,
  context: NewChargeContext
): Result.Result<Charge, SplitExceedsNet> => {
  const { account, customerId, destinations, id, now: createdAt, pspCredentialId } = context
  const { subAccount } = context
  const { amount, customer, description, expiresIn, externalReference, metadata, projectId } =
    request
  const split = request.split?.map((leg, index) => ({
    wallet: destinations[index] ?? subAccount?.id ?? account.id,
    reference: leg.subAccount,
    amount: leg.amount
  }))
  const fee = feeOn(subAccount?.fees.payment ?? account.fees.payment, amount)
  const asked = askedOf(split ?? [])
  const net = minus(amount, fee)
  if (split !== undefined && asked > net)
    return Result.fail(new SplitExceedsNet({ asked, fee, net }))
  const charge = new Charge({
    id,
    account: account.id,
    wallet: subAccount?.id ?? account.id,
    status: "creating",
    amount,
    ...present({
      subAccount: subAccount?.reference,
      description,
      externalReference,
      projectId,
      metadata,
      split
    }),
    ...(isNamed(customer) && customerId !== undefined ? { customer, customerId } : {}),
    pspCredentialId,
    expiresAt: DateTime.add(createdAt, { seconds: expiresIn ?? chargeLimits.expiresInDefault }),
    createdAt,
    updatedAt: createdAt
  })
  return Result.succeed(charge)
}
