import { DateTime, Result, Schema } from "effect"
import type { Account } from "../accounts/Account.ts"
import { feeOn } from "../accounts/Fees.ts"
import { AccountNotActive } from "../accounts/NotActive.ts"
import type { LimitReached } from "../accounts/PeriodLimit.ts"
import { limitBrokenBy } from "../accounts/PeriodLimit.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import type { ChargeId, CustomerId, ProjectId, PspCredentialId, WalletId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
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
  asked: Schema.BigInt,
  fee: Schema.BigInt,
  net: Schema.BigInt
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
}

/** Whether the account may create a charge of this amount at all: known before anything else is read for it. */
export const mayCreate = (
  { amount }: NewCharge,
  account: Account
): Result.Result<void, AccountNotActive | LimitReached> => {
  const { status } = account
  if (status !== "approved") return Result.fail(new AccountNotActive({ status }))
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
  const { account, customerId, destinations, id, pspCredentialId, subAccount } = context
  const { amount, customer, description, expiresIn, externalReference, metadata, projectId } =
    request
  const split = request.split?.map((leg, index) => ({
    wallet: destinations[index] ?? subAccount?.id ?? account.id,
    reference: leg.subAccount,
    amount: leg.amount
  }))
  const fee = feeOn(subAccount?.fees.payment ?? account.fees.payment, amount)
  const asked = askedOf(split ?? [])
  const net = amount - fee
  if (split !== undefined && asked > net)
    return Result.fail(new SplitExceedsNet({ asked, fee, net }))
  const createdAt = instantOf(id)
  const charge = new Charge({
    id,
    account: account.id,
    wallet: subAccount?.id ?? account.id,
    ...(subAccount === undefined ? {} : { subAccount: subAccount.reference }),
    status: "creating",
    amount,
    ...(description === undefined ? {} : { description }),
    ...(externalReference === undefined ? {} : { externalReference }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(split === undefined ? {} : { split }),
    ...(isNamed(customer) && customerId !== undefined ? { customer, customerId } : {}),
    pspCredentialId,
    expiresAt: DateTime.add(createdAt, { seconds: expiresIn ?? chargeLimits.expiresInDefault }),
    createdAt,
    updatedAt: createdAt
  })
  return Result.succeed(charge)
}
