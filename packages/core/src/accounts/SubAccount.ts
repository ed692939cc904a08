import type { DateTime } from "effect"
import { Equal, Schema } from "effect"
import { AccountId, SubAccountId } from "../kernel/Ids.ts"
import * as Kind from "../units/Kind.ts"
import { Fees } from "./Fees.ts"

/** The form of a sub-account's reference (spec, Sub-account). */
export const referencePattern = /^[a-z0-9][a-z0-9_-]{1,31}$/u

/** The reserved reference of the main account. */
export const principal = "principal"

/**
 * - `approved`: takes part in everything;
 * - `suspended`: receives, and starts nothing;
 * - `closed`: for ever, with nothing in it. What is still paid to it goes back to the payer.
 */
export const subAccountStatuses = ["approved", "suspended", "closed"] as const
export type SubAccountStatus = (typeof subAccountStatuses)[number]

/** A wallet of its own within an account, named by a reference that its owner chose. */
export class SubAccount extends Schema.Class<SubAccount>("@pagora/core/accounts/SubAccount")({
  id: SubAccountId,
  account: AccountId,
  /** For ever: that of a closed one is not given again. */
  reference: Schema.String,
  name: Schema.String,
  status: Schema.Literals(subAccountStatuses),
  /** Overrides the account's schedules, each whole. */
  fees: Fees,
  createdAt: Schema.DateTimeUtcFromString,
  closedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
}) {}

export const SubAccountKind: Kind.Kind<SubAccount> = Kind.make({
  name: "sub_account",
  table: "registry",
  schema: SubAccount,
  refField: "reference",
  bornField: "createdAt",
  columns: (sub) => ({
    id: sub.id,
    account: sub.account,
    wallet: sub.id,
    status: sub.status,
    ref: sub.reference
  })
})

/** What the operator changes. A named fee schedule is replaced whole; what is not named stays. */
export interface SubAccountChange {
  readonly status?: SubAccountStatus
  readonly fees?: Fees
}

/** The sub-account after a change, itself where nothing is new; undefined when it is closed, and so past every change. */
export const changed = (
  sub: SubAccount,
  change: SubAccountChange,
  now: DateTime.Utc
): SubAccount | undefined => {
  const status = change.status ?? sub.status
  if (sub.status === "closed")
    return status === "closed" && change.fees === undefined ? sub : undefined
  const next = new SubAccount({
    ...sub,
    status,
    fees: { ...sub.fees, ...change.fees },
    ...(status === "closed" ? { closedAt: now } : {})
  })
  return Equal.equals(next, sub) ? sub : next
}

/** Counts how many sub-accounts an account has opened, closed ones included. */
export const openedSubAccounts = (account: AccountId): string => `sub_accounts/${account}`
