import { attemptName, eventName, jobName, ledgerName, scopeName, uniqueName } from "./Facts.ts"
import type { Unit } from "./Unit.ts"

/** What a unit touches, as names: `writes` it alone, `reads` together with others that only read. */
interface Touch {
  readonly writes: ReadonlyArray<string>
  readonly reads: ReadonlyArray<string>
  /** Units that open or close wallets go by themselves: they are rare, and order matters to them. */
  readonly alone: boolean
}

const touchOf = (unit: Unit): Touch => ({
  alone: (unit.opens ?? []).length > 0 || (unit.empty ?? []).length > 0,
  reads: (unit.expects ?? []).map((expect) => expect.id),
  writes: [
    ...(unit.inserts ?? []).map((row) => row.id),
    ...(unit.updates ?? []).map((update) => update.row.id),
    ...(unit.keys ?? []).map(uniqueName),
    ...(unit.idempotency === undefined ? [] : [scopeName(unit.idempotency.scope)]),
    ...(unit.jobs ?? []).map(jobName),
    ...(unit.events ?? []).map((entry) => eventName(entry.event)),
    ...(unit.ledger ?? []).map(ledgerName),
    ...(unit.attempts ?? []).map(attemptName)
  ]
})

/**
 * Takes units for one group from the front of a line, up to `max`; a unit that meets one already taken waits
 * for the next group, and so does every later one that meets a waiting one. They are concurrent, so any
 * serial order is right; but a merged group never meets itself, except in wallets and counters, whose
 * running sums cover it.
 */
export const pick = <A>(
  line: ReadonlyArray<A>,
  max: number,
  unitOf: (entry: A) => Unit
): { readonly group: ReadonlyArray<A>; readonly rest: ReadonlyArray<A> } => {
  const group: Array<A> = []
  const rest: Array<A> = []
  const writes = new Set<string>()
  const reads = new Set<string>()
  for (const [index, entry] of line.entries()) {
    if (group.length >= max) return { group, rest: rest.concat(line.slice(index)) }
    const touch = touchOf(unitOf(entry))
    if (touch.alone && group.length === 0 && rest.length === 0) {
      return { group: [entry], rest: line.slice(index + 1) }
    }
    const meets =
      touch.alone ||
      touch.writes.some((name) => writes.has(name) || reads.has(name)) ||
      touch.reads.some((name) => writes.has(name))
    for (const name of touch.writes) writes.add(name)
    for (const name of touch.reads) reads.add(name)
    if (meets) rest.push(entry)
    else group.push(entry)
  }
  return { group, rest }
}
