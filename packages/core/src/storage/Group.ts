import {
  attemptName,
  eventName,
  jobName,
  ledgerName,
  scopeName,
  scopesOf,
  uniqueName
} from "../units/Facts.ts"
import type { Unit } from "../units/Unit.ts"

/** What units touch, as names: `writes` alone, `reads` together with others that only read. */
export interface Touched {
  readonly writes: ReadonlySet<string>
  readonly reads: ReadonlySet<string>
}

/** What one unit touches. */
interface Touch {
  readonly writes: ReadonlyArray<string>
  readonly reads: ReadonlyArray<string>
}

/** Units that open or close wallets go by themselves: they are rare, and order matters to them. */
const goesAlone = (unit: Unit): boolean =>
  (unit.opens !== undefined && unit.opens.length > 0) ||
  (unit.empty !== undefined && unit.empty.length > 0)

const touchOf = (unit: Unit): Touch => {
  const writes: Array<string> = []
  for (const row of unit.inserts ?? []) writes.push(row.id)
  for (const update of unit.updates ?? []) writes.push(update.row.id)
  for (const key of unit.keys ?? []) writes.push(uniqueName(key))
  for (const scope of scopesOf(unit)) writes.push(scopeName(scope))
  for (const job of unit.jobs ?? []) writes.push(jobName(job))
  for (const { event } of unit.events ?? []) writes.push(eventName(event))
  for (const tx of unit.ledger ?? []) writes.push(ledgerName(tx))
  for (const attempt of unit.attempts ?? []) writes.push(attemptName(attempt))
  return { writes, reads: (unit.expects ?? []).map((expect) => expect.id) }
}

const meets = (touch: Touch, { reads, writes }: Touched): boolean =>
  (writes.size > 0 &&
    (touch.writes.some((name) => writes.has(name)) ||
      touch.reads.some((name) => writes.has(name)))) ||
  (reads.size > 0 && touch.writes.some((name) => reads.has(name)))

/** Collects what units touch. */
const collecting = () => {
  const writes = new Set<string>()
  const reads = new Set<string>()
  const add = (touch: Touch): void => {
    for (const name of touch.writes) writes.add(name)
    for (const name of touch.reads) reads.add(name)
  }
  return { writes, reads, add }
}

/** A group, what it touches, and who waits on. */
export interface Picked<A> {
  readonly group: ReadonlyArray<A>
  readonly rest: ReadonlyArray<A>
  readonly touched: Touched
  /** Whether nothing may be written beside it. */
  readonly isAlone: boolean
}

/**
 * Takes units for one group from the front of a line, up to `max`; a unit that meets one already taken, or one that is
 * being written, waits for a later group, and so does every later one that meets a waiting one. They are concurrent, so
 * any serial order is right; but a merged group never meets itself, except in wallets and counters, whose running sums
 * cover it.
 *
 * @param flying What is being written meanwhile touches.
 */
export const pick = <A>(
  line: ReadonlyArray<A>,
  max: number,
  unitOf: (entry: A) => Unit,
  flying: ReadonlyArray<Touched> = []
): Picked<A> => {
  const group: Array<A> = []
  const rest: Array<A> = []
  const touched = collecting()
  const waiting = collecting()
  for (const [index, entry] of line.entries()) {
    if (group.length >= max) {
      return { group, rest: rest.concat(line.slice(index)), touched, isAlone: false }
    }
    const unit = unitOf(entry)
    const isAlone = goesAlone(unit)
    if (isAlone && group.length === 0 && rest.length === 0) {
      // Its turn has come, so that nobody passes it any more.
      return flying.length > 0
        ? { group, rest: line, touched, isAlone }
        : { group: [entry], rest: line.slice(index + 1), touched, isAlone }
    }
    const touch = touchOf(unit)
    const isMet =
      isAlone ||
      meets(touch, touched) ||
      meets(touch, waiting) ||
      flying.some((other) => meets(touch, other))
    if (isMet) {
      rest.push(entry)
      waiting.add(touch)
    } else {
      group.push(entry)
      touched.add(touch)
    }
  }
  return { group, rest, touched, isAlone: false }
}
