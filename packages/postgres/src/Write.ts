import type {
  FailedExpectation,
  Leaseless,
  LeaseToken,
  MergedUnit,
  StorageDriverShape,
  UniqueKey
} from "@pagora/core"
import { LedgerTx, StorageError } from "@pagora/core"
import type { PgTypes } from "@effect/sql-pg"
import type { DateTime } from "effect"
import { Duration, Effect } from "effect"
import { bucketCode } from "./Buckets.ts"
import type { ClockSource } from "./Claims.ts"
import { processClock } from "./Claims.ts"
import type { Database, Failure } from "./Database.ts"
import { defectOf, isConflict, isTransient } from "./Database.ts"
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
type Column<A> = readonly [name: string, encode: Encode, value: (thing: A) => unknown]

/** Things of one kind, as the columns that `write` takes of them. */
const things =
  <A>(columns: ReadonlyArray<Column<A>>) =>
  (call: Call, items: ReadonlyArray<A>): void => {
    if (items.length === 0) return
    for (const [name, encode, value] of columns) {
      call.names.push(name)
      call.values.push(encode(items.map(value)))
    }
  }

interface Call {
  readonly names: Array<string>
  readonly values: Array<PgTypes.Parameter>
}

type Item<K extends keyof MergedUnit.MergedUnit> = Extract<
  MergedUnit.MergedUnit[K],
  ReadonlyArray<unknown>
>[number]

const begins = things<Item<"begins">>([
  ["begin_wallet", uuids, (begin) => begin.scope.wallet],
  ["begin_route", texts, (begin) => begin.scope.route],
  ["begin_key", texts, (begin) => begin.scope.key],
  ["begin_fingerprint", texts, (begin) => begin.fingerprint],
  ["begin_entity", uuids, (begin) => begin.entity],
  ["begin_expires", instants, (begin) => millis(begin.expiresAt)],
  ["begin_at", instants, (begin) => millis(begin.at)],
  ["begin_snapshot", texts, (begin) => begin.snapshot]
])

const completes = things<Item<"completes">>([
  ["complete_wallet", uuids, (complete) => complete.scope.wallet],
  ["complete_route", texts, (complete) => complete.scope.route],
  ["complete_key", texts, (complete) => complete.scope.key],
  ["complete_entity", uuids, (complete) => complete.entity],
  ["complete_snapshot", texts, (complete) => complete.snapshot]
])

const keys = things<UniqueKey>([
  ["key_space", texts, (key) => key.space],
  ["key_key", texts, (key) => key.key],
  ["key_holder", uuids, (key) => key.holder]
])

const jobs = things<Item<"jobs">>([
  ["job_op", texts, (job) => job.op],
  ["job_queue", texts, (job) => job.queue],
  ["job_id", uuids, (job) => job.id],
  ["job_grp", uuids, (job) => job.group],
  ["job_token", uuids, (job) => job.token],
  ["job_due", instants, (job) => (job.due === null ? null : millis(job.due))]
])

const updates = things<Item<"updates">>([
  ["update_tab", texts, ({ row }) => row.table],
  ["update_id", uuids, ({ row }) => row.id],
  ["update_expected", int4s, ({ expected }) => expected],
  ["update_unit", uuids, ({ unit }) => unit],
  ["update_kind", texts, ({ row }) => row.kind],
  ["update_account", uuids, ({ row }) => row.account],
  ["update_wallet", uuids, ({ row }) => row.wallet],
  ["update_status", texts, ({ row }) => row.status],
  ["update_amount", int8s, ({ row }) => row.amount],
  ["update_ref", texts, ({ row }) => row.ref],
  ["update_document", texts, ({ row }) => row.document]
])

const inserts = things<Item<"inserts">>([
  ["insert_tab", texts, ({ row }) => row.table],
  ["insert_id", uuids, ({ row }) => row.id],
  ["insert_unit", uuids, ({ unit }) => unit],
  ["insert_kind", texts, ({ row }) => row.kind],
  ["insert_account", uuids, ({ row }) => row.account],
  ["insert_wallet", uuids, ({ row }) => row.wallet],
  ["insert_status", texts, ({ row }) => row.status],
  ["insert_amount", int8s, ({ row }) => row.amount],
  ["insert_ref", texts, ({ row }) => row.ref],
  ["insert_document", texts, ({ row }) => row.document]
])

const ledger = things<LedgerTx.LedgerTx>([
  ["ledger_id", uuids, (tx) => tx.id],
  ["ledger_kind", texts, (tx) => tx.kind],
  ["ledger_account", uuids, (tx) => tx.account],
  ["ledger_wallet", uuids, (tx) => tx.wallet],
  ["ledger_other", uuids, (tx) => LedgerTx.otherWalletOf(tx) ?? null],
  ["ledger_source", uuids, (tx) => tx.source],
  ["ledger_leg", int2s, (tx) => tx.leg],
  ["ledger_amount", int8s, (tx) => tx.amount],
  ["ledger_document", texts, (tx) => tx.document]
])

interface Line extends LedgerTx.Posting {
  readonly tx: string
  readonly seq: number
}

const postings = things<Line>([
  ["posting_tx", uuids, (line) => line.tx],
  ["posting_seq", int2s, (line) => line.seq],
  ["posting_owner", uuids, (line) => line.account.owner],
  ["posting_bucket", int2s, (line) => bucketCode(line.account.bucket)],
  ["posting_amount", int8s, (line) => line.amount],
  ["posting_spends", bools, (line) => line.spends]
])

const events = things<Item<"events">>([
  ["event_id", uuids, (event) => event.id],
  ["event_account", uuids, (event) => event.account],
  ["event_wallet", uuids, (event) => event.wallet],
  ["event_key", texts, (event) => event.key],
  ["event_type", texts, (event) => event.type],
  ["event_body", texts, (event) => event.body],
  ["event_at", instants, (event) => millis(event.at)]
])

const deliveries = things<Item<"deliveries">>([
  ["delivery_id", uuids, (delivery) => delivery.id],
  ["delivery_event", uuids, (delivery) => delivery.event.id],
  ["delivery_endpoint", uuids, (delivery) => delivery.endpoint],
  ["delivery_account", uuids, (delivery) => delivery.event.account]
])

const attempts = things<Item<"attempts">>([
  ["attempt_delivery", uuids, (attempt) => attempt.delivery],
  ["attempt_number", int4s, (attempt) => attempt.number],
  ["attempt_at", instants, (attempt) => millis(attempt.at)],
  // What nearly every attempt comes to is left out.
  ["attempt_outcome", texts, ({ outcome }) => (outcome === "answered" ? null : outcome)],
  ["attempt_http_status", int2s, (attempt) => attempt.httpStatus],
  ["attempt_duration_millis", int4s, (attempt) => attempt.durationMillis],
  ["attempt_status", texts, (attempt) => attempt.status]
])

const counters = things<Item<"counters">>([
  ["counter_key", texts, (counter) => counter.key],
  ["counter_add", int8s, (counter) => counter.add],
  ["counter_highest", int8s, (counter) => counter.highest]
])

const opens = things<Item<"opens">>([
  ["open_wallet", uuids, (open) => open.wallet],
  ["open_at", instants, (open) => millis(open.at)]
])

const wallets = things<Item<"wallets">>([
  ["wallet_id", uuids, (wallet) => wallet.id],
  ["wallet_at", instants, (wallet) => millis(wallet.at)],
  ["wallet_available", int8s, (wallet) => wallet.available],
  ["wallet_held", int8s, (wallet) => wallet.held],
  ["wallet_promotional", int8s, (wallet) => wallet.promotional],
  ["wallet_lien", int8s, (wallet) => wallet.lien],
  ["wallet_lowest_available", int8s, (wallet) => wallet.lowestAvailable],
  ["wallet_lowest_held", int8s, (wallet) => wallet.lowestHeld],
  ["wallet_lowest_promotional", int8s, (wallet) => wallet.lowestPromotional],
  ["wallet_lowest_lien", int8s, (wallet) => wallet.lowestLien],
  ["wallet_lowest_spendable", int8s, (wallet) => wallet.lowestSpendable]
])

const empties = things<string>([["empty_wallet", uuids, (wallet) => wallet]])

const expects = things<Item<"expects">>([
  ["expect_tab", texts, (expect) => expect.table],
  ["expect_id", uuids, (expect) => expect.id],
  ["expect_version", int4s, (expect) => expect.version]
])

/** Writes a merged unit with one statement, and answers which expectation failed. */
export const makeWrite =
  (database: Database, source: ClockSource): StorageDriverShape["write"] =>
  (merged) =>
    Effect.gen(function* () {
      const rests = restsOn(merged)
      if (rests === undefined) return { expectation: "expect" }
      const call = callOf(merged, rests)
      call.names.push("write_id")
      call.values.push(uuid(merged.id))
      // Else the lock_timeout of the session counts.
      if (merged.lockWait !== undefined) {
        call.names.push("wait_millis")
        call.values.push(int(Duration.toMillis(merged.lockWait)))
      }
      if (merged.jobs.some(({ lease }) => lease !== null)) {
        call.names.push("births")
        call.values.push(
          text(birthsOf(merged.jobs, source === "process" ? yield* processClock : undefined))
        )
      }
      return yield* database.run(textOf(call.names), call.values).pipe(
        Effect.map((rows) => answerIn(rows[0]?.["failed"])),
        Effect.catch(answerTo)
      )
    })

/** What is born leased, as the function takes it. Without a clock it goes by the server's. */
const birthsOf = (jobs: MergedUnit.MergedUnit["jobs"], clock: DateTime.Utc | undefined): string =>
  JSON.stringify(
    jobs.flatMap(({ lease }, index) => {
      if (lease === null) return []
      const { lease: duration, perGroup, token } = lease
      const millis = Duration.toMillis(duration)
      return [{ nth: index + 1, token, millis, most: perGroup, clock }]
    })
  )

const answerIn = (failed: unknown): FailedExpectation | Leaseless | null => {
  if (typeof failed !== "string") return null
  if (failed.startsWith("leaseless "))
    return { leaseless: JSON.parse(failed.slice(10)) as ReadonlyArray<LeaseToken> }
  if (!failed.startsWith("locked ")) return { expectation: failed }
  return { expectation: "locked", locked: JSON.parse(failed.slice(7)) as ReadonlyArray<string> }
}

/** What the function refuses to work under, and what to do about it (decision 0059). */
const wrongIsolation =
  "Nothing is written: Pagora writes at the isolation level read committed only, and its sessions have another one. Set default_transaction_isolation to 'read committed' for its role (alter role ... set ...), and look whether a pooler or an option of the URL sets it."

/** What the failure of a write comes to. In doubt it may be in. */
const answerTo = (failure: Failure): Effect.Effect<FailedExpectation, StorageError> => {
  switch (failure._tag) {
    case "NotSent":
      return new StorageError({ reason: "Unavailable", cause: failure.cause })
    case "Lost":
      return new StorageError({ reason: "OutcomeUnknown", cause: failure.cause })
    case "Refused":
      if (failure.code === "PAG02")
        return Effect.andThen(
          Effect.logError(wrongIsolation),
          new StorageError({ reason: "Unavailable", cause: new Error(wrongIsolation) })
        )
      // Not a row but a whole table is locked, so that it could not be looked for either.
      if (failure.code === "55P03") return Effect.succeed({ expectation: "locked", locked: [] })
      if (isConflict(failure.code)) return Effect.succeed({ expectation: "serialization" })
      return isTransient(failure.code)
        ? new StorageError({ reason: "Unavailable", cause: defectOf(failure) })
        : Effect.die(defectOf(failure))
  }
}

/** One text for each combination of things, which are few. Each is a prepared statement. */
const statements = new Map<string, string>()

const textOf = (names: ReadonlyArray<string>): string => {
  const shape = names.join()
  const known = statements.get(shape)
  if (known !== undefined) return known
  const text = `select pagora.write(${names.map((name, index) => `${name} => $${index + 1}`).join(", ")}) as failed`
  statements.set(shape, text)
  return text
}

/**
 * The expectations that the statement still has to check: those on rows that it updates are checked there.
 * Undefined when a unit contradicts itself; the statement, which looks at the end, would not notice.
 */
const restsOn = (merged: MergedUnit.MergedUnit): MergedUnit.MergedUnit["expects"] | undefined => {
  if (merged.empty.length > 0 && merged.opens.some((open) => merged.empty.includes(open.wallet)))
    return undefined
  if (merged.expects.length === 0) return merged.expects
  // What is inserted had no version before.
  const written = new Map<string, number>(merged.inserts.map(({ row }) => [row.id, Number.NaN]))
  for (const { expected, row } of merged.updates) written.set(row.id, expected)
  const contradicts = merged.expects.some(
    (expect) => (written.get(expect.id) ?? expect.version) !== expect.version
  )
  return contradicts ? undefined : merged.expects.filter((expect) => !written.has(expect.id))
}

const callOf = (merged: MergedUnit.MergedUnit, rests: MergedUnit.MergedUnit["expects"]): Call => {
  const call: Call = { names: [], values: [] }
  begins(call, merged.begins)
  completes(call, merged.completes)
  keys(call, merged.keys)
  jobs(call, merged.jobs)
  updates(call, merged.updates)
  inserts(call, merged.inserts)
  ledger(call, merged.ledger)
  postings(
    call,
    merged.ledger.flatMap((tx) =>
      tx.postings.map((posting, seq) => ({ ...posting, tx: tx.id, seq }))
    )
  )
  events(call, merged.events)
  deliveries(call, merged.deliveries)
  attempts(call, merged.attempts)
  counters(call, merged.counters)
  opens(call, merged.opens)
  wallets(call, merged.wallets)
  empties(call, merged.empty)
  expects(call, rests)
  return call
}
