import { Effect } from "effect"
import type { Account } from "../accounts/Account.ts"
import type { Accounts } from "../accounts/Accounts.ts"
import { NotFound, refuse } from "../http/ErrorEnvelope.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { Versioned } from "../units/Kind.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"

/** `balance block` and `pspCredential` as codes write them. */
const codeOf = (resource: string): string =>
  `${resource
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll(/[ -]/g, "_")
    .toUpperCase()}_NOT_FOUND`

/** Nothing of this kind is there: 404 with the code of the kind, such as `BALANCE_BLOCK_NOT_FOUND`. */
export const notFound = (
  resource: string,
  id: string,
  message = `There is no ${resource} with this id.`
): Effect.Effect<never, NotFound, ServiceTime> =>
  refuse(NotFound, { message, code: codeOf(resource), details: { resource, id } })

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
