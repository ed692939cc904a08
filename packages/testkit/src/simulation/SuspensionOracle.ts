import type { Books } from "./Books.ts"
import { textOf } from "./Books.ts"
import type { Asked } from "./programs/Asked.ts"
import { isDone } from "./programs/Asked.ts"
import { textAt } from "./programs/Json.ts"

/** A stretch of true time in which the owner of wallets may not pay. */
interface Stop {
  readonly account: string
  /** A sub-account by its reference; undefined where it is the whole account. */
  readonly subAccount: string | undefined
  readonly from: number
  readonly to: number
}

/**
 * What was on its way when the owner was stopped may still arrive: its intent was written before, and leaves within five
 * seconds by a clock that may be set back by ten.
 */
const underWayMillis = 15_000

const isChange = ({ name }: Asked): boolean =>
  name === "changeAccount" || name === "changeSubAccount"

/**
 * Whether it may have let somebody pay after `began`. A process that stands still for hours may do then what it was asked
 * before and nobody waits for.
 */
const mayLiftAfter = (began: number, { ended, outcome, told }: Asked): boolean =>
  (outcome !== "refused" && ended > began) || told.some(({ answer }) => answer === "lost")

const isOfSame = (one: Asked, other: Asked): boolean =>
  one.name === other.name && one.path === other.path

const stopsOf = (
  asked: ReadonlyArray<Asked>,
  accounts: ReadonlyArray<string>
): ReadonlyArray<Stop> => {
  const changes = asked.filter(isChange)
  return changes.flatMap((stop) => {
    const account = accounts[stop.shop]
    const isStop = ["suspended", "closed"].includes(textAt(stop.body, "status"))
    const told = stop.told.find(({ answer }) => isDone(answer))
    if (!isStop || told === undefined || account === undefined) return []
    const lifts = changes.filter(
      (one) =>
        isOfSame(one, stop) &&
        textAt(one.body, "status") === "approved" &&
        mayLiftAfter(stop.began, one)
    )
    const to = Math.min(...lifts.map(({ beganAt }) => beganAt))
    const subAccount = stop.name === "changeSubAccount" ? stop.wallet : undefined
    return { account, subAccount, from: told.at + underWayMillis, to }
  })
}

/**
 * Nobody is first told of a payout whose owner may not pay.
 *
 * @param accounts The accounts of the shops.
 * @param firstTold When a bank was first told of what has a reference.
 */
export const judgeBySuspensions = (
  { operations }: Books,
  asked: ReadonlyArray<Asked>,
  accounts: ReadonlyArray<string>,
  firstTold: (reference: string) => number | undefined
): ReadonlyArray<string> => {
  const stops = stopsOf(asked, accounts)
  return operations.flatMap((one) => {
    const { account, id, kind } = one.row
    const at = kind === "withdrawal" ? firstTold(id.replaceAll("-", "")) : undefined
    if (at === undefined) return []
    const subAccount = textOf(one, "subAccount")
    const stop = stops.find(
      (known) =>
        known.account === account &&
        (known.subAccount === undefined || known.subAccount === subAccount) &&
        at >= known.from &&
        at < known.to
    )
    return stop === undefined
      ? []
      : [`suspension: withdrawal ${id} was sent at ${at}; its owner was stopped ${stop.from}`]
  })
}
