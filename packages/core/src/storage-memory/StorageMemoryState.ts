import { DateTime } from "effect"
import type {
  DeliveryId,
  EventRowId,
  LeaseToken,
  LedgerTxId,
  UnitId,
  Uuid,
  WalletId,
  WriteId
} from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { zero } from "../kernel/Money.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import type { Wallet } from "../ledger/Wallet.ts"
import { walletChanges } from "../units/Decision.ts"
import type { ProvedWallet } from "../ports/AuditReads.ts"
import type { FactKeys, Facts } from "../units/Facts.ts"
import {
  attemptName,
  emptyFacts,
  eventName,
  jobName,
  ledgerName,
  scopeName,
  uniqueName
} from "../units/Facts.ts"
import type { Delivery, IdempotencyRecord } from "../ports/StorageDriver.ts"
import type {
  AttemptRow,
  DeliveryRow,
  EventRow,
  IdempotencyScope,
  IdempotencyWrite,
  JobRef,
  JobWrite,
  Row,
  StoredRow,
  Unit
} from "../units/Unit.ts"

/** As every storage keeps it: what waits a share of a time may be due between two milliseconds. */
const toTheMillisecond = (instant: DateTime.Utc): DateTime.Utc =>
  DateTime.makeUnsafe(Math.floor(DateTime.toEpochMillis(instant)))

/** A row, and the unit that wrote it last. */
export interface WrittenRow {
  readonly row: StoredRow
  readonly unit: UnitId
}

export interface StoredIdempotency extends IdempotencyRecord {
  readonly begunAt: DateTime.Utc
  readonly scope: IdempotencyScope
}

export interface StoredJob extends JobRef {
  readonly group: Uuid
  readonly due: DateTime.Utc
  readonly lease: { readonly token: LeaseToken; readonly until: DateTime.Utc } | undefined
}

/** The identity of a write that is in, or of one that never comes in. */
export interface StoredWrite {
  readonly isVoid: boolean
  readonly atMillis: number
}

/** Everything that is stored. The keys that are plain text are made by the functions of `Facts.ts`. */
export interface MemoryState {
  readonly rows: Map<Uuid, WrittenRow>
  /** Who holds each unique key. */
  readonly keys: Map<string, Uuid>
  readonly idempotency: Map<string, StoredIdempotency>
  readonly jobs: Map<string, StoredJob>
  readonly events: Map<EventRowId, EventRow>
  readonly eventNames: Set<string>
  readonly deliveries: Map<DeliveryId, Delivery>
  readonly attempts: Map<string, AttemptRow>
  readonly ledger: Map<LedgerTxId, LedgerTx>
  readonly ledgerNames: Set<string>
  readonly counters: Map<string, bigint>
  readonly wallets: Map<WalletId, Wallet>
  readonly writes: Map<WriteId, StoredWrite>
  /** What audits proved of wallets. */
  readonly proved: Map<WalletId, ProvedWallet>
}

export const emptyState = (): MemoryState => ({
  rows: new Map(),
  keys: new Map(),
  idempotency: new Map(),
  jobs: new Map(),
  events: new Map(),
  eventNames: new Set(),
  deliveries: new Map(),
  attempts: new Map(),
  ledger: new Map(),
  ledgerNames: new Set(),
  counters: new Map(),
  wallets: new Map(),
  writes: new Map(),
  proved: new Map()
})

/** Copies what is asked for and nothing else, so that deciding a group costs as much as the group is large. */
export const factsOf = (state: MemoryState, keys: FactKeys): Facts => {
  const facts = emptyFacts()
  for (const { id } of keys.rows) put(facts.rows, id, state.rows.get(id)?.row.version)
  for (const scope of keys.idempotency) {
    const record = state.idempotency.get(scopeName(scope))
    if (record === undefined) continue
    const expiresAtMillis = DateTime.toEpochMillis(record.expiresAt)
    const isAnswered = record.snapshot !== null
    facts.idempotency.set(scopeName(scope), { entity: record.entity, expiresAtMillis, isAnswered })
  }
  for (const ref of keys.jobs) {
    const job = state.jobs.get(jobName(ref))
    if (job !== undefined) facts.jobs.set(jobName(ref), job.lease?.token ?? null)
  }
  for (const key of keys.counters) put(facts.counters, key, state.counters.get(key))
  for (const id of keys.wallets) {
    const wallet = state.wallets.get(id)
    if (wallet === undefined) continue
    const { available, held, lien, promotional } = wallet
    facts.wallets.set(id, { available, held, promotional, lien })
  }
  known(facts.keys, keys.keys.map(uniqueName), state.keys)
  known(facts.events, keys.events.map(eventName), state.eventNames)
  known(facts.ledger, keys.ledger.map(ledgerName), state.ledgerNames)
  known(facts.attempts, keys.attempts.map(attemptName), state.attempts)
  return facts
}

const put = <K, V>(into: Map<K, V>, key: K, value: V | undefined): void => {
  if (value !== undefined) into.set(key, value)
}

const known = (
  into: Set<string>,
  names: ReadonlyArray<string>,
  of: { readonly has: (name: string) => boolean }
): void => {
  for (const name of names) if (of.has(name)) into.add(name)
}

/** Writes a unit that was decided on this state. */
export const applyUnit = (state: MemoryState, unit: Unit, births: Births = none): void => {
  for (const row of unit.inserts ?? []) writeRow(state, unit, row, 1)
  for (const { row, expected } of unit.updates ?? []) writeRow(state, unit, row, expected + 1)
  for (const key of unit.keys ?? []) state.keys.set(uniqueName(key), key.holder)
  if (unit.idempotency !== undefined) writeIdempotency(state, unit.at, unit.idempotency)
  for (const job of unit.jobs ?? []) writeJob(state, job, births)
  for (const tx of unit.ledger ?? []) {
    state.ledger.set(tx.id, tx)
    state.ledgerNames.add(ledgerName(tx))
  }
  for (const { key, add } of unit.counters ?? []) {
    state.counters.set(key, (state.counters.get(key) ?? 0n) + add)
  }
  writeEvents(state, unit)
  writeWallets(state, unit)
}

const writeRow = (state: MemoryState, unit: Unit, row: Row, version: number): void => {
  state.rows.set(row.id, { row: { ...row, version }, unit: unit.id })
}

const writeIdempotency = (state: MemoryState, at: DateTime.Utc, write: IdempotencyWrite): void => {
  if (write._tag === "Begin") {
    const { entity, expiresAt, fingerprint, scope, snapshot } = write
    const record = { entity, expiresAt, fingerprint, scope, snapshot, begunAt: at }
    state.idempotency.set(scopeName(scope), record)
    return
  }
  for (const name of write.scopes.map(scopeName)) {
    const begun = state.idempotency.get(name)
    if (begun !== undefined) state.idempotency.set(name, { ...begun, snapshot: write.snapshot })
  }
}

/** When jobs are born, and which of their leases are not given. */
interface Births {
  readonly clock: DateTime.Utc
  readonly leaseless: ReadonlyArray<LeaseToken>
}

const none: Births = { clock: DateTime.makeUnsafe(0), leaseless: [] }

const writeJob = (state: MemoryState, write: JobWrite, { clock, leaseless }: Births): void => {
  const name = jobName(write)
  const { id, queue } = write
  if (write._tag === "Schedule") {
    const born = write.lease
    const lease =
      born === undefined || leaseless.includes(born.token)
        ? undefined
        : { token: born.token, until: DateTime.addDuration(clock, born.lease) }
    state.jobs.set(name, { queue, id, group: write.group, due: toTheMillisecond(write.due), lease })
    return
  }
  const job = state.jobs.get(name)
  if (write._tag === "Retry" && job !== undefined) {
    state.jobs.set(name, { ...job, due: toTheMillisecond(write.due), lease: undefined })
  } else {
    state.jobs.delete(name)
  }
}

const writeEvents = (state: MemoryState, unit: Unit): void => {
  for (const { deliveries, event } of unit.events ?? []) {
    state.events.set(event.id, event)
    state.eventNames.add(eventName(event))
    for (const delivery of deliveries) writeDelivery(state, event, delivery)
  }
  for (const { delivery, event } of unit.redeliveries ?? []) writeDelivery(state, event, delivery)
  for (const attempt of unit.attempts ?? []) {
    state.attempts.set(attemptName(attempt), attempt)
    const delivery = state.deliveries.get(attempt.delivery)
    if (delivery === undefined) continue
    const { status } = attempt
    state.deliveries.set(delivery.id, { ...delivery, status, attempts: delivery.attempts + 1 })
  }
}

const writeDelivery = (
  state: MemoryState,
  event: EventRow,
  { endpoint, id }: DeliveryRow
): void => {
  const { account, type } = event
  const delivery = { id, event: event.id, endpoint, account, type, status: "queued", attempts: 0 }
  state.deliveries.set(id, delivery as Delivery)
}

const writeWallets = (state: MemoryState, unit: Unit): void => {
  for (const id of unit.opens ?? []) {
    const empty = { available: zero, held: zero, promotional: zero, lien: zero }
    state.wallets.set(id, { id, ...empty, updatedAt: unit.at })
  }
  for (const [id, change] of walletChanges(unit)) {
    const wallet = state.wallets.get(id)
    if (wallet === undefined) continue
    state.wallets.set(id, {
      id,
      available: (wallet.available + change.available) as Centavos,
      held: (wallet.held + change.held) as Centavos,
      promotional: (wallet.promotional + change.promotional) as Centavos,
      lien: (wallet.lien + change.lien) as Centavos,
      updatedAt: DateTime.max(wallet.updatedAt, unit.at)
    })
  }
}
