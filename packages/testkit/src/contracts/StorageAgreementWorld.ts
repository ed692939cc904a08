import type {
  AccountId,
  DeliveryId,
  EventRow,
  IdempotencyScope,
  JobRef,
  Row,
  Unit,
  Uuid,
  WalletId
} from "@pagora/core"
import { Facts, LedgerAccount, LedgerTx } from "@pagora/core"
import type { DateTime } from "effect"
import {
  at,
  attemptOf,
  brl,
  eventOf,
  moneyIn,
  moneyOut,
  movement,
  newId,
  newName,
  rowOf,
  scopeOf,
  times,
  transfer,
  unitOf
} from "./StorageLaws.ts"

/** Throws that repeat for the same seed. */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  /** From 0 up to below `sides`. */
  roll(sides: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * sides)
  }

  /** True so many times in a hundred. */
  chance(percent: number): boolean {
    return this.roll(100) < percent
  }

  of<A>(values: ReadonlyArray<A>): A {
    const value = values[this.roll(values.length)]
    if (value === undefined) throw new RangeError("Nothing to choose from.")
    return value
  }

  /** So many different values. */
  some<A>(values: ReadonlyArray<A>, count: number): ReadonlyArray<A> {
    const left = [...values]
    return times(Math.min(count, left.length), () => left.splice(this.roll(left.length), 1)).flat()
  }
}

/** So few things that units often want the same ones, and refusals abound. */
export interface AgreementWorld {
  readonly wallets: ReadonlyArray<WalletId>
  readonly rows: ReadonlyArray<Row>
  readonly keys: ReadonlyArray<string>
  readonly counters: ReadonlyArray<string>
  readonly scopes: ReadonlyArray<IdempotencyScope>
  readonly jobs: ReadonlyArray<JobRef>
  readonly group: Uuid
  readonly account: AccountId
  readonly events: ReadonlyArray<string>
  readonly sources: ReadonlyArray<Uuid>
  readonly deliveries: ReadonlyArray<DeliveryId>
  readonly due: (seconds: number) => DateTime.Utc
}

export const aWorld = (due: AgreementWorld["due"]): AgreementWorld => ({
  wallets: times(4, () => newId()),
  rows: times(6, (index) => rowOf({ table: index % 2 === 0 ? "operation" : "registry" })),
  keys: times(4, newName),
  counters: times(2, newName),
  scopes: times(3, () => scopeOf()),
  jobs: times(4, () => ({ queue: "inbox", id: newId() }) as const),
  group: newId(),
  account: newId(),
  events: times(4, newName),
  sources: times(6, () => newId()),
  deliveries: times(2, () => newId()),
  due
})

type Part = (
  dice: Dice,
  world: AgreementWorld,
  facts: Facts.Facts,
  seconds: number
) => Partial<Unit>

const version = (dice: Dice, facts: Facts.Facts, id: Uuid): number =>
  dice.chance(85) ? (facts.rows.get(id) ?? 1) : 1 + dice.roll(3)

const rowsPart: Part = (dice, world, facts) => {
  const [inserted, updated, expected] = dice.some(world.rows, 3)
  if (inserted === undefined || updated === undefined || expected === undefined) return {}
  const document = `{"thrown":${dice.roll(1_000_000)}}`
  const { id, table } = expected
  return {
    ...(dice.chance(20) ? { inserts: [{ ...inserted, document }] } : {}),
    ...(dice.chance(60)
      ? { updates: [{ row: { ...updated, document }, expected: version(dice, facts, updated.id) }] }
      : {}),
    ...(dice.chance(50) ? { expects: [{ table, id, version: version(dice, facts, id) }] } : {})
  }
}

const ledgerPart: Part = (dice, { sources, wallets }) => {
  const [one, other] = dice.some(wallets, 2)
  if (one === undefined || other === undefined) return {}
  const amount = BigInt(1 + dice.roll(9))
  const { available, held, promotional } = LedgerAccount
  const between = (from: LedgerAccount.LedgerAccount, to: LedgerAccount.LedgerAccount) =>
    movement(one, amount, [
      dice.chance(50) ? LedgerTx.spend(from, brl(amount)) : LedgerTx.debit(from, brl(amount)),
      LedgerTx.credit(to, brl(amount))
    ])
  const moved = dice.of([
    () => moneyIn(one, amount),
    () => moneyIn(one, amount, promotional(one)),
    () => moneyOut(one, amount),
    () => moneyOut(one, amount),
    () => transfer(one, other, amount),
    () => between(available(one), held(one)),
    () => between(held(one), available(other)),
    () => between(promotional(one), available(one))
  ])()
  const [tx] = moved.ledger
  return { ledger: [dice.chance(10) ? { ...tx, source: dice.of(sources) } : tx] }
}

const lienPart: Part = (dice, { wallets }) => ({
  liens: [{ wallet: dice.of(wallets), delta: brl(BigInt(dice.roll(9) - 3)) }]
})

const counterPart: Part = (dice, { counters }) => ({
  counters: dice.some(counters, 1 + dice.roll(2)).map((key) => ({
    key,
    add: brl(BigInt(dice.roll(9) - 3)),
    ...(dice.chance(70) ? { max: brl(BigInt(dice.roll(12))) } : {})
  }))
})

const keyPart: Part = (dice, { keys }) => ({
  keys: [{ space: "law", key: dice.chance(50) ? dice.of(keys) : newName(), holder: newId() }]
})

const idempotencyPart: Part = (dice, { scopes }, facts, seconds) => {
  const scope = dice.of(scopes)
  const known = facts.idempotency.get(Facts.scopeName(scope))
  if (dice.chance(50)) {
    const entity = dice.chance(80) && known !== undefined ? known.entity : newId()
    return {
      idempotency: { _tag: "Complete", scopes: [scope], entity, snapshot: `${dice.roll(100)}` }
    }
  }
  const expiresAt = at(seconds + 1 + dice.roll(5))
  const begin = { scope, fingerprint: "digest", entity: newId(), expiresAt, snapshot: null }
  return { idempotency: { _tag: "Begin", ...begin } }
}

const jobPart: Part = (dice, { due, group, jobs }, facts) => {
  const job = dice.of(jobs)
  const held = facts.jobs.get(Facts.jobName(job))
  const token = dice.chance(85) && held !== null && held !== undefined ? held : newId<never>()
  const write = dice.of([
    { _tag: "Schedule", ...job, group, due: due(dice.roll(9)) },
    { _tag: "Finish", ...job, token },
    { _tag: "Retry", ...job, token, due: due(dice.roll(9)) },
    { _tag: "Cancel", ...job }
  ] as const)
  return { jobs: [write] }
}

const eventPart: Part = (dice, { account, deliveries, events }, facts) => {
  if (dice.chance(50)) {
    return { attempts: [attemptOf(dice.of(deliveries), { number: 1 + dice.roll(30) })] }
  }
  const key = dice.chance(30) ? dice.of(events) : newName()
  const event: EventRow = eventOf({ account, key })
  const isNew = !facts.events.has(Facts.eventName(event))
  return { events: [{ event, deliveries: isNew ? [{ id: newId(), endpoint: newId() }] : [] }] }
}

const walletPart: Part = (dice, { wallets }) =>
  dice.chance(60) ? { opens: [dice.of(wallets)] } : { empty: [dice.of(wallets)] }

const parts: ReadonlyArray<Part> = [
  rowsPart,
  rowsPart,
  ledgerPart,
  ledgerPart,
  lienPart,
  counterPart,
  keyPart,
  idempotencyPart,
  jobPart,
  eventPart
]

/** A unit of one to three parts. It never meets itself: that would be a mistake of its author. */
export const throwUnit = (
  dice: Dice,
  world: AgreementWorld,
  facts: Facts.Facts,
  seconds: number
): Unit => {
  const chosen = new Set(dice.some(parts, 1 + dice.roll(3)))
  if (dice.chance(4)) chosen.add(walletPart)
  const made = [...chosen].map((part) => part(dice, world, facts, seconds))
  return unitOf(...made, { at: at(seconds) })
}
