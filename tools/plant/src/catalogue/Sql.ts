import type { Plant } from "../Plant.ts"
import { inCore, inPostgres } from "../Plant.ts"

const write = "migrations/0002_write.ts"

/** What memory does not show: groups as one statement, and the rules of the write door as SQL. */
export const sql: ReadonlyArray<Plant> = [
  {
    name: "sql-key-begun-twice",
    what: "A key that is begun can be begun again in the database: two same-key requests at two processes pay twice.",
    storage: "pglite",
    edits: [
      inPostgres(
        write,
        "where i.expires_at <= excluded.created_at;",
        "where i.entity <> excluded.entity;"
      )
    ]
  },
  {
    name: "sql-version-not-compared",
    what: "An update in the database does not look at the version of its row: of two decisions the second undoes the first.",
    storage: "pglite",
    edits: [inPostgres(write, " and o.version = x.expected;", ";")]
  },
  {
    name: "sql-names-not-unique",
    what: "A name that is taken in the database is passed over: one payment is booked under two charges.",
    storage: "pglite",
    edits: [
      inPostgres(
        write,
        'select * from ${rows("key")};',
        'select * from ${rows("key")} on conflict do nothing;'
      )
    ]
  },
  {
    name: "sql-expects-not-compared",
    what: "What a decision rests on is not sent to the database: money is credited to what was closed meanwhile.",
    storage: "pglite",
    edits: [
      inPostgres(
        "Write.ts",
        "return contradicts ? undefined : merged.expects.filter((expect) => !written.has(expect.id))",
        "return contradicts ? undefined : []"
      )
    ]
  },
  {
    name: "sql-blocked-money-spent",
    what: "In the database what balance blocks claim may be spent, where a group was written as it was hoped.",
    storage: "pglite",
    edits: [inPostgres(write, "w.available - w.lien + x.lowest_spendable >= 0", "w.available >= 0")]
  },
  {
    name: "sql-void-not-kept",
    what: "That a write never comes in any more is told and not stored in the database: its late copy does come in.",
    storage: "pglite",
    edits: [
      inPostgres(
        "migrations/0024_settled_by_a_write.ts",
        `insert into pagora.written as w (id, void) values (write_id, true)
    on conflict (id) do update set void = w.void
    returning w.void into is_void;`,
        "is_void := not exists (select from pagora.written w where w.id = write_id);"
      )
    ]
  },
  {
    name: "group-passes-the-limit",
    what: "The operations of one group are each held against a limit as if they were alone: together they pass it.",
    storage: "pglite",
    edits: [
      inCore("units/MergedUnit.ts", "const highest = max - known.add", "const highest = max - add")
    ]
  }
]
