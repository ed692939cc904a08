import type { Books, StoredOperation } from "./Books.ts"
import { bornAt } from "./Books.ts"
import type { Asked } from "./programs/Asked.ts"
import { isDone } from "./programs/Asked.ts"
import { at, centavosAt } from "./programs/Json.ts"
import type { Made } from "./programs/Made.ts"
import { madeBy } from "./programs/Made.ts"
import type { ProgramShop } from "./programs/Operation.ts"

/** Limits of withdrawals that somebody asked for, in centavos, and when they may first and did surely last come. */
interface Limits {
  readonly began: number
  readonly acknowledged: number
  readonly most: number
  readonly daily: number
}

const none = Number.POSITIVE_INFINITY

const changesOf = (asked: ReadonlyArray<Asked>, shop: number): ReadonlyArray<Limits> =>
  asked.flatMap((one) => {
    const limits = at(one.body, "limits", "withdrawal")
    const isIt = one.name === "changeAccount" && one.shop === shop && limits !== undefined
    if (!isIt || one.outcome === "refused") return []
    return {
      began: one.began,
      acknowledged: one.told.find(({ answer }) => isDone(answer))?.to ?? none,
      most: centavosAt(limits, "max") ?? none,
      daily: centavosAt(limits, "daily") ?? none
    }
  })

/** The limits that can have been in force when something was accepted: not what was surely replaced before. */
const inForce = (all: ReadonlyArray<Limits>, { acknowledged, began }: Made) =>
  all.filter(
    (one) =>
      one.began < acknowledged &&
      !all.some((later) => later.began > one.acknowledged && later.acknowledged < began)
  )

const hourMillis = 3_600_000

/** The day of the Central Bank, three hours behind UTC all the year. */
const dayOf = (withdrawal: StoredOperation): string =>
  new Date(bornAt(withdrawal) - 3 * hourMillis).toISOString().slice(0, 10)

/** What was withdrawn and did not come to nothing counts, from its acceptance on. */
const counts = ({ row }: StoredOperation): boolean => !["failed", "reversed"].includes(row.status)

interface Accepted {
  readonly made: Made
  readonly withdrawal: StoredOperation
}

const brokenBy = (
  { made, withdrawal }: Accepted,
  all: ReadonlyArray<Accepted>,
  limits: ReadonlyArray<Limits>
): ReadonlyArray<string> => {
  const possible = inForce(limits, made)
  const amount = Number(withdrawal.row.amount ?? 0n)
  const most = Math.max(...possible.map((one) => one.most))
  const daily = Math.max(...possible.map((one) => one.daily))
  const day = dayOf(withdrawal)
  const sum = all
    .filter((one) => one.made.acknowledged < made.began && counts(one.withdrawal))
    .filter((one) => one.withdrawal !== withdrawal && dayOf(one.withdrawal) === day)
    .reduce((before, one) => before + Number(one.withdrawal.row.amount ?? 0n), amount)
  return [
    ...(amount > most ? [`limits: withdrawal ${made.id} is over ${amount}, above ${most}`] : []),
    ...(sum > daily
      ? [`limits: with withdrawal ${made.id} the ${day} is at ${sum}, above ${daily}`]
      : [])
  ]
}

const withdrawals = (
  { operations }: Books,
  asked: ReadonlyArray<Asked>,
  shops: ReadonlyArray<ProgramShop>
): ReadonlyArray<string> => {
  const byId = new Map(operations.map((one): [string, StoredOperation] => [one.row.id, one]))
  const accepted = [...madeBy(asked, "withdraw").values()].flatMap((made) => {
    const withdrawal = byId.get(made.id)
    return withdrawal === undefined ? [] : { made, withdrawal }
  })
  return shops.flatMap(({ limits: { daily = none, withdrawal: most = none } }, shop) => {
    const limits = [{ began: -1, acknowledged: -1, most, daily }, ...changesOf(asked, shop)]
    const own = accepted.filter(({ made }) => made.shop === shop)
    return own.flatMap((one) => brokenBy(one, own, limits))
  })
}

/** The limit of a charge stays as the account was opened. */
const charges = (
  { operations }: Books,
  asked: ReadonlyArray<Asked>,
  shops: ReadonlyArray<ProgramShop>
): ReadonlyArray<string> => {
  const made = madeBy(asked, "charge")
  return operations.flatMap(({ row: { amount, id } }) => {
    const most = shops[made.get(id)?.shop ?? -1]?.limits.charge ?? none
    return Number(amount ?? 0n) > most
      ? [`limits: charge ${id} is over ${amount}, above ${most}`]
      : []
  })
}

/** Nothing was accepted beyond what its account may do at once, and in a day. */
export const judgeByLimits = (
  books: Books,
  asked: ReadonlyArray<Asked>,
  shops: ReadonlyArray<ProgramShop>
): ReadonlyArray<string> => [...withdrawals(books, asked, shops), ...charges(books, asked, shops)]
