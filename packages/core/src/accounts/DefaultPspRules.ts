import { Context } from "effect"
import type { Account } from "./Account.ts"
import type { PspRule } from "./PspRule.ts"

/** Where new charges go of accounts that have no rules of their own; each process has what its configuration says (decision 0107). */
export const DefaultPspRules = Context.Reference<ReadonlyArray<PspRule>>(
  "@pagora/core/accounts/DefaultPspRules",
  { defaultValue: () => [] }
)

/**
 * The rules by which new charges of an account go: its own, even where these are none, or else the deployment's, as far as it may
 * use the PSPs that they name. An account that was given no PSPs may use all of those.
 */
export const rulesFor = (
  { psps }: Account,
  ofDeployment: ReadonlyArray<PspRule>
): ReadonlyArray<PspRule> => {
  if (psps === undefined) return ofDeployment
  const { allowed, rules } = psps
  return (
    rules ??
    ofDeployment
      .map((rule) => ({ ...rule, to: rule.to.filter(({ psp }) => allowed.includes(psp)) }))
      .filter(({ to }) => to.length > 0)
  )
}
