import { Effect } from "effect"
import type { AccountId, LedgerTxId, Uuid, WalletId } from "../kernel/Ids.ts"
import { selfStanding } from "./LedgerAudit.ts"
import type { AuditStretch, AuditSum } from "../ports/AuditReads.ts"
import { attended, claimsOf, subjectViolations, violationsOfTx } from "./AuditRules.ts"
import type { StorageError } from "../units/Refused.ts"
import type {
  AuditReport,
  PageRead,
  StorageDriverShape,
  Violation
} from "../ports/StorageDriver.ts"
import type { StoredRow } from "../units/Unit.ts"

/** How much one read of an audit asks for: each is a snapshot of its own, for as long as this takes. */
export const auditLimits = {
  /** Transactions of the ledger whose postings are summed. */
  stretch: 5_000,
  /** Operations that are held against their bookings: some milliseconds of the process at a time. */
  subjects: 250,
  /** Wallets that are held against their sums, and those that are looked at one by one. */
  wallets: 250,
  walletsAlone: 20,
  deliveries: 5_000,
  /** Violations of one rule that are named; more say nothing more. */
  perRule: 1_000
} as const

export type AuditStep = "ledger" | "operations" | "wallets" | "deliveries"

export interface AuditOptions {
  /** Up to where what is found right is kept for later audits; without it nothing is kept. */
  readonly keepUpTo?: LedgerTxId
  /** Nothing is kept, whatever is said above: for those who only ask. */
  readonly isDry?: boolean
  /** Told after each read: how much of a step is done. */
  readonly onProgress?: (step: AuditStep, done: number) => Effect.Effect<void>
}

/** What an audit that goes on knows. */
export interface AuditState {
  readonly driver: StorageDriverShape
  readonly options: AuditOptions
  readonly violations: Map<string, Map<string, Violation>>
  /** By account of the ledger: up to where is kept, and in all. */
  readonly kept: Map<string, AuditSum>
  readonly sums: Map<string, AuditSum>
  readonly held: Map<WalletId, bigint>
  readonly lien: Map<WalletId, bigint>
  readonly suspense: Map<AccountId, bigint>
  readonly claimants: Set<WalletId>
  entries: number
  last: LedgerTxId | undefined
}

export const begin = (driver: StorageDriverShape, options: AuditOptions): AuditState => ({
  driver,
  options,
  violations: new Map(),
  kept: new Map(),
  sums: new Map(),
  held: new Map(),
  lien: new Map(),
  suspense: new Map(),
  claimants: new Set(),
  entries: 0,
  last: undefined
})

type Step<A = void> = Effect.Effect<A, StorageError>

export const report = (
  { violations }: AuditState,
  violation: Violation | ReadonlyArray<Violation>
): void => {
  for (const one of [violation].flat() as ReadonlyArray<Violation>) {
    const known = violations.get(one.rule) ?? new Map<string, Violation>()
    violations.set(one.rule, known)
    if (known.size < auditLimits.perRule) known.set(`${one.subject} ${one.detail}`, one)
  }
}

/** In the order of their rules and subjects. */
export const violationsOf = ({ violations }: AuditState): AuditReport["violations"] =>
  [...violations]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([_, ofRule]) =>
      [...ofRule].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([__, one]) => one)
    )

/** An account of the ledger, as a key. */
export const accountName = ({ bucket, owner }: Pick<AuditSum, "owner" | "bucket">): string =>
  `${owner} ${bucket}`

export const progressed = (
  { options }: AuditState,
  step: AuditStep,
  done: number
): Effect.Effect<void> => options.onProgress?.(step, done) ?? Effect.void

const add = (into: Map<string, AuditSum>, sum: AuditSum): void => {
  const name = accountName(sum)
  const amount = (into.get(name)?.amount ?? 0n) + sum.amount
  into.set(name, { ...sum, amount })
}

/**
 * Sums the ledger, stretch after stretch, and looks at what stands for itself. What transactions were booked for is handed
 * on.
 */
export const walkLedger = Effect.fnUntraced(function* (
  state: AuditState,
  from: LedgerTxId | undefined,
  onStretch: (stretch: AuditStretch) => Step = () => Effect.void
): Effect.fn.Return<void, StorageError> {
  const { keepUpTo } = state.options
  let after = from
  state.last = from
  // First as far as it is kept, then the rest.
  for (const upTo of keepUpTo === undefined ? [undefined] : [keepUpTo, undefined]) {
    if (upTo !== undefined && after !== undefined && after > upTo) continue
    for (let isEnd = false; !isEnd;) {
      const page = { limit: auditLimits.stretch, ...(after && { after }), ...(upTo && { upTo }) }
      const stretch = yield* state.driver.audit.stretch(page)
      yield* takeStretch(state, stretch, upTo !== undefined)
      yield* onStretch(stretch)
      after = stretch.last ?? after
      state.last = after
      isEnd = stretch.isEnd
      yield* progressed(state, "ledger", state.entries)
    }
  }
  const total = [...state.sums.values()].reduce((sum, { amount }) => sum + amount, 0n)
  if (total === 0n) return
  const detail = `all postings sum to ${total} centavos instead of zero`
  report(state, { rule: "global_sum", subject: "ledger", detail })
})

export const takeStretch = Effect.fnUntraced(function* (
  state: AuditState,
  { entries, orphans, sums, unsourced }: AuditStretch,
  isKept: boolean
): Effect.fn.Return<void, StorageError> {
  state.entries += entries
  for (const sum of sums) {
    add(state.sums, sum)
    if (isKept) add(state.kept, sum)
  }
  for (const subject of orphans) {
    const detail = "has postings, and is no transaction that exists"
    report(state, { rule: "orphan_posting", subject, detail })
  }
  if (unsourced.length === 0) return
  for (const tx of yield* state.driver.ledgerTxs(unsourced)) {
    report(state, violationsOfTx(tx))
    if (selfStanding.includes(tx.kind)) continue
    const detail = `is a ${tx.kind} over ${tx.amount} centavos, booked for what does not exist`
    report(state, { rule: "unfounded", subject: tx.id, detail })
  }
})

/** Reads page after page; `read` answers the last id of one that has others after it. */
export const walkPages = Effect.fnUntraced(function* (
  state: AuditState,
  step: AuditStep,
  { after, limit }: { readonly after: Uuid | undefined; readonly limit: number },
  read: (page: PageRead) => Step<Uuid | undefined>
): Effect.fn.Return<void, StorageError> {
  let done = 0
  let last = after
  do {
    last = yield* read({ limit, ...(last && { after: last }) })
    done += limit
    yield* progressed(state, step, done)
  } while (last !== undefined)
})

/** The last of a page that is full. */
export const lastOf = (ids: ReadonlyArray<Uuid>, limit: number): Uuid | undefined =>
  ids.length < limit ? undefined : ids.at(-1)

/** Holds the operations from an id on against what is booked for them. */
export const walkSubjects = (state: AuditState, after: Uuid | undefined): Step => {
  const limit = auditLimits.subjects
  return walkPages(state, "operations", { after, limit }, (page) =>
    Effect.map(state.driver.audit.subjects(page, attended), (subjects) => {
      takeSubjects(state, subjects)
      return lastOf(
        subjects.map(({ row }) => row.id),
        limit
      )
    })
  )
}

/** The same for certain ones. */
export const lookAtSubjects = Effect.fnUntraced(function* (
  state: AuditState,
  ids: ReadonlyArray<Uuid>
): Effect.fn.Return<void, StorageError> {
  for (const some of chunked(ids, auditLimits.subjects)) {
    takeSubjects(state, yield* state.driver.audit.subjects({ ids: some }, attended))
  }
})

const takeSubjects = (
  state: AuditState,
  subjects: ReadonlyArray<Parameters<typeof subjectViolations>[0]>
): void => {
  for (const subject of subjects) {
    report(state, subjectViolations(subject))
    takeClaims(state, subject.row)
  }
}

const takeClaims = (state: AuditState, row: StoredRow): void => {
  const { held = 0n, lien = 0n, suspense = 0n } = claimsOf(row)
  const account = row.account as AccountId
  if (suspense !== 0n) state.suspense.set(account, (state.suspense.get(account) ?? 0n) + suspense)
  if (row.kind === "return" || row.kind === "psp_return")
    state.suspense.set(account, state.suspense.get(account) ?? 0n)
  if (row.wallet === null) return
  if (row.kind === "balance_block") state.claimants.add(row.wallet)
  if (held !== 0n) state.held.set(row.wallet, (state.held.get(row.wallet) ?? 0n) + held)
  if (lien !== 0n) state.lien.set(row.wallet, (state.lien.get(row.wallet) ?? 0n) + lien)
}

/** Looks for deliveries of events that do not exist. */
export const walkDeliveries = (state: AuditState, after: Uuid | undefined): Step =>
  walkPages(state, "deliveries", { after, limit: auditLimits.deliveries }, (page) =>
    lookAtDeliveries(state, page)
  )

/** The same for so many; answers the last one, where there may be more. */
export const lookAtDeliveries = (state: AuditState, page: PageRead): Step<Uuid | undefined> =>
  Effect.map(state.driver.audit.deliveries(page), ({ last, loose }) => {
    for (const { event, id } of loose) {
      report(state, { rule: "delivery_without_event", subject: id, detail: `of event ${event}` })
    }
    return last
  })

export const chunked = <A>(
  values: ReadonlyArray<A>,
  size: number
): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size)
  )
