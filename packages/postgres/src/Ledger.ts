import type { LedgerQuery, StorageDriverShape } from "@pagora/core"
import { LedgerTx } from "@pagora/core"
import { Effect } from "effect"
import { bucketOf } from "./Buckets.ts"
import type { Answer, Database } from "./Database.ts"
import { idPage, unionPage } from "./Pages.ts"
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
  const { account, kinds, wallet } = query
  const tail = idPage("id", query)
  if (account !== undefined) tail.where("account", uuid(account))
  const select = "select id from pagora.ledger_tx"
  const parts = sidesOf(tail, wallet, account).flatMap(({ isByKind, where }) => {
    if (isByKind) {
      return (kinds ?? LedgerTx.ledgerKinds).map((kind) => `${where} and kind = ${literal(kind)}`)
    }
    return kinds === undefined ? where : `${where} and kind in (${kinds.map(literal).join()})`
  })
  const ids = `select id from ${unionPage(select, tail, parts, query)}`
  return { ids, parameters: tail.parameters }
}

/** A part of the movements that one index has; `isByKind` where the kind stands between its name and the id. */
interface Side {
  readonly where: string
  readonly isByKind: boolean
}

/** Those of a wallet and those with it; those of the main wallet and of the others. */
const sidesOf = (
  tail: ReturnType<typeof idPage>,
  wallet: LedgerQuery["wallet"],
  account: LedgerQuery["account"]
): ReadonlyArray<Side> => {
  const owner = wallet ?? account
  if (owner === undefined) return [{ where: "true", isByKind: false }]
  const id = tail.parameter(uuid(owner))
  return [
    { where: `wallet = ${id}`, isByKind: true },
    wallet === undefined
      ? { where: "wallet <> account", isByKind: true }
      : { where: `other = ${id}`, isByKind: false }
  ]
}

/** Spelled out, and not a parameter: there are few, and the planner knows how many rows each of them has. */
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
