import { Schema } from "effect"
import { AccountId, SubAccountId } from "../kernel/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import { Fees } from "./Fees.ts"

/** The form of a sub-account's reference (spec, Sub-account). */
export const referencePattern = /^[a-z0-9][a-z0-9_-]{1,31}$/

/** The reserved reference of the main account. */
export const principal = "principal"

/** A wallet of its own within an account, named by a reference that its owner chose. */
export class SubAccount extends Schema.Class<SubAccount>("@pagora/core/accounts/SubAccount")({
  id: SubAccountId,
  account: AccountId,
  reference: Schema.String,
  name: Schema.optionalKey(Schema.String),
  status: Schema.Literals(["approved", "suspended", "closed"]),
  /** Overrides the account's schedules, each whole. */
  fees: Fees,
  createdAt: Schema.DateTimeUtcFromString
}) {}

export const SubAccountKind: Kind.Kind<SubAccount> = Kind.make({
  name: "sub_account",
  table: "registry",
  schema: SubAccount,
  columns: (sub) => ({
    id: sub.id,
    account: sub.account,
    wallet: sub.id,
    status: sub.status,
    ref: sub.reference
  })
})
