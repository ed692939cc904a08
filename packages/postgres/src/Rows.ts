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
import { idPage, unionPage } from "./Pages.ts"
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

const rowPositions = (order: "asc" | "desc") => `select id from pagora.registry
  where wallet = $3 and kind = $4 order by id ${order} limit $1 offset $2`

const operationPage = (database: Database, query: OperationQuery) => {
  const { account, wallet } = query
  const tail = idPage("id", query)
  if (wallet !== undefined) tail.where("wallet", uuid(wallet))
  if (account !== undefined) tail.where("account", uuid(account))
  if (query.ref !== undefined) tail.where("ref", text(query.ref))
  const sides = account === undefined || wallet !== undefined ? ["true"] : sidesOf(tail, account)
  const parts = query.kinds.flatMap(({ kind, statuses }) => {
    const ofKind = `kind = ${tail.parameter(text(kind))}`
    // Each status by itself: only then is the order that of an index.
    const ofStatuses =
      statuses === undefined
        ? [ofKind]
        : [...new Set(statuses)].map(
            (status) => `${ofKind} and status = ${tail.parameter(text(status))}`
          )
    return ofStatuses.flatMap((part) => sides.map((side) => `${part} and ${side}`))
  })
  if (parts.length === 0) return Effect.succeed([])
  const select = `select ${columns} from pagora.operation`
  const page = unionPage(select, tail, parts, query)
  return database.read(`select ${columns} from ${page}`, tail.parameters)
}

/** Rows of the main wallet and those of the others lie in different indexes. */
const sidesOf = (tail: ReturnType<typeof idPage>, account: Uuid): readonly [string, string] => [
  `wallet = ${tail.parameter(uuid(account))}`,
  "wallet is distinct from account"
]

const rowOf = (table: RowTable, answer: Answer): StoredRow =>
  ({ ...answer, table }) as unknown as StoredRow

const page = (database: Database, query: ListQuery) => {
  const { account, kind, status, table, wallet } = query
  const tail = idPage("id", query)
  tail.where("kind", text(kind))
  if (status !== undefined) tail.where("status", text(status))
  if (account !== undefined) tail.where("account", uuid(account))
  if (wallet !== undefined) tail.where("wallet", uuid(wallet))
  const select = `select ${columns} from pagora.${table}`
  if (table === "registry" || account === undefined || wallet !== undefined) {
    return database.read(`${select} ${tail.text()}`, tail.parameters)
  }
  const found = unionPage(select, tail, sidesOf(tail, account), query)
  return database.read(`select ${columns} from ${found}`, tail.parameters)
}
