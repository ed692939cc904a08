import { Client } from "pg"
import { makePatterns } from "./Patterns.ts"

/** How the columns of a table are copied; those that are not named stay as they are (decision 0090). */
interface Copied {
  readonly table: string
  readonly ids: ReadonlyArray<string>
  readonly texts?: ReadonlyArray<string>
  readonly times?: ReadonlyArray<string>
  /** Columns that say something else of what is long over. */
  readonly over?: Readonly<Record<string, string>>
  /** Which rows of the original have copies: those of which this id is copied. */
  readonly by: string
  /** Only in one copy of so many. */
  readonly every?: number
}

/** Of 365 days, a late look is still to come for seven. */
const everyLateLook = 50

const copied: ReadonlyArray<Copied> = [
  { table: "operation", by: "id", ids: ["id"], texts: ["ref", "document"] },
  { table: "ledger_tx", by: "id", ids: ["id", "source"], texts: ["document"] },
  { table: "posting", by: "tx", ids: ["tx"] },
  { table: "event", by: "id", ids: ["id"], texts: ["key", "body"], times: ["at"] },
  { table: "delivery", by: "id", ids: ["id", "event"] },
  { table: "attempt", by: "delivery", ids: ["delivery"], times: ["at"] },
  { table: "unique_key", by: "holder", ids: ["holder"], texts: ["key"] },
  {
    table: "idempotency",
    by: "entity",
    ids: ["entity"],
    texts: ["key"],
    times: ["created_at"],
    over: { snapshot: "null", expires_at: "'epoch'" }
  },
  {
    table: "job",
    by: "id",
    ids: ["id"],
    over: { due: "now() + interval '1 year'", token: "null", leased_until: "null" },
    every: everyLateLook
  }
]

/** Where a new id gets its time, its order among those of its copy, and its copy from. */
const functions = [
  `create function growth.id(n int, k bigint, millis bigint) returns uuid language sql immutable as $$
    select (lpad(to_hex(millis + n / 8), 12, '0') || '7' || lpad(to_hex(n % 8), 3, '0') || '8000'
      || lpad(to_hex(k), 12, '0'))::uuid $$`,
  `create function growth.text(format text, kinds text[], numbers int[], originals text[], k bigint, millis bigint)
    returns text language sql immutable as $$
    select format(format, variadic array(
      select case p.kind
        when 'id' then growth.id(p.n, k, millis)::text
        when 'txid' then replace(growth.id(p.n, k, millis)::text, '-', '')
        when 'e2e' then left(p.original, 21) || lpad(to_hex(k * 65536 + p.n), 11, '0')
        else p.original || '-' || k end
      from unnest(kinds, numbers, originals) with ordinality as p (kind, n, original, place) order by p.place
    )) $$`
]

const days = 86_400_000
const columnsOf = `select column_name as name from information_schema.columns
  where table_schema = 'pagora' and table_name = $1 order by ordinal_position`

/** Puts the original aside, every text of it with its places, so that copies are made by the server alone. */
const keepOriginal = async (sql: Client): Promise<void> => {
  await sql.query("create schema growth")
  for (const statement of functions) await sql.query(statement)
  const found = await sql.query<{ id: string }>(
    `select id from (select id from pagora.operation union select id from pagora.ledger_tx union
       select source from pagora.ledger_tx union select id from pagora.event union select id from pagora.delivery) as i order by id`
  )
  const ids = new Map(found.rows.map(({ id }, number) => [id, number]))
  const patternOf = makePatterns(ids)
  for (const { by, ids: columns, table, texts = [] } of copied) {
    await sql.query(
      `create table growth.${table} as select o.*${columns.map((name) => `, 0 as ${name}_n`).join("")}${texts
        .map(
          (name) =>
            `, '{}'::text[] as ${name}_k, '{}'::int[] as ${name}_n, '{}'::text[] as ${name}_o`
        )
        .join("")} from pagora.${table} o with no data`
    )
    const { rows } = await sql.query<Record<string, unknown>>(
      `select * from pagora.${table} order by ${by}`
    )
    const kept = rows
      .filter((row) => ids.has(String(row[by])))
      .map((row) => {
        const whole: Record<string, unknown> = { ...row }
        for (const name of columns) whole[`${name}_n`] = ids.get(String(row[name]))
        for (const name of texts) {
          if (row[name] === null) continue
          const { format, kinds, numbers, originals } = patternOf(String(row[name]))
          Object.assign(whole, {
            [name]: format,
            [`${name}_k`]: kinds,
            [`${name}_n`]: numbers,
            [`${name}_o`]: originals
          })
        }
        return whole
      })
    await sql.query(
      `insert into growth.${table} select * from json_populate_recordset(null::growth.${table}, $1)`,
      [JSON.stringify(kept)]
    )
    await sql.query(`analyze growth.${table}`)
  }
}

/** One statement a table that makes the copy $1, of the instant $2 in milliseconds, $3 before the original. */
const copyingOf = async (sql: Client) => {
  const statements: Array<{ readonly text: string; readonly every: number }> = []
  for (const { by, every = 1, ids, over = {}, table, texts = [], times = [] } of copied) {
    const { rows } = await sql.query<{ name: string }>(columnsOf, [table])
    const values = rows.map(({ name }) => {
      if (over[name] !== undefined) return over[name]
      if (ids.includes(name)) return `growth.id(o.${name}_n, $1::bigint, $2::bigint)`
      if (texts.includes(name))
        return `case when o.${name} is not null then
          growth.text(o.${name}, o.${name}_k, o.${name}_n, o.${name}_o, $1::bigint, $2::bigint) end`
      return times.includes(name)
        ? `o.${name} - $3::bigint * interval '1 millisecond'`
        : `o.${name}`
    })
    const names = rows.map(({ name }) => name).join(", ")
    statements.push({
      every,
      text: `insert into pagora.${table} (${names}) select ${values.join(", ")} from growth.${table} o
        where $1::bigint is not null and $2::bigint is not null and $3::bigint is not null order by o.${by}`
    })
  }
  return statements
}

/** What each wallet had after the original, it gets once more with each copy. */
const walletsAfter = `update pagora.wallet w set available = w.available + o.available * $1,
  held = w.held + o.held * $1, promotional = w.promotional + o.promotional * $1, lien = w.lien + o.lien * $1
  from growth.wallet o where w.id = o.id`

/** How a database is filled, by copies of its first day from now on into the past of a year. */
export const makeFiller = async (url: string, operations: number, signal: AbortSignal) => {
  const sql = new Client(url)
  await sql.connect()
  await keepOriginal(sql)
  await sql.query("create table growth.wallet as select * from pagora.wallet")
  const { rows } = await sql.query<{ count: number }>(
    "select count(*)::int as count from growth.operation"
  )
  const original = rows[0]?.count ?? 0
  const copies = Math.max(1, Math.ceil((operations - original) / original))
  const now = Date.now()
  // The last copy is older than anything that the original made.
  const step = (364 * days) / copies
  const millisOf = (copy: number): number => Math.floor(now - 365 * days + copy * step)
  const statements = await copyingOf(sql)
  let made = 0

  const fillWith = async (client: Client, upTo: number): Promise<void> => {
    // What is lost in a crash is made anew, with the whole database.
    await client.query("set synchronous_commit = off")
    while (made < upTo) {
      signal.throwIfAborted()
      const copy = ++made
      const parameters = [copy, millisOf(copy), now - millisOf(copy)]
      await client.query("begin")
      for (const [place, { every, text }] of statements.entries()) {
        if (copy % every === 0)
          await client.query({ name: `copy-${place}`, text, values: parameters })
      }
      await client.query("commit")
    }
  }
  return {
    original,
    millisOf,
    /** How many copies there are. */
    made: () => made,
    /** Fills up to so many operations, as near as whole copies come, and leaves the tables as autovacuum would. */
    fill: async (upTo: number): Promise<number> => {
      const target = Math.max(made, Math.round((upTo - original) / original))
      const former = made
      const second = new Client(url)
      await second.connect()
      try {
        await Promise.all([fillWith(sql, target), fillWith(second, target)])
      } finally {
        await second.end()
      }
      await sql.query(walletsAfter, [made - former])
      await sql.query("vacuum (analyze)")
      return original * (made + 1)
    },
    end: () => sql.end()
  }
}

export type Filler = Awaited<ReturnType<typeof makeFiller>>
