import type { LedgerQuery, StorageDriverShape } from "@pagora/core"
import { LedgerTx } from "@pagora/core"
import { Effect } from "effect"
import { bucketOf } from "./Buckets.ts"
import type { Answer, Database } from "./Database.ts"
import type { IdPage } from "./Pages.ts"
import { idPage, unionOf } from "./Pages.ts"
import { uuid, uuids } from "./Parameters.ts"

/** Reads of ledger transactions, whole: with their postings. */
export const makeLedger = (
  database: Database
): Pick<StorageDriverShape, "ledgerTxs" | "movements"> => ({
  ledgerTxs: (ids) => Effect.map(database.read(transactions("$1", "asc"), [uuids(ids)]), txsOf),
  movements: (query) => {
    if (query.kinds?.length === 0) return Effect.succeed([])
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
  const { account, kinds } = query
  const tail = idPage("id", query)
  const ofKinds = kinds === undefined ? "true" : `kind in (${kinds.map(literal).join()})`
  const pages = pagesOf(tail, query, ofKinds)
  const of = account === undefined ? "true" : `account = ${tail.parameter(uuid(account))}`
  const parts = pages.map((ends) => `select id from pagora.ledger_tx ${ends(of)}`)
  return { ids: `select id from ${unionOf(parts, query)}`, parameters: tail.parameters }
}

/** Those of a wallet, kind by kind, and those with it; those of the main wallet and of the others. */
const pagesOf = (
  { along, ofAll, parameter }: IdPage,
  { account, kinds = LedgerTx.ledgerKinds, wallet }: LedgerQuery,
  ofKinds: string
): ReadonlyArray<(of: string) => string> => {
  const owner = wallet ?? account
  if (owner === undefined) return [(of) => ofAll(of, ofKinds)]
  const value = parameter(uuid(owner))
  return [
    ...kinds.map(
      (kind) => (of: string) =>
        along({ column: "kind", value: literal(kind) }, of, `wallet = ${value}`)
    ),
    wallet === undefined
      ? () => along({ column: "account", value }, ofKinds, "wallet <> account")
      : (of) => along({ column: "other", value }, of, ofKinds, "other is not null")
  ]
}

/** Spelled out, and not a parameter: they are few. */
const literal = (kind: LedgerTx.LedgerKind): string => {
  if (!LedgerTx.ledgerKinds.includes(kind)) throw new Error(`There is no ledger kind ${kind}.`)
  return `'${kind}'`
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
