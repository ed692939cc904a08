import type { LedgerQuery, LedgerTx, StorageDriverShape } from "@pagora/core"
import { Effect } from "effect"
import { bucketOf } from "./Buckets.ts"
import type { Answer, Database } from "./Database.ts"
import { idPage } from "./Pages.ts"
import { uuid, uuids } from "./Parameters.ts"

/** Reads of ledger transactions, whole: with their postings. */
export const makeLedger = (
  database: Database
): Pick<StorageDriverShape, "ledgerTxs" | "movements"> => ({
  ledgerTxs: (ids) => Effect.map(database.read(transactions("$1", "asc"), [uuids(ids)]), txsOf),
  movements: (query) => {
    const { ids, parameters } = page(query)
    return Effect.map(database.read(transactions(`array(${ids})`, query.order), parameters), txsOf)
  }
})

const transactions = (ids: string, order: "asc" | "desc"): string => `
  with asked as materialized (select ${ids} as ids)
  select t.id, t.kind, t.account, t.wallet, t.source, t.leg, t.amount, t.document,
    p.owner, p.bucket, p.amount as posted, p.spends
  from asked cross join pagora.ledger_tx_by_id(asked.ids) t
    left join pagora.postings_of((select a.ids from asked a)) p on p.tx = t.id
  order by t.id ${order}, p.seq`

const page = (query: LedgerQuery) => {
  const { account, wallet } = query
  const tail = idPage("id", query)
  if (wallet !== undefined) tail.where("wallet", uuid(wallet))
  if (account !== undefined) tail.where("account", uuid(account))
  const select = "select id from pagora.ledger_tx"
  if (account === undefined || wallet !== undefined) {
    return { ids: `${select} ${tail.text()}`, parameters: tail.parameters }
  }
  // Movements of the main wallet and those of the others lie in different indexes.
  const main = tail.text(`wallet = ${tail.parameter(uuid(account))}`)
  const others = tail.text("wallet <> account")
  const ids = `select id from ((${select} ${main}) union all (${select} ${others})) as page order by id ${query.order} limit $1`
  return { ids, parameters: tail.parameters }
}

type Tx = LedgerTx.LedgerTx
type Mutable = Omit<Tx, "postings"> & { readonly postings: Array<LedgerTx.Posting> }

/** Answers come ordered, one per posting. */
const txsOf = (answers: ReadonlyArray<Answer>): ReadonlyArray<Tx> => {
  const txs: Array<Mutable> = []
  for (const { bucket, owner, posted, spends, ...columns } of answers) {
    if (txs.at(-1)?.id !== columns["id"])
      txs.push({ ...columns, postings: [] } as unknown as Mutable)
    if (owner === null) continue
    txs.at(-1)?.postings.push({
      account: { owner, bucket: bucketOf(Number(bucket)) },
      amount: posted,
      spends
    } as LedgerTx.Posting)
  }
  return txs
}
