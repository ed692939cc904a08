import { DateTime } from "effect"
import type { WalletId } from "../kernel/Ids.ts"
import { isWalletBucket } from "../ledger/LedgerAccount.ts"
import type { Facts, WalletFact } from "./Facts.ts"
import {
  attemptName,
  eventName,
  jobName,
  ledgerName,
  scopeName,
  scopesOf,
  stands,
  uniqueName
} from "./Facts.ts"
import type { Refused } from "./Refused.ts"
import {
  DuplicateKey,
  InsufficientFunds,
  LeaseLost,
  LimitExceeded,
  NotEmpty,
  StaleVersion
} from "./Refused.ts"
import type { Unit } from "./Unit.ts"

/**
 * Decides whether a unit may be written, given the facts: undefined, or the first expectation that does not
 * hold. This is the only place where the rules of the write door are told; every storage decides by it.
 */
export const decide = (facts: Facts, unit: Unit): Refused | undefined =>
  decideNames(facts, unit) ??
  decideLeases(facts, unit) ??
  decideVersions(facts, unit) ??
  decideCounters(facts, unit) ??
  decideWallets(facts, unit)

/** Decides every unit in order, each on what the accepted ones before it leave. Changes `facts` on the way. */
export const decideAll = (
  facts: Facts,
  units: ReadonlyArray<Unit>
): ReadonlyArray<Refused | undefined> =>
  units.map((unit) => {
    const refused = decide(facts, unit)
    if (refused === undefined) apply(facts, unit)
    return refused
  })

const decideNames = (facts: Facts, unit: Unit): Refused | undefined => {
  const idempotency = unit.idempotency
  if (idempotency !== undefined) {
    for (const scope of scopesOf(unit)) {
      const fact = facts.idempotency.get(scopeName(scope))
      if (
        idempotency._tag === "Begin" &&
        fact !== undefined &&
        stands(fact, idempotency.asOf ?? unit.at)
      )
        return new DuplicateKey({ space: "idempotency", key: scope.key })
      const isOpen = fact?.entity === idempotency.entity && !fact.isAnswered
      if (idempotency._tag === "Complete" && !isOpen)
        return new StaleVersion({ id: idempotency.entity })
    }
  }
  for (const key of unit.keys ?? []) {
    if (facts.keys.has(uniqueName(key))) return new DuplicateKey({ space: key.space, key: key.key })
  }
  for (const { event } of unit.events ?? []) {
    if (facts.events.has(eventName(event)))
      return new DuplicateKey({ space: "event", key: event.key })
  }
  for (const tx of unit.ledger ?? []) {
    if (facts.ledger.has(ledgerName(tx))) {
      return new DuplicateKey({ space: "ledger", key: `${tx.kind} ${tx.source} ${tx.leg}` })
    }
  }
  for (const attempt of unit.attempts ?? []) {
    if (facts.attempts.has(attemptName(attempt))) {
      return new DuplicateKey({ space: "attempt", key: `${attempt.delivery} ${attempt.number}` })
    }
  }
  for (const wallet of unit.opens ?? []) {
    if (facts.wallets.has(wallet)) return new DuplicateKey({ space: "wallet", key: wallet })
  }
  for (const row of unit.inserts ?? []) {
    if (facts.rows.has(row.id)) return new DuplicateKey({ space: "row", key: row.id })
  }
  return undefined
}

const decideLeases = (facts: Facts, unit: Unit): Refused | undefined => {
  for (const job of unit.jobs ?? []) {
    if (job._tag !== "Finish" && job._tag !== "Retry") continue
    if (facts.jobs.get(jobName(job)) !== job.token)
      return new LeaseLost({ queue: job.queue, id: job.id })
  }
  return undefined
}

const decideVersions = (facts: Facts, unit: Unit): Refused | undefined => {
  for (const { row, expected } of unit.updates ?? []) {
    if (facts.rows.get(row.id) !== expected) return new StaleVersion({ id: row.id })
  }
  for (const { id, version } of unit.expects ?? []) {
    if (facts.rows.get(id) !== version) return new StaleVersion({ id })
  }
  return undefined
}

const decideCounters = (facts: Facts, unit: Unit): Refused | undefined => {
  for (const [key, { add, max }] of counterChanges(unit)) {
    const used = facts.counters.get(key) ?? 0n
    if (max !== undefined && used + add > max) return new LimitExceeded({ key, used })
  }
  return undefined
}

/** What a unit does to one counter, and the lowest of the caps it names. */
export interface CounterChange {
  readonly add: bigint
  readonly max: bigint | undefined
}

/** Sums a unit's counters by key. A unit is one step: only where it ends counts against caps. */
export const counterChanges = (unit: Unit): ReadonlyMap<string, CounterChange> => {
  const changes = new Map<string, CounterChange>()
  for (const { key, add, max } of unit.counters ?? []) {
    const known = changes.get(key)
    const caps = [known?.max, max].filter((cap) => cap !== undefined)
    changes.set(key, {
      add: (known?.add ?? 0n) + add,
      max: caps.length === 0 ? undefined : caps.reduce((low, cap) => (cap < low ? cap : low))
    })
  }
  return changes
}

const decideWallets = (facts: Facts, unit: Unit): Refused | undefined => {
  for (const [wallet, change] of walletChanges(unit)) {
    const before = (unit.opens ?? []).includes(wallet) ? nothing : facts.wallets.get(wallet)
    if (before === undefined) return new StaleVersion({ id: wallet })
    const after = moved(before, change)
    for (const bucket of ["available", "held", "promotional", "lien"] as const) {
      if (after[bucket] < 0n) return new InsufficientFunds({ wallet, bucket })
    }
    if (change.spends && after.available - after.lien < 0n) {
      return new InsufficientFunds({ wallet, bucket: "spendable" })
    }
  }
  for (const wallet of unit.empty ?? []) {
    const before = facts.wallets.get(wallet)
    if (before === undefined) return new StaleVersion({ id: wallet })
    const change = walletChanges(unit).get(wallet)
    const after = change === undefined ? before : moved(before, change)
    if (
      after.available !== 0n ||
      after.held !== 0n ||
      after.promotional !== 0n ||
      after.lien !== 0n
    ) {
      return new NotEmpty({ wallet })
    }
  }
  return undefined
}

/** What a unit does to one wallet, all its postings and liens together. */
export interface WalletChange extends WalletFact {
  /** Whether a posting asked that what is spendable stays at zero or above. */
  readonly spends: boolean
}

const nothing: WalletFact = { available: 0n, held: 0n, promotional: 0n, lien: 0n }

const moved = (fact: WalletFact, change: WalletFact): WalletFact => ({
  available: fact.available + change.available,
  held: fact.held + change.held,
  promotional: fact.promotional + change.promotional,
  lien: fact.lien + change.lien
})

/** Sums a unit's postings and liens by wallet. A unit is one step: only where it ends counts against floors. */
export const walletChanges = (unit: Unit): ReadonlyMap<WalletId, WalletChange> => {
  const changes = new Map<WalletId, { -readonly [K in keyof WalletChange]: WalletChange[K] }>()
  const of = (wallet: WalletId) => {
    const known = changes.get(wallet)
    if (known !== undefined) return known
    const made = { ...nothing, spends: false }
    changes.set(wallet, made)
    return made
  }
  for (const tx of unit.ledger ?? []) {
    for (const { account, amount, spends } of tx.postings) {
      if (!isWalletBucket(account.bucket)) continue
      const change = of(account.owner as WalletId)
      change[account.bucket] += amount
      if (spends) change.spends = true
    }
  }
  for (const { wallet, delta } of unit.liens ?? []) of(wallet).lien += delta
  return changes
}

const apply = (facts: Facts, unit: Unit): void => {
  applyNames(facts, unit)
  for (const job of unit.jobs ?? []) {
    if (job._tag === "Schedule") facts.jobs.set(jobName(job), job.lease?.token ?? null)
    else if (job._tag === "Retry") facts.jobs.set(jobName(job), null)
    else facts.jobs.delete(jobName(job))
  }
  for (const row of unit.inserts ?? []) facts.rows.set(row.id, 1)
  for (const { row, expected } of unit.updates ?? []) facts.rows.set(row.id, expected + 1)
  for (const { key, add } of unit.counters ?? []) {
    facts.counters.set(key, (facts.counters.get(key) ?? 0n) + add)
  }
  for (const wallet of unit.opens ?? []) facts.wallets.set(wallet, nothing)
  for (const [wallet, change] of walletChanges(unit)) {
    facts.wallets.set(wallet, moved(facts.wallets.get(wallet) ?? nothing, change))
  }
}

const applyIdempotency = (facts: Facts, { idempotency }: Unit): void => {
  if (idempotency?._tag === "Begin") {
    const { entity, expiresAt, scope, snapshot } = idempotency
    const expiresAtMillis = DateTime.toEpochMillis(expiresAt)
    const isAnswered = snapshot !== null
    facts.idempotency.set(scopeName(scope), { entity, expiresAtMillis, isAnswered })
    return
  }
  for (const name of idempotency?.scopes.map(scopeName) ?? []) {
    const fact = facts.idempotency.get(name)
    if (fact !== undefined) facts.idempotency.set(name, { ...fact, isAnswered: true })
  }
}

const applyNames = (facts: Facts, unit: Unit): void => {
  applyIdempotency(facts, unit)
  for (const key of unit.keys ?? []) facts.keys.add(uniqueName(key))
  for (const { event } of unit.events ?? []) facts.events.add(eventName(event))
  for (const tx of unit.ledger ?? []) facts.ledger.add(ledgerName(tx))
  for (const attempt of unit.attempts ?? []) facts.attempts.add(attemptName(attempt))
}
