import type { Asked, Told } from "./Asked.ts"
import { acknowledgement, isDone } from "./Asked.ts"
import type { Answered } from "./Door.ts"
import { feeMaxOf } from "./FeesKnown.ts"
import type { Fields } from "./Json.ts"
import { at, centavosAt, codeOf, textAt } from "./Json.ts"
import type { Case } from "./Judge.ts"

const isAvailable = ({ body }: Asked): boolean => textAt(body, "bucket") !== "promotional"

/** What a request takes from a wallet at the most; 0 where it takes nothing from this one. */
const takenBy = (known: Case, one: Asked, wallet: string): number => {
  const amount = one.amount ?? 0
  switch (one.name) {
    case "withdraw":
      return one.wallet === wallet ? grossOf(one) : 0
    case "refund":
      return one.wallet === wallet
        ? amount + feeMaxOf(known.asked, one.shop, one.wallet, "refund", amount)
        : 0
    case "transfer":
      return one.wallet === wallet ? amount : 0
    case "adjust":
      return one.wallet === wallet && isAvailable(one) ? Math.max(0, -amount) : 0
    // Of a payment to a wallet that is closed by now, the main one is claimed.
    case "block":
      return one.wallet === wallet || wallet === "principal" ? amount : 0
    default:
      return 0
  }
}

const grossOf = (one: Asked): number => {
  const told = centavosAt(acknowledgement(one)?.json, "amount")
  if (told !== undefined) return told
  const isNet = one.body !== undefined && "netAmount" in one.body
  // Of a net amount the fee is that of a gross that nobody has told.
  return isNet ? Number.POSITIVE_INFINITY : (one.amount ?? 0)
}

/** What a request certainly gave a wallet before a place in the order of all that happened. */
const givenBy = (known: Case, one: Asked, wallet: string, place: number): number => {
  if (!one.told.some(({ answer, to }) => to < place && isDone(answer))) return 0
  const amount = one.amount ?? 0
  switch (one.name) {
    case "adjust":
      return one.wallet === wallet && isAvailable(one) ? Math.max(0, amount) : 0
    case "commission":
      return one.wallet === wallet ? amount : 0
    case "transfer":
      return one.subject === wallet ? amount : 0
    case "charge":
      return one.wallet === wallet ? creditedBy(known, one, place) : 0
    default:
      return 0
  }
}

/** What is left of a payment that was seen, after its fee and all legs. */
const creditedBy = ({ asked, sightings }: Case, one: Asked, place: number): number => {
  const id = textAt(acknowledgement(one)?.json, "id")
  if (!sightings.before("charge", id, place).includes("completed")) return 0
  const amount = one.amount ?? 0
  const split = at(one.body, "split")
  const legs = Array.isArray(split) ? (split as ReadonlyArray<Fields>) : []
  const given = legs.reduce((sum, leg) => sum + (centavosAt(leg, "amount") ?? 0), 0)
  return Math.max(0, amount - feeMaxOf(asked, one.shop, one.wallet, "payment", amount) - given)
}

/** What a refused request would have needed at the most; undefined where nobody can say. */
const neededBy = (known: Case, one: Asked): number | undefined => {
  const amount = Math.abs(one.amount ?? 0)
  if (one.name === "adjust") return isAvailable(one) ? amount : undefined
  if (one.name === "transfer") return amount
  const isNet = one.body !== undefined && "netAmount" in one.body
  if (one.name === "withdraw") return isNet ? undefined : amount
  return one.name === "refund"
    ? amount + feeMaxOf(known.asked, one.shop, one.wallet, "refund", amount)
    : undefined
}

/** What a wallet had available at least, at every time of a try: what it certainly got, less all that may have gone. */
const leastOf = (known: Case, asked: Asked, { from, to }: Told): number => {
  const counted = new Set<string>()
  let least = 0
  for (const one of known.asked) {
    if (one.shop !== asked.shop || one === asked || one.began >= to) continue
    if (one.outcome !== "refused") least -= takenBy(known, one, asked.wallet)
    // What was asked for twice with one key was given once.
    const made = textAt(acknowledgement(one)?.json, "id")
    if (made === "" || counted.has(made)) continue
    const given = givenBy(known, one, asked.wallet, from)
    if (given > 0) counted.add(made)
    least += given
  }
  return least
}

const isUnsure = (answer: Answered): boolean => answer === "lost" || answer.status >= 500

const unfair = (known: Case, asked: Asked): ReadonlyArray<string> =>
  asked.told.flatMap((told, place) => {
    const { answer } = told
    if (answer === "lost" || codeOf(answer.json) !== "INSUFFICIENT_BALANCE") return []
    // A try before may have taken what this one missed.
    if (asked.told.slice(0, place).some((before) => isUnsure(before.answer))) return []
    const needed = neededBy(known, asked)
    if (needed === undefined) return []
    const least = leastOf(known, asked, told)
    return least >= needed
      ? [
          `${asked.name} ${asked.operation} needed ${needed}, had ${least} at least, and was refused`
        ]
      : []
  })

/** Refusals for a balance that was large enough all the time. */
export const shortfallsDenied = (known: Case): ReadonlyArray<string> =>
  known.asked.flatMap((asked) => unfair(known, asked))
