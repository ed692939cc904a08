import type { Asked } from "./Asked.ts"
import { acknowledgement } from "./Asked.ts"
import type { ShopFacts } from "./Facts.ts"
import { feesOf } from "./FeesKnown.ts"
import type { Fields } from "./Json.ts"
import { at, centavosAt, textAt, wholeAt } from "./Json.ts"
import type { Case } from "./Judge.ts"
import { idOf } from "./Names.ts"

/** What a wallet has by all that happened to it, with a sentence for everything that cannot be. */
export interface Expected {
  /** Centavos: available, held and promotional together. */
  readonly totals: ReadonlyMap<string, number>
  readonly violations: ReadonlyArray<string>
}

const walletOf = (row: Fields): string => {
  const subAccount = textAt(row, "subAccount")
  return subAccount === "" ? "principal" : subAccount
}

/** What is at hand while a shop's history is summed up. */
interface Counting {
  readonly known: Case
  readonly facts: ShopFacts
  readonly posted: Posted
  readonly violations: Array<string>
}

/** What the ledger says of one thing: the sum of a kind of its entries, in centavos; where one is named, in one wallet. */
type Posted = (source: string, kind: string, wallet?: string) => number

const postedIn = ({ entries }: ShopFacts): Posted => {
  const bySource = Map.groupBy(entries, (entry) => textAt(entry, "sourceId"))
  return (source, kind, wallet) =>
    (bySource.get(source) ?? []).reduce((sum, entry) => {
      const isOf =
        textAt(entry, "kind") === kind && (wallet === undefined || walletOf(entry) === wallet)
      return isOf ? sum + (centavosAt(entry, "amount") ?? 0) : sum
    }, 0)
}

/** A fee as it was booked, where it is one that was ever agreed on. */
const feeOf = (
  { facts, known, posted, violations }: Counting,
  row: Fields,
  kind: "payment" | "refund"
): number => {
  const id = textAt(row, "id")
  const amount = centavosAt(row, "amount") ?? 0
  const fee = -posted(id, "fee") + 0
  const agreed = feesOf(known.asked, facts.index, walletOf(row), kind, amount)
  if (!agreed.has(fee))
    violations.push(`${kind} ${id} over ${amount} cost ${fee}, and not ${[...agreed].join(" or ")}`)
  return fee
}

/** Legs of a split as they were booked: not above what was asked for, and all of them unless the net is too small. */
const legsOf = (
  { posted, violations }: Counting,
  charge: Fields,
  asked: Asked | undefined,
  net: number
): ReadonlyMap<string, number> => {
  const split = at(asked?.body, "split")
  const legs = Array.isArray(split) ? (split as ReadonlyArray<Fields>) : []
  const [id, owner] = [textAt(charge, "id"), walletOf(charge)]
  const applied = new Map<string, number>()
  let all = 0
  for (const leg of legs) {
    const to = textAt(leg, "subAccount")
    if (to === owner) continue
    const [got, wanted] = [posted(id, "internal_transfer", to), centavosAt(leg, "amount") ?? 0]
    if (got < 0 || got > wanted) violations.push(`${to} got ${got} of charge ${id}, not ${wanted}`)
    applied.set(to, got)
    all += got
  }
  if (all > net) violations.push(`charge ${id} gave ${all} away of ${net}`)
  if (-posted(id, "internal_transfer", owner) !== all)
    violations.push(`charge ${id} gave ${all} away, and its owner another amount`)
  return applied
}

/**
 * What the wallets of a shop must hold, by what the API says of each thing in the end:
 *
 * - a completed charge adds its amount less its fee, and takes its split, which other wallets get;
 * - a completed withdrawal takes its gross; one that has not ended, or failed, nothing;
 * - a completed refund takes its amount and its fee;
 * - a transfer takes here and adds there; adjustments (reversals among them) and commissions add;
 * - a balance block takes what was returned by it.
 *
 * Fees and applied legs are those that the ledger has under the thing's id, where the account's schedules and the request
 * allow them.
 */
export const expectedBalances = (known: Case, facts: ShopFacts): Expected => {
  const totals = new Map<string, number>()
  const violations: Array<string> = []
  const add = (wallet: string, amount: number) =>
    totals.set(wallet, (totals.get(wallet) ?? 0) + amount)
  const asked = new Map(
    known.asked
      .filter(({ name }) => name === "charge")
      .map((one) => [textAt(acknowledgement(one)?.json, "id"), one] as const)
  )
  const byReference = new Map(known.asked.map((one) => [one.reference ?? "", one] as const))
  const counting = { known, facts, posted: postedIn(facts), violations }

  for (const row of facts.transactions) {
    if (textAt(row, "status") !== "completed") continue
    const wallet = walletOf(row)
    const amount = centavosAt(row, "amount") ?? 0
    switch (textAt(row, "type")) {
      case "payment": {
        const net = amount - feeOf(counting, row, "payment")
        add(wallet, net)
        const one = asked.get(textAt(row, "id")) ?? byReference.get(textAt(row, "description"))
        for (const [to, got] of legsOf(counting, row, one, net)) {
          add(wallet, -got)
          add(to, got)
        }
        break
      }
      case "withdrawal":
        add(wallet, -amount)
        break
      case "refund":
        add(wallet, -amount - feeOf(counting, row, "refund"))
        break
      case "internal_transfer":
        // A leg of a split names its payment, and was counted with it.
        if (textAt(row, "metadata", "paymentTransactionId") !== "") break
        add(wallet, -amount)
        add(textAt(row, "metadata", "to"), amount)
        break
      case "adjustment":
      case "referral_commission":
        add(wallet, amount)
        break
    }
  }
  for (const block of facts.blocks)
    add(walletOf(block), -(centavosAt(block, "returnedAmount") ?? 0))
  return { totals, violations }
}

/** What makes a transaction of a type, and where it bears the reference of the request. */
const makers = {
  payment: ["charge", "description"],
  withdrawal: ["withdraw", "externalReference"],
  refund: ["refund", "description"],
  internal_transfer: ["transfer", "externalReference"],
  adjustment: ["adjust", "description"],
  referral_commission: ["commission", "externalReference"]
} as const

/** Whether one may have come of a request that nobody could answer. */
const mayBeOf = (one: Asked, row: Fields, bears: string): boolean => {
  if (one.reference !== undefined) return one.reference === textAt(row, bears)
  const isOpen = one.outcome === "open" || one.outcome === "unknown"
  const isNet = one.body !== undefined && "netAmount" in one.body
  return isOpen && (isNet || one.amount === centavosAt(row, "amount"))
}

/** What comes by itself: deposits on their way back, legs of splits, what comes back of a withdrawal. */
const isConsequence = (row: Fields): boolean =>
  (textAt(row, "description") === "" && textAt(row, "failureReason") === "deposit_blocked") ||
  textAt(row, "metadata", "paymentTransactionId") !== "" ||
  textAt(row, "description").startsWith("Reversal of the withdrawal ")

/** What nobody asked for. */
const unasked = ({ asked }: Case, facts: ShopFacts): ReadonlyArray<string> => {
  const own = asked.filter(({ shop }) => shop === facts.index)
  const told = new Set(
    own.flatMap((one) => {
      const json = acknowledgement(one)?.json
      return [textAt(json, "id"), idOf(textAt(json, "pspRefundTransactionId"))]
    })
  )
  return Object.entries(makers).flatMap(([type, [name, bears]]) => {
    const makings = own.filter((one) => one.name === name)
    return facts.transactions
      .filter((row) => textAt(row, "type") === type)
      .filter((row) => !told.has(textAt(row, "id")) && !isConsequence(row))
      .filter((row) => !makings.some((one) => mayBeOf(one, row, bears)))
      .map((row) => `nobody asked for the ${type} ${textAt(row, "id")} of shop ${facts.index}`)
  })
}

/** Every wallet holds what its history says, and its history has nothing that nobody asked for. */
export const balancesBroken = (known: Case): ReadonlyArray<string> =>
  known.facts.shops.flatMap((facts) => {
    const { totals, violations } = expectedBalances(known, facts)
    const wrong = facts.balances.flatMap((row) => {
      const wallet = walletOf(row)
      const [held, expected] = [wholeAt(row, "total", "amount"), totals.get(wallet) ?? 0]
      return held === expected
        ? []
        : [`${wallet} of shop ${facts.index} holds ${held}, and its history says ${expected}`]
    })
    return [...violations, ...wrong, ...unasked(known, facts)]
  })
