import type {
  Claim,
  Claimed,
  FailedExpectation,
  IdempotencyScope,
  IdempotencyWrite,
  JobRef,
  JobWrite,
  Leaseless,
  MergedUnit,
  Renewal,
  Row,
  Unit
} from "@pagora/core"
import { DateTime, Duration } from "effect"
import { OwnersWitness } from "./OwnersWitness.ts"
import { RecordsWitness } from "./RecordsWitness.ts"

/** Who holds a job, and until when by the clock of the storage. */
interface Lease {
  readonly token: string
  readonly until: number
}

interface BegunKey {
  readonly entity: string
  readonly ends: number
  isAnswered: boolean
}

interface WalletBook {
  available: bigint
  held: bigint
  promotional: bigint
  lien: bigint
}
type Bucket = Exclude<keyof WalletBook, "lien">

const walletBuckets: ReadonlySet<string> = new Set<Bucket>(["available", "held", "promotional"])

/** A storage may forget the identity of a write that is older. */
const identitiesKeptMillis = Duration.toMillis("1 day")

/** Whoever has written an intent tells the PSP within five seconds, or not at all; clocks differ a little. */
const leavesWithinMillis = 10_000

const keyName = ({ key, route, wallet }: IdempotencyScope): string => `${wallet} ${route} ${key}`

const nameOf = (job: JobRef): string => `${job.queue} ${job.id}`

/**
 * Stands at the door of the storage and keeps books of its own of what comes in: what a storage promises of one write
 * (`StorageDriver`) is held against what it did, by rules that are told here a second time and on purpose.
 */
export class DoorWitness {
  private readonly found: Array<string> = []
  private readonly now: () => number
  /** When each write came in. */
  private readonly written = new Map<string, number>()
  private readonly voided = new Set<string>()
  private readonly versions = new Map<string, number>()
  /** Which version of a row the PSP was told of last. */
  private readonly toldOf = new Map<string, number>()
  /** The intents of a row by which nobody has told the PSP yet, and when they came in. */
  private readonly unused = new Map<string, ReadonlyArray<number>>()
  /** When a row says that the PSP is told of it. */
  private readonly sentAt = new Map<string, string | undefined>()
  /** Everything that may be there once only. */
  private readonly names = new Set<string>()
  private readonly begun = new Map<string, BegunKey>()
  private readonly leases = new Map<string, Lease>()
  private readonly wallets = new Map<string, WalletBook>()
  private readonly counters = new Map<string, bigint>()
  private readonly owners = new OwnersWitness((what) => this.broken(what))
  private readonly records = new RecordsWitness((what) => this.broken(what))

  /** @param now By the clock of the storage. */
  constructor(now: () => number) {
    this.now = now
  }

  get violations(): ReadonlyArray<string> {
    return this.found
  }

  /** The storage has done what it was asked for, and answers this. */
  saw(method: string, [question]: ReadonlyArray<unknown>, answer: unknown): void {
    switch (method) {
      case "write":
        return this.sawWrite(
          question as MergedUnit.MergedUnit,
          answer as FailedExpectation | Leaseless | null
        )
      case "resolveWrite":
        return this.sawSettled(question as string, answer as boolean)
      case "claim":
        return this.sawClaimed(question as ReadonlyArray<Claim>, answer as ReadonlyArray<Claimed>)
      case "renew":
        return this.sawRenewed(question as Renewal, answer as boolean)
    }
  }

  /**
   * A PSP is being told to move money: intent before effect (P14). Whatever becomes of it, the intent is stored, and one of
   * its own for each time. Another process may have sent it again meanwhile, and even know how that ended: for a few seconds
   * whoever wrote the intent of before sends it all the same, and nobody relies before that on nothing being under way.
   */
  leaves(reference: string): void {
    const id = reference.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
    const version = this.versions.get(id)
    const [intent, ...others] = (this.unused.get(id) ?? []).filter(
      (at) => this.now() - at < leavesWithinMillis
    )
    this.unused.set(id, others)
    if (version === undefined || (intent === undefined && this.sentAt.get(id) === undefined))
      this.broken(`a PSP is told to pay ${reference}, and no intent is stored`)
    else if (intent === undefined && this.toldOf.get(id) === version)
      this.broken(`a PSP is told to pay ${reference} once more, by the intent of before`)
    this.toldOf.set(id, version ?? 0)
  }

  /** Something has happened that must not. */
  broken(what: string): void {
    this.found.push(`door: ${what}`)
  }

  private sawSettled(id: string, isIn: boolean): void {
    const at = this.written.get(id)
    if (isIn && at === undefined) this.broken(`write ${id} is said to be in, and is not`)
    if (isIn) return
    if (at !== undefined && this.now() - at < identitiesKeptMillis)
      this.broken(`write ${id} is said not to be in, and is`)
    this.voided.add(id)
  }

  private sawWrite(
    { id, units }: MergedUnit.MergedUnit,
    answer: FailedExpectation | Leaseless | null
  ): void {
    if (answer !== null && !("leaseless" in answer)) {
      for (const unit of units) this.records.turnedAway(unit)
      return
    }
    if (this.voided.has(id)) this.broken(`write ${id} came in after it was made void`)
    if (this.written.has(id)) this.broken(`write ${id} came in twice`)
    this.written.set(id, this.now())
    const leaseless = new Set<string>(answer?.leaseless)
    for (const unit of units) {
      this.rows(unit)
      this.once(unit)
      if (unit.idempotency !== undefined) this.key(unit.idempotency, unit.at)
      for (const job of unit.jobs ?? []) this.job(job, leaseless)
      this.money(unit)
      this.counted(unit)
      this.owners.saw(unit)
      this.records.cameIn(unit)
    }
  }

  private rows({ expects = [], inserts = [], updates = [] }: Unit): void {
    for (const { id, version } of expects) {
      const known = this.versions.get(id)
      if (known !== version)
        this.broken(`a unit rests on ${id} at ${version}, which is at ${known}`)
    }
    for (const { expected, row } of updates) {
      const known = this.versions.get(row.id)
      if (known !== expected)
        this.broken(`${row.kind} ${row.id} at ${known} was changed by who knew ${expected}`)
      this.row(row, expected + 1)
    }
    for (const row of inserts) {
      if (this.versions.has(row.id)) this.broken(`${row.kind} ${row.id} came to be twice`)
      this.row(row, 1)
    }
  }

  private row({ document, id }: Row, version: number): void {
    this.versions.set(id, version)
    const sentAt = /"sentAt":"([^"]+)"/.exec(document)?.[1]
    if (sentAt !== undefined && sentAt !== this.sentAt.get(id))
      this.unused.set(id, [...(this.unused.get(id) ?? []), this.now()])
    this.sentAt.set(id, sentAt)
  }

  private once({ attempts = [], events = [], keys = [], ledger = [] }: Unit): void {
    const names = [
      ...keys.map(({ key, space }) => `name ${space} ${key}`),
      ...events.map(({ event }) => `event ${event.account} ${event.key}`),
      ...ledger.map(({ kind, leg, source }) => `ledger ${source} ${kind} ${leg}`),
      ...attempts.map(({ delivery, number }) => `attempt ${delivery} ${number}`)
    ]
    for (const name of names) {
      if (this.names.has(name)) this.broken(`${name} is there twice`)
      this.names.add(name)
    }
  }

  private key(write: IdempotencyWrite, at: DateTime.Utc): void {
    if (write._tag === "Complete") return this.completed(write)
    const { entity, expiresAt, scope, snapshot } = write
    const known = this.begun.get(keyName(scope))
    if (known !== undefined && known.ends > DateTime.toEpochMillis(at))
      this.broken(`the key ${scope.key} was begun twice`)
    const ends = DateTime.toEpochMillis(expiresAt)
    this.begun.set(keyName(scope), { entity, ends, isAnswered: snapshot !== null })
  }

  private completed({ entity, scopes }: Extract<IdempotencyWrite, { _tag: "Complete" }>): void {
    for (const scope of scopes) {
      const known = this.begun.get(keyName(scope))
      if (known?.entity !== entity) this.broken(`the key ${scope.key} was completed for another`)
      if (known?.isAnswered === true) this.broken(`the key ${scope.key} was answered twice`)
      if (known !== undefined) known.isAnswered = true
    }
  }

  private job(write: JobWrite, leaseless: ReadonlySet<string>): void {
    const name = nameOf(write)
    const held = this.leases.get(name)
    if ("token" in write && held?.token !== write.token)
      this.broken(`job ${name} was ended or put off by who does not hold it`)
    this.leases.delete(name)
    if (write._tag !== "Schedule" || write.lease === undefined) return
    const { lease, token } = write.lease
    if (!leaseless.has(token)) this.lease(name, token, lease)
  }

  private lease(name: string, token: string, lease: Duration.Duration): void {
    this.leases.set(name, { token, until: this.now() + Duration.toMillis(lease) })
  }

  private sawClaimed(claims: ReadonlyArray<Claim>, claimed: ReadonlyArray<Claimed>): void {
    const asked = new Map(claims.map((claim) => [`${claim.queue} ${claim.token}`, claim]))
    for (const job of claimed) {
      const name = nameOf(job)
      const held = this.leases.get(name)
      const claim = asked.get(`${job.queue} ${job.token}`)
      if (claim === undefined) {
        this.broken(`job ${name} was given to who did not ask`)
        continue
      }
      if (held !== undefined && held.until > this.now())
        this.broken(`job ${name} was given to a second holder`)
      this.lease(name, job.token, claim.lease)
    }
  }

  private sawRenewed(renewal: Renewal, isHeld: boolean): void {
    const name = nameOf(renewal)
    if (isHeld !== (this.leases.get(name)?.token === renewal.token))
      this.broken(`whether job ${name} is held was told wrong`)
    if (isHeld) this.lease(name, renewal.token, renewal.lease)
  }

  private money({ empty = [], ledger = [], liens = [], opens = [] }: Unit): void {
    for (const id of opens) {
      if (this.wallets.has(id)) this.broken(`wallet ${id} was opened twice`)
      this.wallets.set(id, { available: 0n, held: 0n, promotional: 0n, lien: 0n })
    }
    const touched = new Set<string>()
    const spenders = new Set<string>()
    for (const { kind, postings, source } of ledger) {
      if (postings.reduce((sum, { amount }) => sum + amount, 0n) !== 0n)
        this.broken(`${kind} of ${source} does not balance`)
      for (const { account, amount, spends } of postings) {
        if (!walletBuckets.has(account.bucket)) continue
        this.moved(account.owner, account.bucket as Bucket, amount)
        touched.add(account.owner)
        if (spends) spenders.add(account.owner)
      }
    }
    for (const { delta, wallet } of liens) {
      this.moved(wallet, "lien", delta)
      touched.add(wallet)
    }
    for (const id of touched) this.floors(id, spenders.has(id))
    for (const id of empty) {
      const wallet = this.wallets.get(id)
      if (wallet === undefined || Object.values(wallet).some((amount) => amount !== 0n))
        this.broken(`wallet ${id} was to be empty, and is not`)
    }
  }

  /** A unit is one step: only where it ends counts against caps. */
  private counted({ counters = [] }: Unit): void {
    for (const { add, key } of counters)
      this.counters.set(key, (this.counters.get(key) ?? 0n) + add)
    for (const { key, max } of counters) {
      const used = this.counters.get(key) ?? 0n
      if (max !== undefined && used > max) this.broken(`${key} is at ${used} and may reach ${max}`)
    }
  }

  private moved(id: string, bucket: keyof WalletBook, amount: bigint): void {
    const wallet = this.wallets.get(id)
    if (wallet === undefined) this.broken(`money of wallet ${id} moved, which was never opened`)
    else wallet[bucket] += amount
  }

  private floors(id: string, spends: boolean): void {
    const wallet = this.wallets.get(id)
    if (wallet === undefined) return
    for (const [bucket, amount] of Object.entries(wallet))
      if (amount < 0n) this.broken(`${bucket} of wallet ${id} is ${amount}`)
    if (spends && wallet.available < wallet.lien)
      this.broken(`of wallet ${id} was spent what balance blocks claim of it`)
  }
}
