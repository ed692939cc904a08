import { jobName } from "./Facts.ts"
import type { AuditReport } from "./StorageDriver.ts"
import type { MemoryState } from "./StorageMemoryState.ts"
import type { Queue } from "./Unit.ts"

type Violation = AuditReport["violations"][number]

/** In which lines something of a kind and status stands, in one of them at least, as long as it is not over. */
const linesOf: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<Queue>>>>> = {
  charge: { creating: ["charge"], pending: ["charge"] },
  withdrawal: {
    pending: ["payout", "review"],
    processing: ["payout", "review"],
    manual_review: ["payout", "review"]
  },
  return: { requested: ["return", "review"], processing: ["return", "review"] },
  balance_block: { collecting: ["block"] }
}

/** What is not over, and neither a worker nor a person will ever look at. */
export const unattendedViolations = (state: MemoryState): ReadonlyArray<Violation> =>
  [...state.rows.values()].flatMap(({ row: { id, kind, status, table } }) => {
    const lines = table === "operation" ? linesOf[kind]?.[status] : undefined
    if (lines === undefined) return []
    if (lines.some((queue) => state.jobs.has(jobName({ queue, id })))) return []
    return [{ rule: "unattended", subject: id, detail: `is ${status} and stands in no line` }]
  })

/** What of each account is in suspense is what is on its way back to payers. A refund is held in its wallet instead. */
export const suspenseViolations = (state: MemoryState): ReadonlyArray<Violation> => {
  const posted = new Map<string, bigint>()
  const refunds = new Set<string>()
  for (const { kind, postings, source } of state.ledger.values()) {
    if (kind === "hold") refunds.add(source)
    for (const { account, amount } of postings) {
      if (account.bucket !== "suspense") continue
      posted.set(account.owner, (posted.get(account.owner) ?? 0n) + amount)
    }
  }
  const open = new Map<string, bigint>()
  for (const { row } of state.rows.values()) {
    const { account, amount, id, kind, status } = row
    const isOpen = status === "requested" || status === "processing"
    if (kind !== "return" || !isOpen || refunds.has(id)) continue
    open.set(account, (open.get(account) ?? 0n) + (amount ?? 0n))
  }
  return [...new Set([...posted.keys(), ...open.keys()])].flatMap((account) => {
    const held = posted.get(account) ?? 0n
    const owed = open.get(account) ?? 0n
    const detail = `has ${held} centavos in suspense, and ${owed} on their way back`
    return held === owed ? [] : [{ rule: "suspense_mismatch", subject: account, detail }]
  })
}
