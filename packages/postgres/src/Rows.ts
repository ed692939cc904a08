import type {
  ListQuery,
  OperationQuery,
  RowTable,
  StorageDriverShape,
  StoredRow,
  Uuid
} from "@pagora/core"
import { Effect } from "effect"
import type { Answer, Database } from "./Database.ts"
import type { IdPage } from "./Pages.ts"
import { idPage, unionOf } from "./Pages.ts"
import { int, text, uuid, uuids } from "./Parameters.ts"

const columns = "id, kind, account, wallet, status, amount, ref, document, version"

/** Reads of the rows of entities. */
export const makeRows = (
  database: Database
): Pick<StorageDriverShape, "rows" | "list" | "operations" | "positions"> => ({
  rows: (table, ids) =>
    Effect.map(
      database.read(`select ${columns} from pagora.${table}_by_id($1) order by id`, [uuids(ids)]),
      (answers) => answers.map((answer) => rowOf(table, answer))
    ),
  list: (query) =>
    Effect.map(page(database, query), (answers) =>
      answers.map((answer) => rowOf(query.table, answer))
    ),
  positions: (query) =>
    Effect.map(
      "space" in query
        ? database.read(namePositions(query.order), [
            int(query.limit),
            int(query.skip),
            text(query.space),
            text(`${query.under}/`),
            text(`${query.under}0`)
          ])
        : database.read(rowPositions(query.order), [
            int(query.limit),
            int(query.skip),
            uuid(query.wallet),
            text(query.kind)
          ]),
      (answers) => answers.map(({ id }) => id as Uuid)
    ),
  operations: (query) =>
    Effect.map(operationPage(database, query), (answers) =>
      answers.map((answer) => rowOf("operation", answer))
    )
})

// All names that begin with something and a slash lie between that and the same with a zero, which comes after the slash.
const namePositions = (order: "asc" | "desc") => `select holder as id from pagora.unique_key
  where space = $3 and key >= $4 and key < $5 order by key ${order} limit $1 offset $2`

// In the order of an index, as in `Pages.ts`.
const rowPositions = (order: "asc" | "desc") => `select id from pagora.registry
  where wallet = $3 and kind >= $4 and kind <= $4 order by kind ${order}, id ${order} limit $1 offset $2`

const operationPage = (
  database: Database,
  query: Omit<OperationQuery, "account"> & Pick<ListQuery, "account">
) => {
  const tail = idPage("id", query)
  const scopes = scopesOf(tail, query)
  const ref = query.ref === undefined ? undefined : tail.parameter(text(query.ref))
  const parts = query.kinds.flatMap(({ kind, statuses }) => {
    const ofKind = `kind = ${tail.parameter(text(kind))}`
    const values = statuses && [...new Set(statuses)].map((status) => tail.parameter(text(status)))
    return scopes.flatMap((scope) => {
      if (ref !== undefined) return [ofRef(tail, ref, ofStatuses(values), ofKind, ...scope)]
      if (scope.length === 0) return [selected(tail.ofAll(ofKind, ofStatuses(values)))]
      const along = (value: string) =>
        selected(tail.along({ column: "status", value }, ofKind, ...scope))
      return values === undefined
        ? [everyStatus([ofKind, ...scope].join(" and "), along)]
        : values.map(along)
    })
  })
  if (parts.length === 0) return Effect.succeed([])
  return database.read(`select ${columns} from ${unionOf(parts, query)}`, tail.parameters)
}

const selected = (ended: string): string => `select ${columns} from pagora.operation ${ended}`

const ofRef = (tail: IdPage, value: string, ...conditions: ReadonlyArray<string>): string =>
  selected(tail.along({ column: "ref", value }, "ref is not null", ...conditions))

const ofStatuses = (values: ReadonlyArray<string> | undefined): string =>
  values === undefined ? "true" : values.length === 0 ? "false" : `status in (${values.join()})`

/**
 * The page of each status that there is. The index tells which there are by one look for each, and has the order of ids
 * only within a status.
 */
const everyStatus = (of: string, along: (status: string) => string): string => {
  const next = (after: string) =>
    `(select status from pagora.operation where ${of} ${after} order by status limit 1)`
  return `with recursive known as (
      select ${next("")} as status
      union all
      select ${next("and status > k.status")} from known k where k.status is not null
    )
    select o.* from known k cross join lateral (${along("k.status")}) as o`
}

/** Rows of the main wallet and those of the others lie in different indexes. */
const scopesOf = (
  tail: IdPage,
  { account, wallet }: Pick<ListQuery, "account" | "wallet">
): ReadonlyArray<ReadonlyArray<string>> => {
  const ofWallet = wallet === undefined ? [] : [`wallet = ${tail.parameter(uuid(wallet))}`]
  if (account === undefined) return [ofWallet]
  const owner = tail.parameter(uuid(account))
  const ofAccount = `account = ${owner}`
  return wallet === undefined
    ? [
        [ofAccount, `wallet = ${owner}`],
        [ofAccount, "wallet is distinct from account"]
      ]
    : [[ofAccount, ...ofWallet]]
}

const rowOf = (table: RowTable, answer: Answer): StoredRow =>
  ({ ...answer, table }) as unknown as StoredRow

const page = (database: Database, query: ListQuery) => {
  const { account, kind, status, table, wallet } = query
  if (table === "operation") {
    const kinds = [{ kind, ...(status === undefined ? {} : { statuses: [status] }) }]
    return operationPage(database, { ...query, kinds })
  }
  const tail = idPage("id", query)
  const ofKind = tail.parameter(text(kind))
  const conditions = [
    ...(account === undefined ? [] : [`account = ${tail.parameter(uuid(account))}`]),
    ...(wallet === undefined ? [] : [`wallet = ${tail.parameter(uuid(wallet))}`])
  ]
  const ended =
    status === undefined
      ? tail.along({ column: "kind", value: ofKind }, ...conditions)
      : tail.along(
          { column: "status", value: tail.parameter(text(status)) },
          `kind = ${ofKind}`,
          ...conditions
        )
  return database.read(`select ${columns} from pagora.registry ${ended}`, tail.parameters)
}
