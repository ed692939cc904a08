import { Effect } from "effect"
import type { AccountId, LedgerTxId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { WalletBucket } from "../ledger/LedgerAccount.ts"
import { isWalletBucket } from "../ledger/LedgerAccount.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { otherWalletOf } from "../ledger/LedgerTx.ts"
import type {
  AuditPage,
  AuditReads,
  AuditStates,
  AuditSum,
  WalletSums
} from "../ports/AuditReads.ts"
import { eventName, jobName } from "../units/Facts.ts"
import type { MemoryState } from "./StorageMemoryState.ts"
import type { StoredRow } from "../units/Unit.ts"

/** What the audit reads. Which of it is wrong is not decided here. */
export const auditReadsOf = (state: MemoryState): AuditReads => ({
  subjects: (page, { queues, statuses }) =>
    Effect.sync(() => {
      const rows = asked(operationsOf(state), page)
      const ids = new Set<string>(rows.map(({ id }) => id))
      const booked = Map.groupBy(
        ledgerOf(state).filter(({ source }) => ids.has(source)),
        ({ source }) => source
      )
      return rows.map((row) => ({
        row,
        booked: booked.get(row.id) ?? [],
        hasEvent: state.eventNames.has(eventName({ account: row.account, key: row.id })),
        lines: statuses.includes(row.status)
          ? queues.filter((queue) => state.jobs.has(jobName({ queue, id: row.id })))
          : []
      }))
    }),
  stretch: ({ upTo, ...page }) =>
    Effect.sync(() => {
      const txs = ledgerOf(state).filter(({ id }) => upTo === undefined || id <= upTo)
      return stretchOf(state, asked(txs, page), page.limit)
    }),
  ...balancesOf(state),
  deliveries: (page) =>
    Effect.sync(() => {
      const seen = asked(inOrder([...state.deliveries.values()]), page)
      return {
        last: seen.length < page.limit ? undefined : seen.at(-1)?.id,
        loose: seen
          .filter(({ event }) => !state.events.has(event))
          .map(({ event, id }) => ({ id, event }))
      }
    }),
  keep: (proved) =>
    Effect.sync(() => {
      for (const wallet of proved) state.proved.set(wallet.id, wallet)
    })
})

/** Wallets, and what is in suspense, each with what moved it. */
const balancesOf = (state: MemoryState): Pick<AuditReads, "wallets" | "suspense"> => ({
  wallets: (page, { from, mark, open }) =>
    Effect.sync(() => {
      const txs = ledgerByWallet(state)
      return asked(inOrder([...state.wallets.values()]), page).map(
        ({ updatedAt: _, ...wallet }) => {
          const proved = state.proved.get(wallet.id)
          const begin = from === "proved" ? proved?.through : from
          const later = (txs.get(wallet.id) ?? []).filter(
            ({ id }) => begin === undefined || id > begin
          )
          const isBefore = ({ id }: LedgerTx) => id <= mark
          return {
            wallet,
            proved,
            before: sumsOf(wallet.id, later.filter(isBefore)),
            after: sumsOf(
              wallet.id,
              later.filter((tx) => !isBefore(tx))
            ),
            open: operationsOf(state).filter((row) => row.wallet === wallet.id && isIn(open, row))
          }
        }
      )
    }),
  suspense: (accounts, { kinds, open }) =>
    Effect.sync(() =>
      accounts.map((account) => ({
        account,
        posted: ledgerOf(state)
          .filter((tx) => tx.account === account && kinds.includes(tx.kind))
          .flatMap(({ postings }) => postings)
          .reduce(
            (sum, { account: { bucket, owner }, amount }) =>
              bucket === "suspense" && owner === account ? sum + amount : sum,
            0n
          ),
        open: operationsOf(state).filter(
          (row) => (row.account as AccountId) === account && isIn(open, row)
        )
      }))
    )
})

const stretchOf = (state: MemoryState, txs: ReadonlyArray<LedgerTx>, limit: number) => {
  const sums = new Map<string, AuditSum>()
  for (const { postings } of txs) {
    for (const { account, amount } of postings) {
      const name = `${account.owner} ${account.bucket}`
      sums.set(name, { ...account, amount: (sums.get(name)?.amount ?? 0n) + amount })
    }
  }
  return {
    last: txs.at(-1)?.id,
    isEnd: txs.length < limit,
    entries: txs.reduce((count, { postings }) => count + postings.length, 0),
    sums: [...sums.values()],
    sources: [...new Set(txs.map(({ source }) => source))],
    unsourced: txs
      .filter(({ source }) => state.rows.get(source)?.row.table !== "operation")
      .map(({ id }) => id),
    orphans: []
  }
}

const sumsOf = (wallet: WalletId, txs: ReadonlyArray<LedgerTx>): WalletSums => {
  const sums: Record<WalletBucket, bigint> = { available: 0n, held: 0n, promotional: 0n }
  for (const { postings } of txs) {
    for (const { account, amount } of postings) {
      const { bucket, owner } = account
      if (owner === wallet && isWalletBucket(bucket)) sums[bucket] += amount
    }
  }
  return sums
}

/** The transactions of each wallet, those with it included. */
const ledgerByWallet = (state: MemoryState): ReadonlyMap<string, ReadonlyArray<LedgerTx>> => {
  const txs = new Map<string, Array<LedgerTx>>()
  for (const tx of state.ledger.values()) {
    for (const wallet of new Set([tx.wallet, otherWalletOf(tx)])) {
      if (wallet === undefined) continue
      const known = txs.get(wallet)
      if (known === undefined) txs.set(wallet, [tx])
      else known.push(tx)
    }
  }
  return txs
}

const isIn = (states: AuditStates, { kind, status }: StoredRow): boolean =>
  states.some((state) => state.kind === kind && state.statuses.includes(status))

const operationsOf = (state: MemoryState): ReadonlyArray<StoredRow> =>
  inOrder(
    [...state.rows.values()].map(({ row }) => row).filter(({ table }) => table === "operation")
  )

const ledgerOf = (state: MemoryState): ReadonlyArray<LedgerTx> =>
  inOrder([...state.ledger.values()])

const inOrder = <A extends { readonly id: Uuid }>(values: ReadonlyArray<A>): ReadonlyArray<A> =>
  values.toSorted((left, right) => (left.id < right.id ? -1 : 1))

const asked = <A extends { readonly id: Uuid }>(
  values: ReadonlyArray<A>,
  page: AuditPage<Uuid> | { readonly after?: LedgerTxId; readonly limit: number }
): ReadonlyArray<A> => {
  if ("ids" in page) {
    const ids = new Set<Uuid>(page.ids)
    return values.filter(({ id }) => ids.has(id))
  }
  const { after, limit } = page
  return values.filter(({ id }) => after === undefined || id > after).slice(0, limit)
}
