import { attemptName, eventName, ledgerName, scopeName, scopesOf, uniqueName } from "./Facts.ts"
import type { Unit } from "./Unit.ts"

/**
 * What a unit writes twice that can stand once, where it does: nobody can tell which of the two was meant. Such a unit
 * is a mistake of the program, not a refusal: reading and deciding again would make the same.
 */
export const namedTwice = (unit: Unit): string | undefined => {
  const { attempts = [], events = [], inserts = [], keys = [], ledger = [], opens = [] } = unit
  const rows = [...inserts, ...(unit.updates ?? []).map(({ row }) => row)]
  return (
    repeated("row", rows, ({ id }) => id) ??
    repeated("key", keys, uniqueName) ??
    repeated("Idempotency-Key", scopesOf(unit), scopeName) ??
    repeated("event", events, ({ event }) => eventName(event)) ??
    repeated("posting", ledger, ledgerName) ??
    repeated("attempt", attempts, attemptName) ??
    repeated("wallet", opens, (wallet) => wallet)
  )
}

const repeated = <A>(
  what: string,
  things: ReadonlyArray<A>,
  nameOf: (thing: A) => string
): string | undefined => {
  if (things.length < 2) return undefined
  const all = things.map(nameOf)
  if (new Set(all).size === all.length) return undefined
  const twice = all.find((name, index) => all.indexOf(name) !== index) ?? ""
  return `A unit names the ${what} ${twice.replaceAll("\0", " ")} twice.`
}
