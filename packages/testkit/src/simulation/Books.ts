import type { AuditSubject, LedgerTxId, StorageDriverShape, StoredRow, Uuid } from "@pagora/core"
import { completeAudit, instantOf } from "@pagora/core"
import { DateTime, Effect } from "effect"
import { present } from "../Present.ts"

/** One thing that happened to money, as it is stored. */
export interface StoredOperation {
  readonly row: StoredRow
  /** Its document, read. */
  readonly document: Readonly<Record<string, unknown>>
  readonly booked: AuditSubject["booked"]
  /** Whether it stands in the line of what a person has to decide. */
  readonly isInReview: boolean
}

/** A text of what is stored of it. */
export const textOf = ({ document }: StoredOperation, field: string): string | undefined => {
  const value = document[field]
  return typeof value === "string" ? value : undefined
}

/** When it came to be, as its id says. */
export const bornAt = ({ row }: StoredOperation): number =>
  DateTime.toEpochMillis(instantOf(row.id))

/** All that a deployment has stored of money. */
export interface Books {
  readonly operations: ReadonlyArray<StoredOperation>
  /** What the ledger says of each PSP: negative where the PSP has money of ours. */
  readonly clearing: ReadonlyMap<string, bigint>
  /** Withdrawals whose owner may not pay. */
  readonly parked: ReadonlySet<string>
  /** For what reasons a discrepancy of each reference at a PSP is on record. */
  readonly contradicted: ReadonlyMap<string, ReadonlySet<string>>
  /** What the service's own proof finds. */
  readonly audit: ReadonlyArray<string>
}

const pageMax = 500

/** Reads everything past the service. */
export const readBooks = (driver: StorageDriverShape): Effect.Effect<Books> =>
  Effect.gen(function* () {
    const { violations } = yield* completeAudit(driver)
    const operations = yield* allOperations(driver)
    const pending = operations.flatMap(({ row }) =>
      row.kind === "withdrawal" && unsent.includes(row.status) ? row.id : []
    )
    return {
      operations,
      parked: yield* parkedAmong(driver, pending),
      clearing: yield* allClearing(driver),
      contradicted: yield* allContradicted(driver),
      audit: violations.map(({ detail, rule, subject }) => `${rule} of ${subject}: ${detail}`)
    }
  }).pipe(Effect.orDie)

const allOperations = Effect.fnUntraced(function* ({ audit }: StorageDriverShape) {
  const all: Array<StoredOperation> = []
  for (let after: Uuid | undefined; ;) {
    const page = yield* audit.subjects(
      { limit: pageMax, ...present({ after }) },
      { queues: ["review"], statuses: reviewed }
    )
    for (const { booked, lines, row } of page) {
      const document = JSON.parse(row.document) as StoredOperation["document"]
      all.push({ row, document, booked, isInReview: lines.includes("review") })
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageMax) return all
    after = last.row.id
  }
})

const allContradicted = (driver: StorageDriverShape) =>
  Effect.map(
    driver.list({ table: "registry", kind: "discrepancy", order: "asc", limit: 10_000 }),
    (rows) => {
      const records = rows.map(
        ({ document }) =>
          JSON.parse(document) as { readonly subject: string; readonly reason: string }
      )
      const groups = Map.groupBy(records, ({ subject }) => subject.replaceAll("-", ""))
      return new Map(
        [...groups].map(([reference, about]) => [
          reference,
          new Set(about.map(({ reason }) => reason))
        ])
      )
    }
  )

/** States in which the bank may have nothing of a withdrawal. */
const unsent = ["pending", "processing"]

/** Withdrawals whose owner may not pay: what the bank has nothing of is not sent before he may. */
export const parkedAmong = (
  driver: StorageDriverShape,
  ids: ReadonlyArray<Uuid>
): Effect.Effect<ReadonlySet<string>> =>
  Effect.gen(function* () {
    if (ids.length === 0) return new Set<string>()
    const withdrawals = (yield* driver.rows("operation", ids)).filter(({ status }) =>
      unsent.includes(status)
    )
    const owners = withdrawals.flatMap(({ account, wallet }) => [account, wallet ?? account])
    const mayNot = (yield* driver.rows("registry", owners as ReadonlyArray<Uuid>))
      .filter(({ status }) => status !== "approved")
      .map(({ id }): string => id)
    return new Set<string>(
      withdrawals
        .filter(({ account, wallet }) => [account, wallet].some((id) => mayNot.includes(id ?? "")))
        .map(({ id }) => id)
    )
  }).pipe(Effect.orDie)

/** Withdrawals that wait for money at their bank, though a person sees them. */
export const shortAmong = (
  driver: StorageDriverShape,
  ids: ReadonlyArray<Uuid>
): Effect.Effect<ReadonlySet<string>> =>
  Effect.map(ids.length === 0 ? Effect.succeed([]) : driver.rows("operation", ids), (rows) => {
    const short = rows.filter(({ document, kind, status }) =>
      isShort({
        document: JSON.parse(document) as StoredOperation["document"],
        row: { kind, status }
      })
    )
    return new Set<string>(short.map(({ id }) => id))
  }).pipe(Effect.orDie)

export const isShort = ({
  document,
  row
}: Pick<StoredOperation, "document"> & {
  readonly row: Pick<StoredOperation["row"], "kind" | "status">
}): boolean =>
  row.kind === "withdrawal" && unsent.includes(row.status) && document["shortSince"] !== undefined

/** States in which something may wait for a person. */
const reviewed = ["manual_review", "requested", "processing"]

const allClearing = Effect.fnUntraced(function* ({ audit }: StorageDriverShape) {
  const clearing = new Map<string, bigint>()
  for (let after: LedgerTxId | undefined; ;) {
    const { isEnd, last, sums } = yield* audit.stretch({
      limit: pageMax,
      ...present({ after })
    })
    for (const { amount, bucket, owner } of sums)
      if (bucket === "psp_clearing") clearing.set(owner, (clearing.get(owner) ?? 0n) + amount)
    if (isEnd || last === undefined) return clearing
    after = last
  }
})
