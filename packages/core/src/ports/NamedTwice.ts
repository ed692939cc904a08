import { attemptName, eventName, ledgerName, uniqueName } from "./Facts.ts"
import type { Unit } from "./Unit.ts"

/**
 * What a unit writes twice that can stand once, where it does: nobody can tell which of the two was meant. Such a unit
 * is a mistake of the program, not a refusal: reading and deciding again would make the same.
 */
export const namedTwice = (unit: Unit): string | undefined => {
  const { attempts = [], events = [], inserts = [], keys = [], ledger = [], opens = [] } = unit
  const updated = (unit.updates ?? []).map(({ row }) => row.id)
  return (
    repeated(
      "row",
      inserts.map(({ id }) => id),
      updated
    ) ??
    repeated("key", keys.map(uniqueName)) ??
    repeated(
      "event",
      events.map(({ event }) => eventName(event))
    ) ??
    repeated("posting", ledger.map(ledgerName)) ??
    repeated("attempt", attempts.map(attemptName)) ??
    repeated("wallet", opens)
  )
}

const repeated = (
  what: string,
  names: ReadonlyArray<string>,
  more: ReadonlyArray<string> = []
): string | undefined => {
  if (names.length + more.length < 2) return undefined
  const all = [...names, ...more]
  if (new Set(all).size === all.length) return undefined
  const twice = all.find((name, index) => all.indexOf(name) !== index) ?? ""
  return `A unit names the ${what} ${twice.replaceAll("\0", " ")} twice.`
}
