import type { Uuid, WalletId } from "../kernel/Ids.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { isWalletBucket, walletBuckets } from "../ledger/LedgerAccount.ts"
import { imbalanceOf } from "../ledger/LedgerTx.ts"
import { eventName } from "./Facts.ts"
import type { AuditReport } from "./StorageDriver.ts"
import { suspenseViolations, unattendedViolations } from "./StorageMemoryAuditOpen.ts"
import type { MemoryState } from "./StorageMemoryState.ts"
import type { StoredRow } from "./Unit.ts"

type Violation = AuditReport["violations"][number]

/** Recomputes every figure from the postings and names what does not hold. */
export const auditOf = (state: MemoryState): AuditReport => {
  const sums = sumsOf(state)
  return {
    accounts: sums.size,
    entries: [...state.ledger.values()].reduce((count, tx) => count + tx.postings.length, 0),
    violations: [
      ...ledgerViolations(state),
      ...walletViolations(state, sums),
      ...chargeViolations(state),
      ...operationViolations(state),
      ...closedViolations(state),
      ...lienViolations(state),
      ...suspenseViolations(state),
      ...unattendedViolations(state),
      ...deliveryViolations(state)
    ]
  }
}

const accountName = (owner: string, bucket: string): string => `${owner} ${bucket}`

/** The balance of every account of the ledger, from its postings. */
const sumsOf = (state: MemoryState): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const { postings } of state.ledger.values()) {
    for (const { account, amount } of postings) {
      const name = accountName(account.owner, account.bucket)
      sums.set(name, (sums.get(name) ?? 0n) + amount)
    }
  }
  return sums
}

const ledgerViolations = (state: MemoryState): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  let total = 0n
  const walletIds = new Set<string>(state.wallets.keys())
  for (const { id, postings } of state.ledger.values()) {
    const wrong = imbalanceOf(postings)
    if (wrong !== undefined) violations.push({ rule: "unbalanced", subject: id, detail: wrong })
    for (const { account, amount } of postings) {
      total += amount
      if (!isWalletBucket(account.bucket) || walletIds.has(account.owner)) continue
      const detail = `posts to the wallet ${account.owner}, which does not exist`
      violations.push({ rule: "orphan_posting", subject: id, detail })
    }
  }
  if (total !== 0n) {
    const detail = `all postings sum to ${total} centavos instead of zero`
    violations.push({ rule: "global_sum", subject: "ledger", detail })
  }
  return violations
}

const walletViolations = (
  state: MemoryState,
  sums: ReadonlyMap<string, bigint>
): ReadonlyArray<Violation> =>
  [...state.wallets.values()].flatMap((wallet) => {
    const violations: Array<Violation> = []
    for (const bucket of walletBuckets) {
      const posted = sums.get(accountName(wallet.id, bucket)) ?? 0n
      if (posted === wallet[bucket]) continue
      const detail = `${bucket} is ${wallet[bucket]} centavos and its postings sum to ${posted}`
      violations.push({ rule: "wallet_mismatch", subject: wallet.id, detail })
    }
    for (const bucket of [...walletBuckets, "lien"] as const) {
      if (wallet[bucket] >= 0n) continue
      const detail = `${bucket} is ${wallet[bucket]} centavos`
      violations.push({ rule: "negative", subject: wallet.id, detail })
    }
    return violations
  })

const chargeViolations = (state: MemoryState): ReadonlyArray<Violation> => {
  const payments = new Map<string, Array<LedgerTx>>()
  for (const tx of state.ledger.values()) {
    if (tx.kind === "payment") payments.set(tx.source, [...(payments.get(tx.source) ?? []), tx])
  }
  const charges = [...state.rows.values()]
    .map(({ row }) => row)
    .filter((row) => row.table === "operation" && row.kind === "charge")
  return charges.flatMap((charge) => chargeFaults(state, charge, payments.get(charge.id) ?? []))
}

const chargeFaults = (
  state: MemoryState,
  charge: StoredRow,
  payments: ReadonlyArray<LedgerTx>
): ReadonlyArray<Violation> => {
  const { id, status } = charge
  const violations: Array<Violation> = []
  const completed = status === "completed"
  const isPaid = payments.length === 1 && payments[0]?.amount === charge.amount
  if (completed ? !isPaid : payments.length > 0) {
    const amounts = payments.map((tx) => tx.amount).join(", ")
    const detail = `is ${status} over ${charge.amount} centavos with payments of [${amounts}]`
    violations.push({ rule: "charge_without_payment", subject: id, detail })
  }
  if (completed && !state.eventNames.has(eventName({ account: charge.account, key: id }))) {
    const detail = "is completed and no event of its account says so"
    violations.push({ rule: "event_missing", subject: id, detail })
  }
  return violations
}

/** How often each kind of booking of a withdrawal must be there, by its status. Before an outcome only its hold is. */
const bookingsOf: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  completed: { withdrawal: 1 },
  failed: { release: 1 },
  reversed: { withdrawal: 1, adjustment: 1 }
}

type Faults = (
  state: MemoryState,
  row: StoredRow,
  booked: ReadonlyArray<LedgerTx>
) => ReadonlyArray<Violation>

const operationViolations = (state: MemoryState): ReadonlyArray<Violation> => {
  const bySource = new Map<string, Array<LedgerTx>>()
  for (const tx of state.ledger.values()) {
    bySource.set(tx.source, [...(bySource.get(tx.source) ?? []), tx])
  }
  const operations = [...state.rows.values()]
    .map(({ row }) => row)
    .filter(({ table }) => table === "operation")
  return operations.flatMap(
    (row) => faultsOf[row.kind]?.(state, row, bySource.get(row.id) ?? []) ?? []
  )
}

const countOf = (booked: ReadonlyArray<LedgerTx>, kind: string): number =>
  booked.filter((tx) => tx.kind === kind).length

const sumOf = (booked: ReadonlyArray<LedgerTx>, ...kinds: ReadonlyArray<string>): bigint =>
  booked.reduce((sum, tx) => (kinds.includes(tx.kind) ? sum + tx.amount : sum), 0n)

const misbooked = (
  rule: string,
  { amount, id, status }: StoredRow,
  booked: ReadonlyArray<LedgerTx>
): Violation => {
  const kinds = booked.map((tx) => `${tx.kind} ${tx.amount}`).toSorted()
  const detail = `is ${status} over ${amount} centavos with [${kinds.join(", ")}]`
  return { rule, subject: id, detail }
}

const eventFaults = (
  state: MemoryState,
  { account, id, status }: StoredRow
): ReadonlyArray<Violation> => {
  if (state.eventNames.has(eventName({ account, key: id }))) return []
  const detail = `is ${status} and no event of its account says so`
  return [{ rule: "event_missing", subject: id, detail }]
}

const withdrawalFaults: Faults = (state, row, booked) => {
  const { amount, status } = row
  const expected = bookingsOf[status] ?? {}
  const isBooked = ["withdrawal", "release", "adjustment"].every(
    (kind) => countOf(booked, kind) === (expected[kind] ?? 0)
  )
  const isWhole = booked.every(
    (tx) => tx.amount === amount || !["hold", "release", "adjustment"].includes(tx.kind)
  )
  const isRight = countOf(booked, "hold") === 1 && isBooked && isWhole
  return [
    ...(isRight ? [] : [misbooked("withdrawal_misbooked", row, booked)]),
    ...(bookingsOf[status] === undefined ? [] : eventFaults(state, row))
  ]
}

/** A refund is held in its wallet until its end; other money on its way back is in suspense. */
const returnFaults: Faults = (state, row, booked) => {
  const isRefund = countOf(booked, "hold") > 0
  const isConfirmed = row.status === "confirmed"
  const expected: Readonly<Record<string, boolean>> = {
    hold: isRefund,
    refund: isRefund && isConfirmed,
    release: row.status === "failed",
    deposit_return: !isRefund && isConfirmed
  }
  const isBooked = Object.entries(expected).every(
    ([kind, is]) => countOf(booked, kind) === Number(is)
  )
  const isWhole = booked.every(
    (tx) => tx.amount === row.amount || !["refund", "deposit_return"].includes(tx.kind)
  )
  return [
    ...(isBooked && isWhole ? [] : [misbooked("return_misbooked", row, booked)]),
    ...(isRefund && isConfirmed ? eventFaults(state, row) : [])
  ]
}

/** What went to the payer is never more than the block, and nothing before it was approved. */
const blockFaults: Faults = (_, row, booked) => {
  const isApproved = row.status === "approved" || row.status === "collecting"
  const taken = sumOf(booked, "chargeback")
  return taken <= (isApproved ? (row.amount ?? 0n) : 0n)
    ? []
    : [misbooked("block_overdrawn", row, booked)]
}

/** Fee and split of a charge together are never more than what was paid. */
const splitFaults: Faults = (_, row, booked) =>
  sumOf(booked, "fee", "internal_transfer") <= (row.amount ?? 0n)
    ? []
    : [misbooked("charge_overspent", row, booked)]

const faultsOf: Readonly<Record<string, Faults>> = {
  charge: splitFaults,
  withdrawal: withdrawalFaults,
  return: returnFaults,
  balance_block: blockFaults
}

/** The states in which a balance block claims what it has not got. */
const claiming: ReadonlyArray<string> = ["awaiting_response", "defended", "collecting"]

/** What blocks claim of a wallet cannot be spent as long as the wallet's lien covers it. */
const lienViolations = (state: MemoryState): ReadonlyArray<Violation> => {
  const taken = new Map<string, bigint>()
  for (const { amount, kind, source } of state.ledger.values()) {
    if (kind === "chargeback") taken.set(source, (taken.get(source) ?? 0n) + amount)
  }
  const claims = new Map<WalletId, bigint>()
  for (const { row } of state.rows.values()) {
    const { amount, id, kind, status, wallet } = row
    if (kind !== "balance_block" || wallet === null || !claiming.includes(status)) continue
    const claim = (amount ?? 0n) - (taken.get(id) ?? 0n)
    claims.set(wallet, (claims.get(wallet) ?? 0n) + claim)
  }
  return [...claims].flatMap(([wallet, claim]) => {
    const lien = state.wallets.get(wallet)?.lien ?? 0n
    const detail = `has a lien of ${lien} centavos for blocks that claim ${claim}`
    return lien >= claim ? [] : [{ rule: "lien_missing", subject: wallet, detail }]
  })
}

/** Nothing ever comes to the wallet of a sub-account that is closed. */
const closedViolations = (state: MemoryState): ReadonlyArray<Violation> =>
  [...state.rows.values()].flatMap(({ row: { id, kind, status } }) => {
    const wallet = state.wallets.get(id as Uuid as WalletId)
    if (kind !== "sub_account" || status !== "closed" || wallet === undefined) return []
    const { available, held, lien, promotional } = wallet
    if (available === 0n && held === 0n && promotional === 0n && lien === 0n) return []
    const detail = `is closed and holds ${available + held + promotional} centavos, with a lien of ${lien}`
    return [{ rule: "closed_not_empty", subject: id, detail }]
  })

const deliveryViolations = (state: MemoryState): ReadonlyArray<Violation> =>
  [...state.deliveries.values()].flatMap(({ event, id }) =>
    state.events.has(event)
      ? []
      : [{ rule: "delivery_without_event", subject: id, detail: `of event ${event}` }]
  )
