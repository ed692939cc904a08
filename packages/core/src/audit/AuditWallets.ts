import { Effect } from "effect"
import type { AccountId, LedgerTxId, Uuid, WalletId } from "../kernel/Ids.ts"
import { zero } from "../kernel/Money.ts"
import { isWalletBucket } from "../ledger/LedgerAccount.ts"
import { suspenseKinds } from "./LedgerAudit.ts"
import type { AuditWallet, ProvedWallet, WalletSums } from "../ports/AuditReads.ts"
import {
  balanceViolations,
  claimed,
  claimingStates,
  heldViolations,
  lienViolations,
  suspenseViolations
} from "./AuditRules.ts"
import type { AuditState } from "./AuditRun.ts"
import { accountName, auditLimits, chunked, report, progressed } from "./AuditRun.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Violation } from "../ports/StorageDriver.ts"

/** Before every transaction. */
const beginning = "00000000-0000-0000-0000-000000000000" as LedgerTxId

const buckets = ["available", "held", "promotional"] as const

const lienStates = claimingStates.filter(({ kind }) => kind === "balance_block")

const plus = (...sums: ReadonlyArray<WalletSums>): WalletSums => ({
  available: sums.reduce((sum, { available }) => sum + available, 0n),
  held: sums.reduce((sum, { held }) => sum + held, 0n),
  promotional: sums.reduce((sum, { promotional }) => sum + promotional, 0n)
})

const summed = (sums: AuditState["sums"], owner: Uuid): WalletSums => {
  const of = (bucket: (typeof buckets)[number]) =>
    sums.get(accountName({ owner, bucket }))?.amount ?? 0n
  return { available: of("available"), held: of("held"), promotional: of("promotional") }
}

const keep = (state: AuditState, proved: ReadonlyArray<ProvedWallet>) =>
  state.options.keepUpTo === undefined || state.options.isDry === true || proved.length === 0
    ? Effect.void
    : state.driver.audit.keep(proved)

/**
 * Holds every wallet against the whole ledger and against all operations, as they were read before. Where they differ,
 * something may have been written in between: that wallet is looked at once more, alone.
 */
export const walkWallets = Effect.fnUntraced(function* (
  state: AuditState
): Effect.fn.Return<void, StorageError> {
  const { driver, last: mark = beginning, options } = state
  const unseen = new Set<WalletId>(
    [...state.sums.values()].flatMap(({ bucket, owner }) =>
      isWalletBucket(bucket) ? (owner as WalletId) : []
    )
  )
  for (const wallet of [...state.lien.keys(), ...state.held.keys()]) unseen.add(wallet)
  const suspects: Array<WalletId> = []
  let after: WalletId | undefined
  let done = 0
  for (let isMore = true; isMore;) {
    const page = yield* driver.audit.wallets(
      { limit: auditLimits.wallets, ...(after && { after }) },
      { from: mark, mark, open: [] }
    )
    const proved: Array<ProvedWallet> = []
    for (const { after: later, wallet } of page) {
      unseen.delete(wallet.id)
      const wrong = [
        ...balanceViolations(wallet, plus(summed(state.sums, wallet.id), later)),
        ...heldViolations(wallet, state.held.get(wallet.id) ?? 0n),
        ...lienViolations(wallet, state.lien.get(wallet.id) ?? 0n)
      ]
      if (wrong.length > 0) suspects.push(wallet.id)
      else if (options.keepUpTo !== undefined)
        proved.push({
          id: wallet.id,
          through: options.keepUpTo,
          ...summed(state.kept, wallet.id)
        })
    }
    yield* keep(state, proved)
    after = page.at(-1)?.wallet.id
    isMore = page.length === auditLimits.wallets
    done += page.length
    yield* progressed(state, "wallets", done)
  }
  // Those that were not met are new, most likely.
  yield* lookAtWallets(state, [...suspects, ...unseen])
})

/** Each of these wallets in one snapshot with all its postings and all that claims it; or what is told of none. */
export const lookAtWallets = Effect.fnUntraced(function* (
  state: AuditState,
  ids: ReadonlyArray<WalletId>
): Effect.fn.Return<void, StorageError> {
  const { driver, options } = state
  const mark = options.keepUpTo ?? beginning
  let done = 0
  for (const some of chunked(ids, auditLimits.walletsAlone)) {
    const found = yield* driver.audit.wallets({ ids: some }, { mark, open: claimingStates })
    const proved = found.flatMap((one): ReadonlyArray<ProvedWallet> => {
      const wrong = wholeViolations(one)
      report(state, wrong)
      return wrong.length > 0 ? [] : [{ id: one.wallet.id, through: mark, ...one.before }]
    })
    yield* keep(state, proved)
    const there = new Set(found.map(({ wallet }) => wallet.id))
    for (const id of some) if (!there.has(id)) yield* lookForLost(state, id)
    done += some.length
    yield* progressed(state, "wallets", done)
  }
})

const wholeViolations = ({
  after,
  before,
  open,
  wallet
}: AuditWallet): ReadonlyArray<Violation> => [
  ...balanceViolations(wallet, plus(before, after)),
  ...heldViolations(wallet, claimed(open, "held")),
  ...lienViolations(wallet, claimed(open, "lien"))
]

/** What is posted to, or claimed of, a wallet that does not exist. */
const lookForLost = Effect.fnUntraced(function* (
  state: AuditState,
  wallet: WalletId
): Effect.fn.Return<void, StorageError> {
  const page = { wallet, order: "asc", limit: auditLimits.perRule } as const
  const open = yield* state.driver.operations({ ...page, kinds: lienStates })
  report(state, lienViolations({ id: wallet, lien: zero }, claimed(open, "lien")))
  const txs = yield* state.driver.movements(page)
  const detail = `posts to the wallet ${wallet}, which does not exist`
  const posting = txs.filter(({ postings }) =>
    postings.some(({ account }) => account.owner === wallet && isWalletBucket(account.bucket))
  )
  for (const { id } of posting) report(state, { rule: "orphan_posting", subject: id, detail })
})

/**
 * Holds wallets that moved against what was proved of them before and what moved them since. Where they differ, a
 * transaction was written late, or something is wrong: that wallet is looked at once more, whole.
 */
export const lookAtMoved = Effect.fnUntraced(function* (
  state: AuditState,
  ids: ReadonlyArray<WalletId>
): Effect.fn.Return<void, StorageError> {
  const mark = state.options.keepUpTo ?? beginning
  const suspects: Array<WalletId> = []
  const met = new Set<WalletId>()
  for (const some of chunked(ids, auditLimits.wallets)) {
    const found = yield* state.driver.audit.wallets(
      { ids: some },
      { from: "proved", mark, open: lienStates }
    )
    const proved: Array<ProvedWallet> = []
    for (const { after, before, open, proved: known, wallet } of found) {
      met.add(wallet.id)
      const through = known === undefined || known.through < mark ? mark : known.through
      const sums = known === undefined ? before : plus(known, before)
      const wrong = [
        ...balanceViolations(wallet, plus(sums, after)),
        ...lienViolations(wallet, claimed(open, "lien"))
      ]
      if (wrong.length > 0) suspects.push(wallet.id)
      else proved.push({ id: wallet.id, through, ...sums })
    }
    yield* keep(state, proved)
    yield* progressed(state, "wallets", met.size)
  }
  yield* lookAtWallets(state, [...suspects, ...ids.filter((id) => !met.has(id))])
})

/** Holds what accounts have in suspense against what is on its way back. */
export const walkSuspense = Effect.fnUntraced(function* (
  state: AuditState
): Effect.fn.Return<void, StorageError> {
  const posted = new Map<AccountId, bigint>()
  for (const { amount, bucket, owner } of state.sums.values()) {
    if (bucket === "suspense") posted.set(owner as AccountId, amount)
  }
  const accounts = [...new Set([...posted.keys(), ...state.suspense.keys()])]
  yield* lookAtSuspense(
    state,
    accounts.filter((account) => posted.get(account) !== state.suspense.get(account))
  )
})

/** Each of these accounts in one snapshot. */
export const lookAtSuspense = Effect.fnUntraced(function* (
  state: AuditState,
  accounts: ReadonlyArray<AccountId>
): Effect.fn.Return<void, StorageError> {
  const open = claimingStates.filter(({ kind }) => kind === "return" || kind === "psp_return")
  for (const some of chunked(accounts, auditLimits.walletsAlone)) {
    const found = yield* state.driver.audit.suspense(some, { kinds: suspenseKinds, open })
    for (const one of found) {
      report(state, suspenseViolations(one.account, one.posted, claimed(one.open, "suspense")))
    }
  }
})
