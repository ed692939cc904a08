import type { EndpointId, WalletId } from "../kernel/Ids.ts"
import type { Account } from "./Account.ts"

/**
 * The endpoints that an event of a wallet goes to. A sub-account with endpoints of its own, enabled or not,
 * has its events sent to those only; without any they go to the main account's (spec, Envelope).
 */
export const endpointsFor = (
  account: Account,
  wallet: WalletId,
  event: string
): ReadonlyArray<EndpointId> => {
  const own = account.routes.filter((route) => route.wallet === wallet)
  const routes =
    own.length > 0 ? own : account.routes.filter((route) => route.wallet === account.id)
  return routes
    .filter(
      (route) => route.enabled && (route.events === undefined || route.events.includes(event))
    )
    .map((route) => route.endpoint)
}
