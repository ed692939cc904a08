import { Effect } from "effect"
import type { Account } from "../accounts/Account.ts"
import type { Accounts } from "../accounts/Accounts.ts"
import type { Refusal } from "../http/ErrorEnvelope.ts"
import { NotFound, refuse } from "../http/ErrorEnvelope.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { Versioned } from "../units/Kind.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"

export const notFound = (
  resource: string,
  id: string
): Effect.Effect<never, NotFound, ServiceTime> =>
  refuse(NotFound, { message: `There is no ${resource} with this id.`, details: { resource, id } })

/** The refusal of whatever would change a closed account, or bring money to it. */
export const accountClosed = (id: string): Refusal => ({
  message: "This account is closed for ever. Open another one.",
  code: "ACCOUNT_CLOSED",
  details: { resource: "account", field: "status", value: id }
})

/** The account of the path. */
export const accountOfPath = (
  accounts: Accounts["Service"],
  id: string
): Effect.Effect<Versioned<Account>, NotFound, ServiceTime> =>
  isUuid(id)
    ? accounts.find(id).pipe(
        Effect.catchTag("AccountNotFound", () => notFound("account", id)),
        orUnavailable
      )
    : notFound("account", id)
