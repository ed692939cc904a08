import { DateTime, Effect } from "effect"
import { scopeName, uniqueName } from "../units/Facts.ts"
import type { DeliveryId, LedgerTxId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { otherWalletOf } from "../ledger/LedgerTx.ts"
import type {
  Delivery,
  DeliveryQuery,
  IdempotencyRecord,
  IdRange,
  Lookup,
  Outgoing,
  Question,
  Seen,
  StorageDriverShape
} from "../ports/StorageDriver.ts"
import { headsOf } from "./StorageMemoryClaims.ts"
import { positions } from "./StorageMemoryPositions.ts"
import type { MemoryState, StoredIdempotency } from "./StorageMemoryState.ts"
import type { StoredRow } from "../units/Unit.ts"

type Reads = Omit<
  StorageDriverShape,
  | "write"
  | "resolveWrite"
  | "forgetWrites"
  | "facts"
  | "clock"
  | "claim"
  | "renew"
  | "purge"
  | "audit"
>

/** Every question that changes nothing. */
export const readsOf = (state: MemoryState): Reads => ({
  rows: (table, ids) =>
    Effect.sync(() =>
      inOrder(pick(state.rows, ids).map(({ row }) => row)).filter((row) => row.table === table)
    ),
  look: (questions) => Effect.sync(() => questions.map((question) => look(state, question))),
  idempotency: (scopes) =>
    Effect.sync(() =>
      scopes.map((scope) => {
        const found = state.idempotency.get(scopeName(scope))
        return found === undefined ? undefined : recordOf(found)
      })
    ),
  wallets: (ids) => Effect.sync(() => inOrder(pick(state.wallets, ids))),
  list: (query) =>
    Effect.sync(() => {
      const rows = [...state.rows.values()].map(({ row }) => row)
      const { account, kind, status, table, wallet } = query
      return page(
        rows.filter(
          (row) =>
            row.table === table &&
            row.kind === kind &&
            (account === undefined || row.account === account) &&
            (wallet === undefined || row.wallet === wallet) &&
            (status === undefined || row.status === status)
        ),
        query
      )
    }),
  positions: (query) => Effect.sync(() => positions(state, query)),
  ...histories(state),
  ledgerTxs: (ids) => Effect.sync(() => inOrder(pick(state.ledger, ids))),
  events: (ids) => Effect.sync(() => inOrder(pick(state.events, ids))),
  deliveries: (query) =>
    Effect.sync(() =>
      "ids" in query ? inOrder(pick(state.deliveries, query.ids)) : deliveries(state, query)
    ),
  outgoing: (ids) => Effect.sync(() => outgoing(state, ids)),
  attempts: (ids) =>
    Effect.sync(() => {
      const wanted = new Set(ids)
      return [...state.attempts.values()]
        .filter(({ delivery }) => wanted.has(delivery))
        .toSorted((left, right) => left.number - right.number)
    }),
  jobs: (query) =>
    Effect.sync(() =>
      page(
        [...state.jobs.values()].filter(
          ({ group, queue }) =>
            queue === query.queue && (query.group === undefined || group === query.group)
        ),
        { ...query, order: "asc" }
      ).map(({ due, group, id }) => ({ id, group, due }))
    ),
  heads: (query) => Effect.sync(() => headsOf(state, query)),
  nextDue: (queues) =>
    Effect.sync(() =>
      [...state.jobs.values()]
        .filter((job) => job.lease === undefined && queues.includes(job.queue))
        .map((job) => job.due)
        .reduce<DateTime.Utc | undefined>(
          (first, due) => (first === undefined ? due : DateTime.min(first, due)),
          undefined
        )
    )
})

/** What happened in wallets, in the order of ids. */
const histories = (state: MemoryState): Pick<Reads, "operations" | "movements"> => ({
  operations: (query) =>
    Effect.sync(() => {
      const statusesOf = new Map(query.kinds.map(({ kind, statuses }) => [kind, statuses]))
      const isAsked = ({ account, kind, ref, status, table, wallet }: StoredRow) =>
        table === "operation" &&
        (query.wallet === undefined || wallet === query.wallet) &&
        (query.account === undefined || account === query.account) &&
        statusesOf.has(kind) &&
        (statusesOf.get(kind)?.includes(status) ?? true) &&
        (query.ref === undefined || ref === query.ref)
      const rows = [...state.rows.values()].map(({ row }) => row)
      return page(rows.filter(isAsked), query)
    }),
  movements: (query) =>
    Effect.sync(() => {
      const { account, kinds, wallet } = query
      return page(
        [...state.ledger.values()].filter(
          (tx) =>
            (account === undefined || tx.account === account) &&
            (wallet === undefined || concerns(tx, wallet)) &&
            (kinds === undefined || kinds.includes(tx.kind))
        ),
        query
      )
    })
})

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

const pick = <K, V>(map: ReadonlyMap<K, V>, keys: ReadonlyArray<K>): ReadonlyArray<V> =>
  [...new Set(keys)].flatMap((key) => {
    const value = map.get(key)
    return value === undefined ? [] : [value]
  })

const inOrder = <A extends { readonly id: string }>(values: ReadonlyArray<A>): ReadonlyArray<A> =>
  values.toSorted((left, right) => compare(left.id, right.id))

const page = <A extends { readonly id: string }>(
  values: ReadonlyArray<A>,
  query: IdRange & {
    readonly after?: string
    readonly order: "asc" | "desc"
    readonly limit: number
  }
): ReadonlyArray<A> => {
  const { after, first, last, limit, order } = query
  const sign = order === "asc" ? 1 : -1
  return values
    .filter(
      ({ id }) =>
        (after === undefined || compare(id, after) * sign > 0) &&
        (first === undefined || compare(id, first) >= 0) &&
        (last === undefined || compare(id, last) <= 0)
    )
    .toSorted((left, right) => compare(left.id, right.id) * sign)
    .slice(0, limit)
}

const outgoing = (state: MemoryState, ids: ReadonlyArray<DeliveryId>): ReadonlyArray<Outgoing> =>
  inOrder(pick(state.deliveries, ids)).flatMap((delivery) => {
    const event = state.events.get(delivery.event)
    const endpoint = state.rows.get(delivery.endpoint)?.row
    return event === undefined ? [] : [{ delivery, event, endpoint }]
  })

const deliveries = (state: MemoryState, query: DeliveryQuery): ReadonlyArray<Delivery> =>
  page(
    [...state.deliveries.values()].filter(
      (delivery) =>
        delivery.account === query.account &&
        (query.endpoint === undefined || delivery.endpoint === query.endpoint) &&
        (query.status === undefined || delivery.status === query.status) &&
        (query.type === undefined || delivery.type === query.type)
    ),
    query
  )

const concerns = (tx: LedgerTx, wallet: WalletId): boolean =>
  tx.wallet === wallet || otherWalletOf(tx) === wallet

const recordOf = (stored: StoredIdempotency): IdempotencyRecord => {
  const { entity, expiresAt, fingerprint, snapshot } = stored
  return { entity, expiresAt, fingerprint, snapshot }
}

const look = (state: MemoryState, question: Question): Seen | undefined => {
  if (question._tag === "Row") {
    const row = state.rows.get(question.id)?.row
    return row?.table === question.table ? { id: row.id, row } : undefined
  }
  const id = resolve(state, question)
  return id && { id, row: state.rows.get(id)?.row }
}

const resolve = (state: MemoryState, lookup: Lookup): Uuid | undefined => {
  if (lookup._tag === "Key") return state.keys.get(uniqueName(lookup))
  if (lookup._tag === "Only") return onlyOf(state, lookup.wallet, lookup.kind)
  const { id, name, wallet } = lookup
  return (
    (id === undefined ? undefined : byId(state, wallet, id)) ??
    (name === undefined ? undefined : (byRef(state, wallet, name) ?? byKey(state, wallet, name)))
  )
}

const onlyOf = (state: MemoryState, wallet: WalletId, kind: string): Uuid | undefined => {
  const [first, second] = [...state.rows.values()].filter(
    ({ row }) => row.table === "registry" && row.kind === kind && row.wallet === wallet
  )
  return second === undefined ? first?.row.id : undefined
}

const byId = (state: MemoryState, wallet: WalletId, id: Uuid): Uuid | undefined => {
  const row = state.rows.get(id)?.row
  if (row?.table === "operation" && row.wallet === wallet) return id
  const tx = state.ledger.get(id as LedgerTxId)
  return tx !== undefined && concerns(tx, wallet) ? id : undefined
}

const byRef = (state: MemoryState, wallet: WalletId, ref: string): Uuid | undefined =>
  inOrder(
    [...state.rows.values()]
      .map(({ row }) => row)
      .filter((row) => row.table === "operation" && row.wallet === wallet && row.ref === ref)
  ).at(-1)?.id

const byKey = (state: MemoryState, wallet: WalletId, key: string): Uuid | undefined =>
  [...state.idempotency.values()]
    .filter(({ scope }) => scope.wallet === wallet && scope.key === key)
    .toSorted(
      (left, right) =>
        DateTime.Order(left.begunAt, right.begunAt) || compare(left.entity, right.entity)
    )
    .at(-1)?.entity
