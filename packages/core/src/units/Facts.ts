import { DateTime } from "effect"
import type { LeaseToken, Uuid, WalletId } from "../kernel/Ids.ts"
import type { IdempotencyScope, JobRef, Unit, Version } from "./Unit.ts"

/** What of the stored state a group of units asks about. */
export interface FactKeys {
  readonly rows: ReadonlyArray<{ readonly table: "operation" | "registry"; readonly id: Uuid }>
  readonly keys: ReadonlyArray<{ readonly space: string; readonly key: string }>
  readonly idempotency: ReadonlyArray<IdempotencyScope>
  readonly jobs: ReadonlyArray<JobRef>
  readonly events: ReadonlyArray<{ readonly account: Uuid; readonly key: string }>
  readonly ledger: ReadonlyArray<{
    readonly kind: string
    readonly source: Uuid
    readonly leg: number
  }>
  readonly attempts: ReadonlyArray<{ readonly delivery: Uuid; readonly number: number }>
  readonly counters: ReadonlyArray<string>
  readonly wallets: ReadonlyArray<WalletId>
}

export interface WalletFact {
  readonly available: bigint
  readonly held: bigint
  readonly promotional: bigint
  readonly lien: bigint
}

export interface IdempotencyFact {
  readonly entity: Uuid
  readonly expiresAtMillis: number
  /** Whether a repeat is answered by it already. */
  readonly isAnswered: boolean
}

/**
 * The answers, as they stood at one instant. What does not exist has no entry. Keys of the maps are made by
 * the functions below, so that every storage names things alike.
 */
export interface Facts {
  readonly rows: Map<Uuid, Version>
  readonly keys: Set<string>
  readonly idempotency: Map<string, IdempotencyFact>
  /** The token that holds the job's lease, or null when nobody does. */
  readonly jobs: Map<string, LeaseToken | null>
  readonly events: Set<string>
  readonly ledger: Set<string>
  readonly attempts: Set<string>
  readonly counters: Map<string, bigint>
  readonly wallets: Map<WalletId, WalletFact>
}

export const emptyFacts = (): Facts => ({
  rows: new Map(),
  keys: new Set(),
  idempotency: new Map(),
  jobs: new Map(),
  events: new Set(),
  ledger: new Set(),
  attempts: new Set(),
  counters: new Map(),
  wallets: new Map()
})

// A NUL cannot occur in any part (text with one is refused at the door), so no two names run together.
export const uniqueName = (of: { readonly space: string; readonly key: string }): string =>
  `${of.space}\0${of.key}`
export const scopeName = (scope: IdempotencyScope): string =>
  `${scope.wallet}\0${scope.route}\0${scope.key}`
export const jobName = (job: JobRef): string => `${job.queue}\0${job.id}`
export const eventName = (of: { readonly account: Uuid; readonly key: string }): string =>
  `${of.account}\0${of.key}`
export const ledgerName = (of: {
  readonly kind: string
  readonly source: Uuid
  readonly leg: number
}): string => `${of.source}\0${of.kind}\0${of.leg}`
export const attemptName = (of: { readonly delivery: Uuid; readonly number: number }): string =>
  `${of.delivery}\0${of.number}`

const byName = <A>(values: Iterable<A>, name: (value: A) => string): ReadonlyArray<A> => {
  const seen = new Map<string, A>()
  for (const value of values) seen.set(name(value), value)
  return [...seen.values()]
}

/** Everything that deciding these units may ask about, each thing once. */
export const factKeys = (units: ReadonlyArray<Unit>): FactKeys => ({
  rows: byName(
    units.flatMap((unit) => [
      ...(unit.inserts ?? []),
      ...(unit.updates ?? []).map((update) => update.row),
      ...(unit.expects ?? [])
    ]),
    (row) => row.id
  ),
  keys: byName(
    units.flatMap((unit) => unit.keys ?? []),
    uniqueName
  ),
  idempotency: byName(units.flatMap(scopesOf), scopeName),
  jobs: byName(
    units.flatMap((unit) => unit.jobs ?? []),
    jobName
  ),
  events: byName(
    units.flatMap((unit) => (unit.events ?? []).map((entry) => entry.event)),
    eventName
  ),
  ledger: byName(
    units.flatMap((unit) => unit.ledger ?? []),
    ledgerName
  ),
  attempts: byName(
    units.flatMap((unit) => unit.attempts ?? []),
    attemptName
  ),
  counters: [
    ...new Set(units.flatMap((unit) => (unit.counters ?? []).map((counter) => counter.key)))
  ],
  wallets: [...new Set(units.flatMap(walletsOf))]
})

/** Every Idempotency-Key that the unit begins or completes. */
export const scopesOf = ({ idempotency }: Unit): ReadonlyArray<IdempotencyScope> => {
  if (idempotency === undefined) return []
  return idempotency._tag === "Begin" ? [idempotency.scope] : idempotency.scopes
}

/** Every wallet that the unit moves, opens, liens or wants empty. */
export const walletsOf = (unit: Unit): ReadonlyArray<WalletId> => [
  ...(unit.opens ?? []),
  ...(unit.empty ?? []),
  ...(unit.liens ?? []).map((lien) => lien.wallet),
  ...(unit.ledger ?? []).flatMap((tx) =>
    tx.postings
      .filter((posting) => walletBucketNames.has(posting.account.bucket))
      .map((posting) => posting.account.owner as WalletId)
  )
]

const walletBucketNames = new Set<string>(["available", "held", "promotional"])

/** Whether an idempotency record still stands at an instant: its end is not part of its time. */
export const stands = (fact: IdempotencyFact, at: DateTime.Utc): boolean =>
  fact.expiresAtMillis > DateTime.toEpochMillis(at)
