import type { LedgerTx, Row, Unit } from "@pagora/core"

/** An account, or a sub-account of one, as it is stored. Each has the id of its wallet. */
interface Owner {
  readonly kind: string
  readonly account: string
  readonly status: string
}

const owning: ReadonlySet<string> = new Set(["account", "sub_account"])
const ofWallets: ReadonlySet<string> = new Set(["available", "held", "promotional"])

/**
 * Knows how the owners of all wallets stand. What comes in has to fit that at the very moment, whatever whoever decided on it had
 * read: somebody else may have suspended or closed one of them meanwhile.
 */
export class OwnersWitness {
  private readonly owners = new Map<string, Owner>()
  private readonly broken: (what: string) => void

  constructor(broken: (what: string) => void) {
    this.broken = broken
  }

  /** A unit came in. */
  saw({ inserts = [], ledger = [], updates = [] }: Unit): void {
    for (const row of inserts) this.begun(row)
    for (const tx of ledger) this.moved(tx)
    for (const row of inserts) this.changed(row)
    for (const { row } of updates) this.changed(row)
  }

  private begun({ account, id, kind, wallet }: Row): void {
    if (kind === "sub_account") this.mayStart(`sub-account ${id}`, account)
    if (kind !== "transfer") return
    this.mayStart(`transfer ${id}`, account)
    this.mayStart(`transfer ${id}`, wallet)
  }

  private mayStart(what: string, id: string | null | undefined): void {
    const owner = this.owners.get(id ?? "")
    if (owner !== undefined && owner.status !== "approved")
      this.broken(`${what} was begun by ${owner.kind} ${id}, which is ${owner.status}`)
  }

  /** Of a closed account may come back what it paid; to a closed sub-account comes nothing. */
  private moved({ kind, postings, source }: LedgerTx.LedgerTx): void {
    for (const { account, amount } of postings) {
      const owner = this.owners.get(account.owner)
      const isClosed = owner?.kind === "sub_account" && owner.status === "closed"
      if (isClosed && amount > 0n && ofWallets.has(account.bucket))
        this.broken(`${kind} of ${source} came to sub-account ${account.owner}, which is closed`)
    }
  }

  private changed({ account, id, kind, status }: Row): void {
    if (!owning.has(kind)) return
    this.owners.set(id, { kind, account: account ?? id, status })
    if (kind !== "account" || status !== "closed") return
    for (const [other, owner] of this.owners)
      if (owner.account === id && other !== id && owner.status !== "closed")
        this.broken(`account ${id} was closed, and its sub-account ${other} is ${owner.status}`)
  }
}
