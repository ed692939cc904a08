import type { JobRef, LeaseToken, MergedUnit, StorageError, Uuid, WalletId } from "@pagora/core"
import { Facts } from "@pagora/core"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { int2s, texts, uuids } from "./Parameters.ts"

/** What `facts` of the database answers: for each kind of thing those that exist, or null for none. */
interface Answered {
  readonly rows: ReadonlyArray<[id: Uuid, version: number]> | null
  readonly keys: ReadonlyArray<[space: string, key: string]> | null
  readonly idempotency: ReadonlyArray<
    [wallet: WalletId, route: string, key: string, entity: Uuid, expiresAtMillis: number]
  > | null
  readonly jobs: ReadonlyArray<[queue: JobRef["queue"], id: Uuid, token: LeaseToken | null]> | null
  readonly events: ReadonlyArray<[account: Uuid, key: string]> | null
  readonly ledger: ReadonlyArray<[kind: string, source: Uuid, leg: number]> | null
  readonly attempts: ReadonlyArray<[delivery: Uuid, number: number]> | null
  readonly counters: ReadonlyArray<[key: string, value: string]> | null
  readonly wallets: ReadonlyArray<
    [id: WalletId, available: string, held: string, promotional: string, lien: string]
  > | null
}

const statement = `select pagora.facts(${Array.from({ length: 18 }, (_, index) => `$${index + 1}`).join(", ")}) as facts`

/** Asks for everything that a group's decision rests on, in one statement and so in one snapshot. */
export const makeFacts =
  (database: Database) =>
  (keys: Facts.FactKeys): Effect.Effect<Facts.Facts, StorageError> =>
    Effect.map(database.read(statement, parameters(keys)), (rows) =>
      read(rows[0]?.["facts"] as Answered)
    )

const parameters = (keys: Facts.FactKeys): ReadonlyArray<unknown> => [
  uuids(keys.rows.filter((row) => row.table === "operation").map((row) => row.id)),
  uuids(keys.rows.filter((row) => row.table === "registry").map((row) => row.id)),
  texts(keys.keys.map((key) => key.space)),
  texts(keys.keys.map((key) => key.key)),
  uuids(keys.idempotency.map((scope) => scope.wallet)),
  texts(keys.idempotency.map((scope) => scope.route)),
  texts(keys.idempotency.map((scope) => scope.key)),
  texts(keys.jobs.map((job) => job.queue)),
  uuids(keys.jobs.map((job) => job.id)),
  uuids(keys.events.map((event) => event.account)),
  texts(keys.events.map((event) => event.key)),
  texts(keys.ledger.map((tx) => tx.kind)),
  uuids(keys.ledger.map((tx) => tx.source)),
  int2s(keys.ledger.map((tx) => tx.leg)),
  uuids(keys.attempts.map((attempt) => attempt.delivery)),
  int2s(keys.attempts.map((attempt) => attempt.number)),
  texts(keys.counters),
  uuids(keys.wallets)
]

const read = (answered: Answered): Facts.Facts => {
  const facts = Facts.emptyFacts()
  for (const [id, version] of answered.rows ?? []) facts.rows.set(id, version)
  for (const [space, key] of answered.keys ?? []) facts.keys.add(Facts.uniqueName({ space, key }))
  for (const [wallet, route, key, entity, expiresAtMillis] of answered.idempotency ?? []) {
    facts.idempotency.set(Facts.scopeName({ wallet, route, key }), { entity, expiresAtMillis })
  }
  for (const [queue, id, token] of answered.jobs ?? [])
    facts.jobs.set(Facts.jobName({ queue, id }), token)
  for (const [account, key] of answered.events ?? [])
    facts.events.add(Facts.eventName({ account, key }))
  for (const [kind, source, leg] of answered.ledger ?? [])
    facts.ledger.add(Facts.ledgerName({ kind, source, leg }))
  for (const [delivery, number] of answered.attempts ?? [])
    facts.attempts.add(Facts.attemptName({ delivery, number }))
  for (const [key, value] of answered.counters ?? []) facts.counters.set(key, BigInt(value))
  for (const [id, available, held, promotional, lien] of answered.wallets ?? []) {
    facts.wallets.set(id, {
      available: BigInt(available),
      held: BigInt(held),
      promotional: BigInt(promotional),
      lien: BigInt(lien)
    })
  }
  return facts
}

const witnessStatement = `select case x.tag
    when 'LedgerTx' then exists (select 1 from pagora.ledger_tx l where l.id = x.id)
    when 'Event' then exists (select 1 from pagora.event e where e.id = x.id)
    when 'Attempt' then exists (select 1 from pagora.attempt a where a.delivery = x.id and a.number = x.number)
    when 'operation' then exists (select 1 from pagora.operation o where o.id = x.id and o.unit = x.unit)
    when 'registry' then exists (select 1 from pagora.registry o where o.id = x.id and o.unit = x.unit)
  end as there
  from unnest($1::text[], $2::uuid[], $3::uuid[], $4::int2[]) with ordinality as x (tag, id, unit, number, n) order by x.n`

/** Asks which units are in, by what each of them alone can have written. */
export const makeWitnesses =
  (database: Database) =>
  (
    witnesses: ReadonlyArray<MergedUnit.Witness>
  ): Effect.Effect<ReadonlyArray<boolean>, StorageError> =>
    witnesses.length === 0
      ? Effect.succeed([])
      : Effect.map(
          database.read(witnessStatement, [
            texts(
              witnesses.map((witness) => (witness._tag === "Row" ? witness.table : witness._tag))
            ),
            uuids(
              witnesses.map((witness) =>
                witness._tag === "Attempt" ? witness.delivery : witness.id
              )
            ),
            uuids(witnesses.map((witness) => (witness._tag === "Row" ? witness.unit : null))),
            int2s(witnesses.map((witness) => (witness._tag === "Attempt" ? witness.number : null)))
          ]),
          (rows) => rows.map((row) => row["there"] === true)
        )
