import { blockAudit } from "./BlockAudit.ts"
import { chargeAudit, depositAudit } from "./ChargeAudit.ts"
import type { AccountId } from "../kernel/Ids.ts"
import type { Audited, AuditRule, Claims } from "./AuditRule.ts"
import { misbookings } from "./AuditRule.ts"
import { txViolations } from "./LedgerAudit.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { pspReturnAudit } from "./PspReturnAudit.ts"
import { returnAudit } from "./ReturnAudit.ts"
import { transferAudit } from "./TransferAudit.ts"
import { withdrawalAudit } from "./WithdrawalAudit.ts"
import type { AuditStates, AuditSubject, AuditWallet } from "../ports/AuditReads.ts"
import type { Violation } from "../ports/StorageDriver.ts"
import type { Queue, StoredRow } from "../units/Unit.ts"

/** Each kind's rules, as they stand beside it. */
const rules = new Map<string, AuditRule>(
  [
    chargeAudit,
    depositAudit,
    withdrawalAudit,
    returnAudit,
    pspReturnAudit,
    blockAudit,
    transferAudit
  ].map((rule) => [rule.kind, rule])
)

/** The states in which something is set aside for an entity. */
export const claimingStates: AuditStates = [...rules.values()].flatMap(({ claiming, kind }) =>
  claiming === undefined ? [] : [{ kind, statuses: claiming.statuses }]
)

/** The lines in which entities stand, and the states in which they do. */
export const attended = (() => {
  const lines = [...rules.values()].flatMap((rule) => Object.entries(rule.lines ?? {}))
  return {
    queues: [...new Set(lines.flatMap(([_, queues]) => queues))] as ReadonlyArray<Queue>,
    statuses: [...new Set(lines.map(([status]) => status))]
  }
})()

const auditedOf = (row: StoredRow): Audited => ({
  ...row,
  account: row.account as AccountId,
  amount: row.amount ?? 0n,
  fields: JSON.parse(row.document) as Audited["fields"]
})

/** What is said of a row whose document is damaged: nothing of it can be checked. */
const unreadable = (subject: string): Violation => ({
  rule: "unreadable",
  subject,
  detail: "has a document, or an amount in it, that cannot be read"
})

/** What is wrong with an operation and with what is booked for it. */
export const subjectViolations = (subject: AuditSubject): ReadonlyArray<Violation> => {
  const { booked, row } = subject
  const rule = rules.get(row.kind)
  const ofTxs = booked.flatMap(violationsOfTx)
  if (rule === undefined) return ofTxs
  try {
    return [...ofTxs, ...entityViolations(rule, auditedOf(row), subject)]
  } catch {
    return [...ofTxs, unreadable(row.id)]
  }
}

/** What is wrong with a ledger transaction by itself. */
export const violationsOfTx = (tx: LedgerTx): ReadonlyArray<Violation> =>
  txViolations(tx).map((violation) => ({ ...violation, subject: tx.id }))

const entityViolations = (
  rule: AuditRule,
  entity: Audited,
  { booked, hasEvent, lines }: AuditSubject
): ReadonlyArray<Violation> => {
  const { amount, id: subject, status } = entity
  const misbooked = misbookings(rule, entity, booked).map((name) => ({
    rule: name,
    subject,
    detail: `is ${status} over ${amount} centavos with [${bookingsText(booked)}]`
  }))
  const queues = rule.lines?.[status]
  const isUnattended =
    queues !== undefined && !queues.some((queue) => lines.includes(queue as Queue))
  const isEventMissing = !hasEvent && rule.needsEvent?.(entity) === true
  const { holds } = rule
  return [
    ...misbooked,
    ...(holds === undefined || holds.isSo(entity)
      ? []
      : [{ rule: holds.rule, subject, detail: holds.detail }]),
    ...(isUnattended
      ? [{ rule: "unattended", subject, detail: `is ${status} and stands in no line` }]
      : []),
    ...(isEventMissing
      ? [
          {
            rule: "event_missing",
            subject,
            detail: `is ${status} and no event of its account says so`
          }
        ]
      : [])
  ]
}

/** Kinds, amounts, and where they went: no id and no document. */
const bookingsText = (booked: ReadonlyArray<LedgerTx>): string =>
  booked
    .map(({ amount, kind, postings }) => {
      const moves = postings.map((posting) => `${posting.account.bucket} ${posting.amount}`)
      return `${kind} ${amount} (${moves.toSorted().join(", ")})`
    })
    .toSorted()
    .join("; ")

/** What an operation has set aside; nothing where that cannot be read, which is told elsewhere. */
export const claimsOf = (row: StoredRow): Claims => {
  const claiming = rules.get(row.kind)?.claiming
  if (claiming === undefined || !claiming.statuses.includes(row.status)) return {}
  try {
    return claiming.claims(auditedOf(row))
  } catch {
    return {}
  }
}

export const claimed = (rows: ReadonlyArray<StoredRow>, what: keyof Claims): bigint =>
  rows.reduce((sum, row) => sum + (claimsOf(row)[what] ?? 0n), 0n)

const buckets = ["available", "held", "promotional"] as const

/** Rules `wallet_mismatch`, `negative`: a balance is the sum of its postings, and never below zero. */
export const balanceViolations = (
  wallet: AuditWallet["wallet"],
  posted: AuditWallet["before"]
): ReadonlyArray<Violation> => [
  ...buckets.flatMap((bucket) =>
    posted[bucket] === wallet[bucket]
      ? []
      : [
          {
            rule: "wallet_mismatch",
            subject: wallet.id,
            detail: `${bucket} is ${wallet[bucket]} centavos and its postings sum to ${posted[bucket]}`
          }
        ]
  ),
  ...([...buckets, "lien"] as const).flatMap((bucket) =>
    wallet[bucket] >= 0n
      ? []
      : [
          {
            rule: "negative",
            subject: wallet.id,
            detail: `${bucket} is ${wallet[bucket]} centavos`
          }
        ]
  )
]

/** Rules `lien_missing`, `lien_unclaimed`: the lien is what the wallet's blocks claim, no less and no more. */
export const lienViolations = (
  { id: subject, lien }: Pick<AuditWallet["wallet"], "id" | "lien">,
  claim: bigint
): ReadonlyArray<Violation> => {
  if (lien === claim) return []
  const detail = `has a lien of ${lien} centavos for blocks that claim ${claim}`
  return [{ rule: lien < claim ? "lien_missing" : "lien_unclaimed", subject, detail }]
}

/** Rule `held_mismatch`: what is held is what the wallet's open operations hold. */
export const heldViolations = (
  { held, id: subject }: AuditWallet["wallet"],
  claim: bigint
): ReadonlyArray<Violation> => {
  if (held === claim) return []
  const detail = `holds ${held} centavos for operations that hold ${claim}`
  return [{ rule: "held_mismatch", subject, detail }]
}

/** Rule `suspense_mismatch`: what is in suspense is what is on its way back to payers. A refund is held in its wallet. */
export const suspenseViolations = (
  subject: AccountId,
  posted: bigint,
  claim: bigint
): ReadonlyArray<Violation> => {
  if (posted === claim) return []
  const detail = `has ${posted} centavos in suspense, and ${claim} on their way back`
  return [{ rule: "suspense_mismatch", subject, detail }]
}
