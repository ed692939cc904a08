import type {
  ListQuery,
  OperationQuery,
  RowTable,
  StorageDriverShape,
  StoredRow
} from "@pagora/core"
import { Effect } from "effect"
import type { Answer, Database } from "./Database.ts"
import { idPage, unionPage } from "./Pages.ts"
import { text, texts, uuid, uuids } from "./Parameters.ts"

const columns = "id, kind, account, wallet, status, amount, ref, document, version"

/** Reads of the rows of entities. */
export const makeRows = (
  database: Database
): Pick<StorageDriverShape, "rows" | "list" | "operations"> => ({
  rows: (table, ids) =>
    Effect.map(
      database.read(`select ${columns} from pagora.${table}_by_id($1) order by id`, [uuids(ids)]),
      (answers) => answers.map((answer) => rowOf(table, answer))
    ),
  list: (query) =>
    Effect.map(page(database, query), (answers) =>
      answers.map((answer) => rowOf(query.table, answer))
    ),
  operations: (query) =>
    query.kinds.length === 0
      ? Effect.succeed([])
      : Effect.map(operationPage(database, query), (answers) =>
          answers.map((answer) => rowOf("operation", answer))
        )
})

const operationPage = (database: Database, query: OperationQuery) => {
  const tail = idPage("id", query)
  tail.where("wallet", uuid(query.wallet))
  if (query.ref !== undefined) tail.where("ref", text(query.ref))
  const parts = query.kinds.map(({ kind, statuses }) => {
    const ofKind = `kind = ${tail.parameter(text(kind))}`
    return statuses === undefined
      ? ofKind
      : `${ofKind} and status = any (${tail.parameter(texts(statuses))})`
  })
  const select = `select ${columns} from pagora.operation`
  const page = unionPage(select, tail, parts, query)
  return database.read(`select ${columns} from ${page}`, tail.parameters)
}

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
  // Rows of the main wallet and those of the others lie in different indexes.
  const main = tail.text(`wallet = ${tail.parameter(uuid(account))}`)
  const others = tail.text("wallet is distinct from account")
  return database.read(
    `select ${columns} from ((${select} ${main}) union all (${select} ${others})) as found ${ordered(query)}`,
    tail.parameters
  )
}

const ordered = (query: ListQuery): string => `order by id ${query.order} limit $1`
