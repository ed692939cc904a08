import { PgTypes } from "@effect/sql-pg"
import type { PgClient } from "@effect/sql-pg"
import type { Unit } from "@pagora/core"
import { DateTime, Effect } from "effect"

const bucketCodes = {
  available: 0,
  held: 1,
  promotional: 2,
  psp_clearing: 100,
  fee_revenue: 101,
  suspense: 102,
  equity: 103
}

const instant = (at: DateTime.Utc) => PgTypes.timestamptz(DateTime.toEpochMillis(at))

type Run = (
  text: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, unknown>

/** Writes a unit as an interactive transaction of ordinary statements: the rows it rests on locked first. */
export const makeInteractive = (sql: PgClient.PgClient) => {
  const run: Run = (text, parameters) => sql.unsafe(text, parameters)
  return (unit: Unit) => Effect.asVoid(sql.withTransaction(write(run, unit)))
}

const write = Effect.fnUntraced(function* (run: Run, unit: Unit) {
  const update = unit.updates?.[0]
  if (update !== undefined) yield* lock(run, unit, update)
  yield* insertRows(run, unit)
  if (update !== undefined) {
    yield* updateRow(run, unit, update)
    yield* writeLedger(run, unit, update.row.wallet as string)
  }
  yield* insertEvents(run, unit)
  yield* changeJobs(run, unit)
})

type Update = NonNullable<Unit["updates"]>[number]

/** What the decision rests on, so that nobody changes it meanwhile. */
const lock = Effect.fnUntraced(function* (run: Run, unit: Unit, update: Update) {
  if ((unit.ledger ?? []).length === 0) return
  const [charge] = yield* run(
    "select version, status from pagora.operation where id = $1 for update",
    [PgTypes.uuid(update.row.id)]
  )
  if (charge?.["version"] !== update.expected) return yield* Effect.die("stale")
  yield* run("select version from pagora.registry where id = $1 for share", [
    PgTypes.uuid(update.row.account)
  ])
  yield* run("select available, promotional from pagora.wallet where id = $1 for update", [
    PgTypes.uuid(update.row.wallet as string)
  ])
})

const insertRows = Effect.fnUntraced(function* (run: Run, unit: Unit) {
  for (const { space, key, holder } of unit.keys ?? []) {
    yield* run("insert into pagora.unique_key (space, key, holder) values ($1, $2, $3)", [
      space,
      key,
      PgTypes.uuid(holder)
    ])
  }
  for (const row of unit.inserts ?? []) {
    yield* run(
      "insert into pagora.operation (id, unit, kind, account, wallet, status, amount, ref, document, version) values ($1,$2,$3,$4,$5,$6,$7,$8,$9,1)",
      [
        PgTypes.uuid(row.id),
        PgTypes.uuid(unit.id),
        row.kind,
        PgTypes.uuid(row.account),
        PgTypes.uuid(row.wallet as string),
        row.status,
        row.amount,
        row.ref,
        row.document
      ]
    )
  }
})

const updateRow = Effect.fnUntraced(function* (run: Run, unit: Unit, update: Update) {
  const { row, expected } = update
  const rows = yield* run(
    "update pagora.operation set version = version + 1, unit = $2, status = $3, document = $4 where id = $1 and version = $5 returning 1 as one",
    [PgTypes.uuid(row.id), PgTypes.uuid(unit.id), row.status, row.document, PgTypes.int4(expected)]
  )
  if (rows.length !== 1) return yield* Effect.die("stale")
})

const insertEvents = Effect.fnUntraced(function* (run: Run, unit: Unit) {
  for (const { event, deliveries } of unit.events ?? []) {
    yield* run(
      "insert into pagora.event (id, account, wallet, key, type, body, at) values ($1,$2,$3,$4,$5,$6,$7)",
      [
        PgTypes.uuid(event.id),
        PgTypes.uuid(event.account),
        PgTypes.uuid(event.wallet),
        event.key,
        event.type,
        event.body,
        instant(event.at)
      ]
    )
    for (const delivery of deliveries) {
      yield* run(
        "insert into pagora.delivery (id, event, endpoint, account) values ($1,$2,$3,$4)",
        [
          PgTypes.uuid(delivery.id),
          PgTypes.uuid(event.id),
          PgTypes.uuid(delivery.endpoint),
          PgTypes.uuid(event.account)
        ]
      )
    }
  }
})

const changeJobs = Effect.fnUntraced(function* (run: Run, unit: Unit) {
  for (const job of unit.jobs ?? []) {
    switch (job._tag) {
      case "Schedule":
        yield* run(
          `insert into pagora.job (queue, id, grp, due) values ($1,$2,$3,$4)
           on conflict (queue, id) do update set grp = excluded.grp, due = excluded.due, token = null, leased_until = null`,
          [job.queue, PgTypes.uuid(job.id), PgTypes.uuid(job.group), instant(job.due)]
        )
        break
      case "Finish":
        yield* run("delete from pagora.job where queue = $1 and id = $2 and token = $3", [
          job.queue,
          PgTypes.uuid(job.id),
          PgTypes.uuid(job.token)
        ])
        break
      case "Cancel":
        yield* run("delete from pagora.job where queue = $1 and id = $2", [
          job.queue,
          PgTypes.uuid(job.id)
        ])
        break
      default:
        throw new Error("not here")
    }
  }
})

const values = (rows: number, columns: number): string =>
  Array.from(
    { length: rows },
    (_, row) =>
      `(${Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`).join(",")})`
  ).join(",")

const writeLedger = Effect.fnUntraced(function* (run: Run, unit: Unit, wallet: string) {
  const txs = unit.ledger ?? []
  if (txs.length > 0) {
    yield* run(
      `insert into pagora.ledger_tx (id, kind, account, wallet, source, leg, amount, document) values ${values(txs.length, 8)}`,
      txs.flatMap((tx) => [
        PgTypes.uuid(tx.id),
        tx.kind,
        PgTypes.uuid(tx.account),
        PgTypes.uuid(tx.wallet),
        PgTypes.uuid(tx.source),
        PgTypes.int2(tx.leg),
        tx.amount,
        tx.document
      ])
    )
    const lines = txs.flatMap((tx) => tx.postings.map((posting, seq) => ({ tx, posting, seq })))
    yield* run(
      `insert into pagora.posting (tx, seq, owner, bucket, amount, spends) values ${values(lines.length, 6)}`,
      lines.flatMap(({ tx, posting, seq }) => [
        PgTypes.uuid(tx.id),
        PgTypes.int2(seq),
        PgTypes.uuid(posting.account.owner),
        PgTypes.int2(bucketCodes[posting.account.bucket]),
        posting.amount,
        posting.spends
      ])
    )
    const delta = lines
      .filter(({ posting }) => posting.account.bucket === "available")
      .reduce((sum, { posting }) => sum + posting.amount, 0n)
    yield* run(
      "update pagora.wallet set available = available + $2, updated_at = $3 where id = $1 and available + $2 >= 0",
      [PgTypes.uuid(wallet), delta, instant(unit.at)]
    )
  }
})
