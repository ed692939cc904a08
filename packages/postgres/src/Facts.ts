import type { JobRef, LeaseToken, StorageError, Uuid, WalletId } from "@pagora/core"
import { Facts } from "@pagora/core"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { int2s, int4s, texts, uuids } from "./Parameters.ts"

/** What `facts` of the database answers: for each kind of thing those that exist, or null for none. */
interface Answered {
  readonly rows: ReadonlyArray<[id: Uuid, version: number]> | null
  readonly keys: ReadonlyArray<[space: string, key: string]> | null
  readonly idempotency: ReadonlyArray<
    [
      wallet: WalletId,
      route: string,
      key: string,
      entity: Uuid,
      expiresAtMillis: number,
      isAnswered: boolean
    ]
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
  int4s(keys.attempts.map((attempt) => attempt.number)),
  texts(keys.counters),
  uuids(keys.wallets)
]

const read = (answered: Answered): Facts.Facts => {
  const facts = Facts.emptyFacts()
  for (const [id, version] of answered.rows ?? []) facts.rows.set(id, version)
  for (const [space, key] of answered.keys ?? []) facts.keys.add(Facts.uniqueName({ space, key }))
  for (const [wallet, route, key, ...fact] of answered.idempotency ?? []) {
    const [entity, expiresAtMillis, isAnswered] = fact
    const name = Facts.scopeName({ wallet, route, key })
    facts.idempotency.set(name, { entity, expiresAtMillis, isAnswered })
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
