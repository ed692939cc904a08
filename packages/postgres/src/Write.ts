import type {
  FailedExpectation,
  Leaseless,
  LeaseToken,
  MergedUnit,
  StorageDriverShape
} from "@pagora/core"
import { StorageError } from "@pagora/core"
import type { PgTypes } from "@effect/sql-pg"
import type { DateTime } from "effect"
import { Duration, Effect } from "effect"
import type { ClockSource } from "./Claims.ts"
import { processClock } from "./Claims.ts"
import type { Database, Failure } from "./Database.ts"
import { defectOf, isConflict, isTransient } from "./Database.ts"
import type { Column } from "./WriteColumns.ts"
import { writeColumns, writeSettings } from "./WriteColumns.ts"

interface Call {
  readonly names: Array<string>
  readonly values: Array<PgTypes.Parameter>
}

const put = <A>(call: Call, columns: ReadonlyArray<Column<A>>, items: ReadonlyArray<A>): void => {
  if (items.length === 0) return
  for (const { encode, name, value } of columns) {
    call.names.push(name)
    call.values.push(encode(items.map(value)))
  }
}

/** Writes a merged unit with one statement, and answers which expectation failed. */
export const makeWrite =
  (database: Database, source: ClockSource): StorageDriverShape["write"] =>
  (merged) =>
    Effect.gen(function* () {
      const rests = restsOn(merged)
      if (rests === undefined) return { expectation: "expect" }
      const call = callOf(merged, rests)
      call.names.push("write_id")
      call.values.push(writeSettings.write_id(merged.id))
      // Else the lock_timeout of the session counts.
      if (merged.lockWait !== undefined) {
        call.names.push("wait_millis")
        call.values.push(writeSettings.wait_millis(Duration.toMillis(merged.lockWait)))
      }
      if (merged.jobs.some(({ lease }) => lease !== null)) {
        call.names.push("births")
        call.values.push(
          writeSettings.births(
            birthsOf(merged.jobs, source === "process" ? yield* processClock : undefined)
          )
        )
      }
      const { epoch } = merged
      return yield* database.run(textOf(call.names), call.values, { epoch }).pipe(
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
  put(call, writeColumns.begins, merged.begins)
  put(call, writeColumns.completes, merged.completes)
  put(call, writeColumns.keys, merged.keys)
  put(call, writeColumns.jobs, merged.jobs)
  put(call, writeColumns.updates, merged.updates)
  put(call, writeColumns.inserts, merged.inserts)
  put(call, writeColumns.ledger, merged.ledger)
  put(
    call,
    writeColumns.postings,
    merged.ledger.flatMap((tx) =>
      tx.postings.map((posting, seq) => ({ ...posting, tx: tx.id, seq }))
    )
  )
  put(call, writeColumns.events, merged.events)
  put(call, writeColumns.deliveries, merged.deliveries)
  put(call, writeColumns.attempts, merged.attempts)
  put(call, writeColumns.counters, merged.counters)
  put(call, writeColumns.opens, merged.opens)
  put(call, writeColumns.wallets, merged.wallets)
  put(call, writeColumns.empties, merged.empty)
  put(call, writeColumns.expects, rests)
  return call
}
