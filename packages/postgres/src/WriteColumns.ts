import type { MergedUnit, UniqueKey } from "@pagora/core"
import { LedgerTx } from "@pagora/core"
import type { PgTypes } from "@effect/sql-pg"
import { bucketCode } from "./Buckets.ts"
import {
  bools,
  instants,
  int,
  int2s,
  int4s,
  int8s,
  millis,
  text,
  texts,
  uuid,
  uuids
} from "./Parameters.ts"

type Encode = (values: ReadonlyArray<unknown>) => PgTypes.Parameter

/** One array parameter of `write`: its name, its type, and what of a thing goes into it. */
export interface Column<A> {
  readonly name: string
  readonly encode: Encode
  readonly value: (thing: A) => unknown
}

/** The columns of things of one kind; `thing` stands before the name of each. */
const columns = <A>(
  thing: string,
  told: ReadonlyArray<readonly [name: string, encode: Encode, value: (item: A) => unknown]>
): ReadonlyArray<Column<A>> =>
  told.map(([name, encode, value]) => ({ name: `${thing}_${name}`, encode, value }))

type Item<K extends keyof MergedUnit.MergedUnit> = Extract<
  MergedUnit.MergedUnit[K],
  ReadonlyArray<unknown>
>[number]

interface Line extends LedgerTx.Posting {
  readonly tx: string
  readonly seq: number
}

/**
 * What the function `write` of the schema takes, in its order: for each kind of thing one array a column, all of one length,
 * or none at all. Migrations make that function and are never changed; a test holds what they have made against this.
 */
export const writeColumns = {
  begins: columns<Item<"begins">>("begin", [
    ["wallet", uuids, (begin) => begin.scope.wallet],
    ["route", texts, (begin) => begin.scope.route],
    ["key", texts, (begin) => begin.scope.key],
    ["fingerprint", texts, (begin) => begin.fingerprint],
    ["entity", uuids, (begin) => begin.entity],
    ["expires", instants, (begin) => millis(begin.expiresAt)],
    ["at", instants, (begin) => millis(begin.at)],
    ["snapshot", texts, (begin) => begin.snapshot]
  ]),
  completes: columns<Item<"completes">>("complete", [
    ["wallet", uuids, (complete) => complete.scope.wallet],
    ["route", texts, (complete) => complete.scope.route],
    ["key", texts, (complete) => complete.scope.key],
    ["entity", uuids, (complete) => complete.entity],
    ["snapshot", texts, (complete) => complete.snapshot]
  ]),
  keys: columns<UniqueKey>("key", [
    ["space", texts, (key) => key.space],
    ["key", texts, (key) => key.key],
    ["holder", uuids, (key) => key.holder]
  ]),
  jobs: columns<Item<"jobs">>("job", [
    ["op", texts, (job) => job.op],
    ["queue", texts, (job) => job.queue],
    ["id", uuids, (job) => job.id],
    ["grp", uuids, (job) => job.group],
    ["token", uuids, (job) => job.token],
    ["due", instants, (job) => (job.due === null ? null : millis(job.due))]
  ]),
  updates: columns<Item<"updates">>("update", [
    ["tab", texts, ({ row }) => row.table],
    ["id", uuids, ({ row }) => row.id],
    ["expected", int4s, ({ expected }) => expected],
    ["unit", uuids, ({ unit }) => unit],
    ["kind", texts, ({ row }) => row.kind],
    ["account", uuids, ({ row }) => row.account],
    ["wallet", uuids, ({ row }) => row.wallet],
    ["status", texts, ({ row }) => row.status],
    ["amount", int8s, ({ row }) => row.amount],
    ["ref", texts, ({ row }) => row.ref],
    ["document", texts, ({ row }) => row.document]
  ]),
  inserts: columns<Item<"inserts">>("insert", [
    ["tab", texts, ({ row }) => row.table],
    ["id", uuids, ({ row }) => row.id],
    ["unit", uuids, ({ unit }) => unit],
    ["kind", texts, ({ row }) => row.kind],
    ["account", uuids, ({ row }) => row.account],
    ["wallet", uuids, ({ row }) => row.wallet],
    ["status", texts, ({ row }) => row.status],
    ["amount", int8s, ({ row }) => row.amount],
    ["ref", texts, ({ row }) => row.ref],
    ["document", texts, ({ row }) => row.document]
  ]),
  ledger: columns<LedgerTx.LedgerTx>("ledger", [
    ["id", uuids, (tx) => tx.id],
    ["kind", texts, (tx) => tx.kind],
    ["account", uuids, (tx) => tx.account],
    ["wallet", uuids, (tx) => tx.wallet],
    ["other", uuids, (tx) => LedgerTx.otherWalletOf(tx) ?? null],
    ["source", uuids, (tx) => tx.source],
    ["leg", int2s, (tx) => tx.leg],
    ["amount", int8s, (tx) => tx.amount],
    ["document", texts, (tx) => tx.document]
  ]),
  postings: columns<Line>("posting", [
    ["tx", uuids, (line) => line.tx],
    ["seq", int2s, (line) => line.seq],
    ["owner", uuids, (line) => line.account.owner],
    ["bucket", int2s, (line) => bucketCode(line.account.bucket)],
    ["amount", int8s, (line) => line.amount],
    ["spends", bools, (line) => line.spends]
  ]),
  events: columns<Item<"events">>("event", [
    ["id", uuids, (event) => event.id],
    ["account", uuids, (event) => event.account],
    ["wallet", uuids, (event) => event.wallet],
    ["key", texts, (event) => event.key],
    ["type", texts, (event) => event.type],
    ["body", texts, (event) => event.body],
    ["at", instants, (event) => millis(event.at)]
  ]),
  deliveries: columns<Item<"deliveries">>("delivery", [
    ["id", uuids, (delivery) => delivery.id],
    ["event", uuids, (delivery) => delivery.event.id],
    ["endpoint", uuids, (delivery) => delivery.endpoint],
    ["account", uuids, (delivery) => delivery.event.account]
  ]),
  attempts: columns<Item<"attempts">>("attempt", [
    ["delivery", uuids, (attempt) => attempt.delivery],
    ["number", int4s, (attempt) => attempt.number],
    ["at", instants, (attempt) => millis(attempt.at)],
    // What nearly every attempt comes to is left out.
    ["outcome", texts, ({ outcome }) => (outcome === "answered" ? null : outcome)],
    ["http_status", int2s, (attempt) => attempt.httpStatus],
    ["duration_millis", int4s, (attempt) => attempt.durationMillis],
    ["status", texts, (attempt) => attempt.status]
  ]),
  counters: columns<Item<"counters">>("counter", [
    ["key", texts, (counter) => counter.key],
    ["add", int8s, (counter) => counter.add],
    ["highest", int8s, (counter) => counter.highest]
  ]),
  opens: columns<Item<"opens">>("open", [
    ["wallet", uuids, (open) => open.wallet],
    ["at", instants, (open) => millis(open.at)]
  ]),
  wallets: columns<Item<"wallets">>("wallet", [
    ["id", uuids, (wallet) => wallet.id],
    ["at", instants, (wallet) => millis(wallet.at)],
    ["available", int8s, (wallet) => wallet.available],
    ["held", int8s, (wallet) => wallet.held],
    ["promotional", int8s, (wallet) => wallet.promotional],
    ["lien", int8s, (wallet) => wallet.lien],
    ["lowest_available", int8s, (wallet) => wallet.lowestAvailable],
    ["lowest_held", int8s, (wallet) => wallet.lowestHeld],
    ["lowest_promotional", int8s, (wallet) => wallet.lowestPromotional],
    ["lowest_lien", int8s, (wallet) => wallet.lowestLien],
    ["lowest_spendable", int8s, (wallet) => wallet.lowestSpendable]
  ]),
  empties: columns<string>("empty", [["wallet", uuids, (wallet) => wallet]]),
  expects: columns<Item<"expects">>("expect", [
    ["tab", texts, (expect) => expect.table],
    ["id", uuids, (expect) => expect.id],
    ["version", int4s, (expect) => expect.version]
  ])
} as const

/** What it takes once. */
export const writeSettings = { write_id: uuid, wait_millis: int, births: text } as const
