import type {
  AttemptRow,
  Delivery,
  DeliveryRow,
  EventRow,
  IdempotencyRecord,
  IdempotencyScope,
  JobRef,
  LeaseToken,
  LedgerTx,
  Row,
  StorageError,
  StoredRow,
  Unit,
  Uuid,
  Wallet,
  WalletId
} from "@pagora/core"
import { Facts, Storage, StorageDriver } from "@pagora/core"
import { assert } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { aHeldJob, anEra } from "./StorageJobs.ts"
import type { StorageLaw } from "./StorageLaws.ts"
import {
  aRow,
  assertSame,
  at,
  attemptOf,
  aWallet,
  beginning,
  brl,
  byId,
  commit,
  eventOf,
  factsOf,
  moneyOut,
  newId,
  newName,
  rowOf,
  scopeOf,
  unitOf,
  walletOf
} from "./StorageLaws.ts"
import { refusals } from "./StorageRefusals.ts"

/** A unit with a part of every kind that goes in a group, and what it is about. */
export interface FullUnit {
  readonly unit: Unit
  /** Holds 100, of which the unit spends 10, and gets a lien of 5. */
  readonly wallet: WalletId
  readonly updated: Row
  readonly inserted: Row
  readonly scope: IdempotencyScope
  readonly entity: Uuid
  readonly key: { readonly space: string; readonly key: string; readonly holder: Uuid }
  readonly counter: string
  readonly scheduled: JobRef
  readonly held: { readonly job: JobRef; readonly token: LeaseToken }
  /** Gets its first attempt. */
  readonly tried: DeliveryRow
  readonly event: EventRow
  readonly deliveries: ReadonlyArray<DeliveryRow>
}

const aDelivery = (): DeliveryRow => ({ id: newId(), endpoint: newId() })

/** Builds what the unit rests on, and the unit, which is not committed yet. */
export const aFullUnit = Effect.gen(function* () {
  const wallet = yield* aWallet(100n)
  const before = yield* aRow()
  const updated = { ...before, status: "done", document: '{"after":true}' }
  const inserted = rowOf({ wallet })
  const expected = yield* aRow({ table: "registry" })
  const held = yield* aHeldJob()
  const scheduled: JobRef = { queue: "webhook", id: newId() }
  const tried = aDelivery()
  yield* commit({ events: [{ event: eventOf(), deliveries: [tried] }] })
  const event = eventOf({ wallet })
  const deliveries = [aDelivery(), aDelivery()]
  const scope = scopeOf({ wallet })
  const entity = inserted.id
  const key = { space: "law", key: newName(), holder: entity }
  const counter = newName()
  const unit = unitOf(
    beginning(scope, { entity }),
    {
      inserts: [inserted],
      updates: [{ row: updated, expected: 1 }],
      expects: [{ table: "registry", id: expected.id, version: 1 }],
      keys: [key],
      liens: [{ wallet, delta: brl(5n) }],
      counters: [{ key: counter, add: brl(3n), max: brl(3n) }],
      jobs: [
        { _tag: "Schedule", ...scheduled, group: newId(), due: anEra()(0) },
        { _tag: "Finish", ...held.job, token: held.token }
      ],
      events: [{ event, deliveries }],
      attempts: [attemptOf(tried.id, { status: "exhausted" })]
    },
    moneyOut(wallet, 10n)
  )
  const { id, queue } = scheduled
  yield* Effect.addFinalizer(() => Effect.ignore(commit({ jobs: [{ _tag: "Cancel", queue, id }] })))
  const made: FullUnit = {
    unit,
    wallet,
    updated,
    inserted,
    scope,
    entity,
    key,
    counter,
    scheduled,
    held,
    tried,
    event,
    deliveries
  }
  return made
})

/** All that the storage shows of what some units touch. */
export interface Traces {
  readonly facts: Facts.Facts
  readonly rows: ReadonlyArray<StoredRow>
  readonly ledger: ReadonlyArray<LedgerTx.LedgerTx>
  readonly events: ReadonlyArray<EventRow>
  readonly deliveries: ReadonlyArray<Delivery>
  readonly attempts: ReadonlyArray<ReadonlyArray<AttemptRow>>
  readonly idempotency: ReadonlyArray<IdempotencyRecord | undefined>
  readonly wallets: ReadonlyArray<Wallet>
}

export const tracesOf = Effect.fnUntraced(function* (
  ...units: ReadonlyArray<Unit>
): Effect.fn.Return<Traces, StorageError, StorageDriver> {
  const driver = yield* StorageDriver
  const events = units.flatMap((unit) => unit.events ?? [])
  const rows = units.flatMap((unit) => [
    ...(unit.inserts ?? []),
    ...(unit.updates ?? []).map(({ row }) => row)
  ])
  const rowIds = rows.map((row) => row.id)
  const facts = yield* factsOf(...units)
  const attempted = units.flatMap((unit) => unit.attempts ?? []).map(({ delivery }) => delivery)
  const deliveries = events.flatMap((entry) => entry.deliveries).map(({ id }) => id)
  const scopes = units.flatMap(Facts.scopesOf)
  return {
    facts,
    rows: byId([
      ...(yield* driver.rows("operation", rowIds)),
      ...(yield* driver.rows("registry", rowIds))
    ]),
    ledger: byId(
      yield* driver.ledgerTxs(units.flatMap((unit) => unit.ledger ?? []).map(({ id }) => id))
    ),
    events: byId(yield* driver.events(events.map(({ event }) => event.id))),
    deliveries: byId(yield* driver.deliveries({ ids: [...deliveries, ...attempted] })),
    attempts: yield* Effect.forEach(attempted, (delivery) => driver.attempts([delivery])),
    idempotency: yield* driver.idempotency(scopes),
    wallets: byId(yield* driver.wallets([...facts.wallets.keys()]))
  }
})

/** Parts that name something of the unit once more. */
const repetitions = ({ entity, event, inserted, key, scope, unit, updated }: FullUnit) => {
  const { attempts = [], ledger = [] } = unit
  const parts: Readonly<Record<string, Partial<Unit>>> = {
    "row inserted": { inserts: [inserted] },
    "row updated": { updates: [{ row: updated, expected: 1 }] },
    "row inserted and updated": { updates: [{ row: inserted, expected: 1 }] },
    key: { keys: [{ ...key, holder: newId() }] },
    "Idempotency-Key": {
      idempotency: { _tag: "Complete", scopes: [scope, scope], entity, snapshot: "{}" }
    },
    event: { events: [{ event, deliveries: [] }] },
    posting: { ledger },
    attempt: { attempts }
  }
  return Object.entries(parts)
}

export const atomicityLaws: ReadonlyArray<StorageLaw> = [
  {
    title: "a unit that names one thing twice is a defect, and nothing of it is written",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const full = yield* aFullUnit
      const before = yield* tracesOf(full.unit)
      for (const [what, parts] of repetitions(full)) {
        const exit = yield* Effect.exit(storage.commit(unitOf(full.unit, parts)))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), what)
        assertSame(yield* tracesOf(full.unit), before, what)
      }
      yield* storage.commit(full.unit)
    })
  },
  {
    title: "a unit is written whole: every part of it is there afterwards",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const full = yield* aFullUnit
      const before = yield* walletOf(full.wallet)
      yield* storage.commit(full.unit)
      const facts = yield* factsOf(full.unit)
      const traces = yield* tracesOf(full.unit)
      const [tx] = full.unit.ledger ?? []

      assertSame(
        traces.rows,
        byId([
          { ...full.inserted, version: 1 },
          { ...full.updated, version: 2 }
        ])
      )
      assertSame(traces.ledger, [tx])
      assertSame(traces.events, [full.event])
      assertSame(traces.idempotency, [
        { entity: full.entity, fingerprint: "digest", expiresAt: at(86_400), snapshot: null }
      ])
      assert.strictEqual(yield* storage.resolve({ _tag: "Key", ...full.key }), full.entity)
      assertSame(traces.wallets, [
        { ...before, available: 90n, lien: 5n, updatedAt: before.updatedAt }
      ])
      assert.strictEqual(facts.counters.get(full.counter), 3n)
      assert.deepStrictEqual([...facts.jobs.values()], [null])
      assertSame(traces.attempts, [full.unit.attempts])
      assertSame(
        traces.deliveries.map(({ attempts, endpoint, id, status }) => ({
          id,
          endpoint,
          status,
          attempts
        })),
        byId([
          ...full.deliveries.map((delivery) => ({ ...delivery, status: "queued", attempts: 0 })),
          { ...full.tried, status: "exhausted", attempts: 1 }
        ])
      )
    })
  },
  ...Object.entries(refusals).map(([sentence, breaking]): StorageLaw => ({
    title: `nothing of a unit is written when ${sentence}`,
    proof: Effect.gen(function* () {
      const full = yield* aFullUnit
      const { parts, refused } = yield* breaking(full.wallet)
      const unit = unitOf(full.unit, parts)
      const before = yield* tracesOf(full.unit, unit)
      const storage = yield* Storage
      assertSame(yield* Effect.flip(storage.commit(unit)), refused)
      assertSame(yield* tracesOf(full.unit, unit), before)
      // What was refused for one part alone goes in without it.
      yield* storage.commit(full.unit)
    })
  }))
]
