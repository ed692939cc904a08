import type { Books, StoredOperation } from "./Books.ts"
import { isShort, textOf } from "./Books.ts"

/** What moved at a bank under one of our references. */
export interface Moved {
  readonly kind: "Deposit" | "Payout" | "Reversal" | "Return"
  readonly reference: string
  readonly endToEndId: string
  readonly amount: bigint
  /** In true time. */
  readonly at: number
  /** When the bank took the order, where we gave it one. */
  readonly takenAt?: number
  /** The name that the network gives a return, or what came back of a payout. */
  readonly returnId?: string
}

/** What a bank has to say about who paid whom. */
export interface Truth {
  readonly psp: string
  readonly movements: ReadonlyArray<Moved>
  readonly cash: bigint
  /** End-to-end ids of payments about which fraud was reported to it. */
  readonly reported?: ReadonlySet<string>
  /** References about which it has told what was not so, and as what that may be on record. */
  readonly untrue: ReadonlyMap<string, ReadonlySet<string>>
}

/** Our id without its hyphens is our reference at a bank. */
const referenceOf = ({ row }: StoredOperation): string => row.id.replaceAll("-", "")

const sumOf = (moved: ReadonlyArray<Moved>): bigint =>
  moved.reduce((sum, { amount }) => sum + amount, 0n)

/**
 * Holds what is stored against what the banks did, to the centavo. A difference is a violation, but where the bank has told
 * an untruth about just that: then the contradiction must be on record, or before a person, or decided by one.
 */
export const judgeByWorld = (books: Books, truths: ReadonlyArray<Truth>): ReadonlyArray<string> => {
  const { operations } = books
  const judged = truths.flatMap((truth) => {
    const ours = operations.filter((one) => textOf(one, "pspCredentialId") === truth.psp)
    return new Judge(truth, ours, books).violations(books.clearing.get(truth.psp))
  })
  return [...books.audit.map((violation) => `audit: ${violation}`), ...judged, ...unended(books)]
}

/** What left a bank under the name of an operation, and what we say of it, in centavos. */
interface Left {
  readonly left: bigint
  readonly should: bigint
  /** The orders of it that the bank has carried out. */
  readonly ordered: ReadonlyArray<Moved>
}

/** What is over by itself. All else has to be before a person. */
const ends: Readonly<Record<string, ReadonlyArray<string>>> = {
  charge: ["completed", "expired", "cancelled", "failed"],
  withdrawal: ["completed", "failed", "reversed"],
  return: ["confirmed", "failed", "replaced"]
}

const unended = ({ operations, parked }: Books): ReadonlyArray<string> =>
  operations.flatMap((one) => {
    const { id, kind, status } = one.row
    const isOver = ends[kind]?.includes(status) ?? true
    if (isShort(one) && !parked.has(id))
      return [`liveness: ${kind} ${id} waits for money for ever, and there is enough`]
    return isOver || one.isInReview || parked.has(id)
      ? []
      : [`liveness: ${kind} ${id} is ${status} for ever`]
  })

class Judge {
  private readonly truth: Truth
  private readonly ours: ReadonlyArray<StoredOperation>
  private readonly contradicted: Books["contradicted"]
  private readonly parked: ReadonlySet<string>
  private readonly found: Array<string> = []
  /** Whether the ledger may differ from the bank: a contradiction stands for it, or a person is to decide. */
  private mayDiffer = false
  /** What left the bank and is in the ledger, because a person said so; that it does is on record. */
  private misjudged = 0n

  constructor(truth: Truth, ours: ReadonlyArray<StoredOperation>, { contradicted, parked }: Books) {
    this.truth = truth
    this.ours = ours
    this.contradicted = contradicted
    this.parked = parked
  }

  /** @param clearing What the ledger says of the bank: negative where the bank has money of ours. */
  violations(clearing = 0n): ReadonlyArray<string> {
    this.moneyIn()
    this.payouts()
    this.returns()
    this.records()
    const { cash, psp } = this.truth
    // Everything agrees one by one, so that the sums must (P1 to P3, over the border).
    const expected = -clearing - this.misjudged
    if (this.found.length === 0 && !this.mayDiffer && expected !== cash)
      this.found.push(`world: the ledger has ${expected} at ${psp}, and the bank has ${cash}`)
    return this.found
  }

  private ofKind(kind: string): ReadonlyArray<StoredOperation> {
    return this.ours.filter(({ row }) => row.kind === kind)
  }

  private moved(kind: Moved["kind"]): ReadonlyArray<Moved> {
    return this.truth.movements.filter((movement) => movement.kind === kind)
  }

  /** Every payment is booked once, under its end-to-end id, and nothing is booked that nobody paid (P10 to P13). */
  private moneyIn(): void {
    const booked = new Map<string, Array<StoredOperation>>()
    for (const one of [...this.ofKind("charge"), ...this.ofKind("deposit")]) {
      const endToEndId = textOf(one, "e2eId")
      if (endToEndId !== undefined) booked.set(endToEndId, [...(booked.get(endToEndId) ?? []), one])
    }
    const paid = new Map<string, Moved>()
    for (const deposit of this.moved("Deposit")) {
      paid.set(deposit.endToEndId, deposit)
      const [one, ...more] = booked.get(deposit.endToEndId) ?? []
      const what = `payment ${deposit.endToEndId} of ${deposit.reference}`
      if (one === undefined) this.differs(`${what} is not booked`, deposit.reference)
      else if (more.length > 0)
        this.found.push(`money in: ${what} is booked ${more.length + 1} times`)
      else if (one.row.amount !== deposit.amount)
        this.differs(
          `${what} is booked as ${one.row.amount}, not ${deposit.amount}`,
          deposit.reference
        )
      else if (this.isHidden(one, deposit.reference))
        this.found.push(`world: ${what} is in suspense, and its charge has shown it all along`)
    }
    for (const [endToEndId, [one]] of booked) {
      if (paid.has(endToEndId) || one === undefined) continue
      const charge = textOf(one, "charge")?.replaceAll("-", "") ?? referenceOf(one)
      this.differs(`${one.row.kind} ${one.row.id} books ${endToEndId}, which nobody paid`, charge)
    }
  }

  /** Whether a payment counts as one that nobody asked for, though it is of a charge of ours, of which its bank told no lie. */
  private isHidden({ document, row }: StoredOperation, reference: string): boolean {
    return (
      row.kind === "deposit" &&
      document["reason"] === "unidentified" &&
      !this.truth.untrue.has(reference) &&
      this.ofKind("charge").some((charge) => referenceOf(charge) === reference)
    )
  }

  /** A withdrawal is paid at most once, and given back only where it is not paid (P14 to P17, P32). */
  private payouts(): void {
    const out = grouped(this.moved("Payout"))
    const back = grouped(this.moved("Reversal"))
    for (const one of this.ofKind("withdrawal")) {
      const reference = referenceOf(one)
      const paid = out.get(reference) ?? []
      const reversed = back.get(reference) ?? []
      out.delete(reference)
      const what = `withdrawal ${one.row.id} (${one.row.status})`
      if (paid.length > 1)
        this.found.push(`money out: ${what} was paid ${paid.length} times by the bank`)
      // A bank that finds nothing by our name of it does not tell: then a person is shown that it could not be sent.
      const isShown = one.isInReview && one.document["unsentSince"] !== undefined
      if (this.parked.has(one.row.id) && paid.length > 0 && !isShown)
        this.found.push(`money out: ${what} was paid, and waits for its owner`)
      const net = (one.row.amount ?? 0n) - BigInt(textOf(one, "feeAmount") ?? "0")
      // The bank tells the amount with every word of it, so that only a person can take another one for right.
      const isAnother = paid.some(({ amount }) => amount !== net)
      if (isAnother && isPaidOut(one) && !isDecided(one))
        this.found.push(`money out: ${what} over ${net} is taken for paid by ${sumOf(paid)}`)
      if (lacksMoney(one)) this.found.push(`money out: ${what} was given up for want of money`)
      const left = sumOf(paid) - sumOf(reversed)
      const should = one.row.status === "completed" ? net : 0n
      if (one.isInReview || !ends["withdrawal"]?.includes(one.row.status)) {
        this.mayDiffer = true
        continue
      }
      this.ended(one, { left, should, ordered: paid })
    }
    for (const reference of out.keys())
      this.found.push(`money out: the bank paid ${reference}, which is no withdrawal`)
  }

  /** What goes back goes back once, and never more than was paid (P20 to P23). */
  private returns(): void {
    const sent = grouped(this.moved("Return"))
    const paid = new Map(
      this.moved("Deposit").map(({ amount, endToEndId }) => [endToEndId, amount])
    )
    const back = new Map<string, bigint>()
    for (const { amount, endToEndId } of this.moved("Return"))
      back.set(endToEndId, (back.get(endToEndId) ?? 0n) + amount)
    for (const [endToEndId, amount] of back)
      if (amount > (paid.get(endToEndId) ?? 0n))
        this.found.push(`returns: ${amount} of ${endToEndId} went back, more than was paid`)
    for (const one of this.ofKind("return")) {
      const reference = referenceOf(one)
      const done = sent.get(reference) ?? []
      const left = sumOf(done)
      sent.delete(reference)
      this.ownName(one, done)
      const { amount, status } = one.row
      if (one.isInReview || !ends["return"]?.includes(status)) {
        this.mayDiffer = true
        continue
      }
      const should = status === "confirmed" ? (amount ?? 0n) : 0n
      this.ended(one, { left, should, ordered: done })
    }
    this.byBank(sent)
    for (const reference of sent.keys())
      this.found.push(`returns: the bank returned ${reference}, which is none of ours`)
  }

  /** What left the bank is what we say, or it is on record that a person said otherwise. */
  private ended(one: StoredOperation, { left, ordered, should }: Left): void {
    const { id, kind, status } = one.row
    const reference = referenceOf(one)
    const isOnRecord = this.contradicted.get(reference)?.has("failed_but_paid") === true
    if (isOnRecord && isMisjudged(one, ordered)) this.misjudged += left - should
    else if (left !== should)
      this.differs(
        `${kind} ${id} (${status}) left the bank with ${left}, not ${should}`,
        reference,
        one
      )
  }

  /** What the bank gives back by itself is booked once, under its own name of it, and nothing is that it did not give back. */
  private byBank(sent: Map<string, ReadonlyArray<Moved>>): void {
    for (const one of this.ofKind("psp_return")) {
      const reference = textOf(one, "reference") ?? ""
      const [done, ...more] = sent.get(reference) ?? []
      sent.delete(reference)
      const isSame =
        done?.amount === one.row.amount && done?.endToEndId === textOf(one, "endToEndId")
      if (!isSame || more.length > 0)
        this.found.push(`returns: ${one.row.id} books ${reference}, which the bank did not return`)
    }
  }

  /** A return has the name that the bank gave it, and not that of another: who asks the bank by that would be told of the other. */
  private ownName(one: StoredOperation, done: ReadonlyArray<Moved>): void {
    const name = textOf(one, "returnId")
    const isMadeUp = this.truth.untrue.get(referenceOf(one))?.has("completed_but_rejected") === true
    if (name === undefined || isMadeUp || done.some(({ returnId }) => returnId === name)) return
    const names = done.map(({ returnId }) => returnId).join(" and ")
    this.found.push(`returns: ${one.row.id} is booked as ${name}, and the bank has ${names}`)
  }

  /** What is on record against the bank is what follows from its own words, and nothing else. */
  private records(): void {
    const ordered = grouped([...this.moved("Payout"), ...this.moved("Return")])
    for (const one of this.ours) {
      const reference = referenceOf(one)
      const may = new Set(this.truth.untrue.get(reference))
      if (isMisjudged(one, ordered.get(reference) ?? [])) may.add("failed_but_paid")
      for (const reason of this.contradicted.get(reference) ?? [])
        if (!may.has(reason) && !this.isReport(one, reason))
          this.found.push(
            `world: ${reason} of ${one.row.kind} ${one.row.id} is on record, and the bank told nothing of the kind`
          )
    }
  }

  private isReport(one: StoredOperation, reason: string): boolean {
    const isReported = this.truth.reported?.has(textOf(one, "e2eId") ?? "") === true
    return reason === "infraction_reported" && isReported
  }

  /** What was told of it excuses a difference where just that is on record, or a person has decided. */
  private differs(what: string, reference: string, one?: StoredOperation): void {
    const may = this.truth.untrue.get(reference)
    const onRecord = [...(this.contradicted.get(reference) ?? [])]
    const isResolved = one !== undefined && isDecided(one)
    if (may !== undefined && (isResolved || onRecord.some((reason) => may.has(reason))))
      this.mayDiffer = true
    else
      this.found.push(
        `world: ${what}${onRecord.map((reason) => `, on record as ${reason}`).join("")}`
      )
  }
}

const isPaidOut = ({ row }: StoredOperation): boolean =>
  row.status === "completed" || row.status === "reversed"

/** What a bank has not taken waits until there is money for it; only what it has taken it may give up. */
const lacksMoney = (one: StoredOperation): boolean =>
  one.row.status === "failed" &&
  textOf(one, "failureReason") === "insufficient_psp_balance" &&
  textOf(one, "pspReference") === undefined

/** A person has said how it ended. */
const isDecided = ({ document }: StoredOperation): boolean => document["resolution"] !== undefined

/**
 * A person said that it failed, and the bank had its order by then: what was sent off when nothing was to be found there lay for
 * minutes in a process that stood still. Before the order was there nobody could say so, since it was under way.
 */
const isMisjudged = (one: StoredOperation, ordered: ReadonlyArray<Moved>): boolean => {
  const { resolution } = one.document
  if (one.row.status !== "failed" || !isResolution(resolution) || ordered.length === 0) return false
  return ordered.every(({ at, takenAt = at }) => takenAt < Date.parse(resolution.at))
}

const isResolution = (value: unknown): value is { readonly at: string } =>
  typeof value === "object" && value !== null && "at" in value && typeof value.at === "string"

const grouped = (moved: ReadonlyArray<Moved>): Map<string, ReadonlyArray<Moved>> => {
  const groups = new Map<string, ReadonlyArray<Moved>>()
  for (const one of moved) groups.set(one.reference, [...(groups.get(one.reference) ?? []), one])
  return groups
}
