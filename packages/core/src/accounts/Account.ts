import type { DateTime } from "effect"
import { Equal, Schema } from "effect"
import { AccountId, PspCredentialId } from "../kernel/Ids.ts"
import { CentavosString } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import * as Kind from "../units/Kind.ts"
import { Fees } from "./Fees.ts"
import { PspRule } from "./PspRule.ts"
import { Route } from "./RoutingTable.ts"

/**
 * - `approved`: takes part in everything;
 * - `pending`, `rejected`, `suspended`: receives, and starts nothing;
 * - `closed`: for ever, with nothing in it. What is still paid to it goes back to the payer.
 */
export const accountStatuses = ["pending", "approved", "rejected", "suspended", "closed"] as const

/** Which deposits an account takes. */
const DepositPolicy = Schema.Struct({
  /** Deposits of payers with a CNPJ are returned. */
  blockCnpjPayers: Schema.Boolean,
  /** What happens under `blockCnpjPayers` when the PSP does not tell who paid. */
  onUnknownPayer: Schema.Literals(["accept", "return"])
})

const Limit = Schema.Struct({
  min: Schema.optionalKey(CentavosString),
  max: Schema.optionalKey(CentavosString),
  daily: Schema.optionalKey(CentavosString),
  monthly: Schema.optionalKey(CentavosString)
})

/** Bounds on single operations and on their sum over a day or month. */
const Limits = Schema.Struct({
  charge: Schema.optionalKey(Limit),
  withdrawal: Schema.optionalKey(Limit)
})

/** Which of the deployment's PSPs an account may use, and which one is meant where none is named. */
const PspChoice = Schema.Struct({
  default: PspCredentialId,
  allowed: Schema.Array(PspCredentialId),
  /** Where new charges go that name none, the first that fits; what none fits goes to the default. */
  rules: Schema.optionalKey(Schema.Array(PspRule))
})
export type PspChoice = typeof PspChoice.Type

/**
 * A customer of the deployment. Everything that decides how its money moves stands in this one row, so that a
 * decision rests on one version.
 */
export class Account extends Schema.Class<Account>("@pagora/core/accounts/Account")({
  id: AccountId,
  name: Schema.String,
  document: Schema.optionalKey(Schema.String),
  status: Schema.Literals(accountStatuses),
  fees: Fees,
  policy: DepositPolicy,
  limits: Limits,
  /** Absent: only the deployment's default. */
  psps: Schema.optionalKey(PspChoice),
  /** Where events went before wallets had tables of their own (`RoutingTable.ts`): taken over by those, once. */
  routes: Schema.Array(Route),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
}) {}

export const AccountKind: Kind.Kind<Account> = Kind.make({
  name: "account",
  table: "registry",
  schema: Account,
  columns: (account) => ({
    id: account.id,
    account: account.id,
    wallet: account.id,
    status: account.status
  })
})

/**
 * The PSP of something new: the one that is asked for, or the account's default; undefined when the account may not use
 * it. What is begun keeps the PSP it has, whatever becomes of the choice (decision 0077).
 */
export const pspFor = (
  { psps }: Account,
  ofDeployment: PspCredentialId,
  asked?: PspCredentialId
): PspCredentialId | undefined => {
  const { allowed, default: usual } = psps ?? { allowed: [ofDeployment], default: ofDeployment }
  const id = asked ?? usual
  return allowed.includes(id) ? id : undefined
}

/** What the operator changes. Named fee schedules, limits and PSPs are replaced whole; what is not named stays. */
export interface AccountChange {
  readonly status?: Account["status"]
  readonly fees?: Account["fees"]
  readonly policy?: Partial<Account["policy"]>
  readonly limits?: Account["limits"]
  readonly psps?: PspChoice
}

/** The account after a change, itself where nothing is new; undefined when it is closed, and so past every change. */
export const changed = (
  account: Account,
  change: AccountChange,
  now: DateTime.Utc
): Account | undefined => {
  const { fees, limits, policy, psps, status = account.status } = change
  if (account.status === "closed") {
    const isSame = [fees, limits, policy, psps].every((part) => part === undefined)
    return status === "closed" && isSame ? account : undefined
  }
  const next = new Account({
    ...account,
    status,
    fees: { ...account.fees, ...fees },
    policy: { ...account.policy, ...policy },
    limits: { ...account.limits, ...limits },
    ...present({ psps })
  })
  return Equal.equals(next, account) ? account : new Account({ ...next, updatedAt: now })
}
