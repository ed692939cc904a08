import type { BankAccount, Payout } from "@pagora/fake-bank"
import type { BankHoldings, BankOptions, BankRecords, World } from "@pagora/testkit/simulation"

/** Enough for whatever is paid out before something was paid in. */
const plenty = 100_000_000_00
/** What was brought to an account that is short before anything came in. */
const brought = [0, 500, 5_000, 50_000]
/** How many banks hold only what comes in and what is brought, of 1. */
const scarce = 0.5

/** What an account is held at whose owner looks after it: enough for one of the usual payouts, and not for two. */
const levels = [150, 700, 3_000]
/** How many of those that are short have such an owner, of 1. */
const lookedAfter = 0.5

/** So long after one its owner, or the bank, does something to the account. */
const leastMillis = 1_000
const mostMillis = 20_000

export interface WireFundsOptions {
  readonly world: World
  readonly options: BankOptions
  readonly account: BankAccount
  readonly records: BankRecords
  /** Whether anything can go wrong. */
  readonly isFaulty: () => boolean
}

/** The account at a bank, and who brings money there or takes it away past Pagora. */
export interface WireFunds extends BankHoldings {
  /** From now on there is enough for everybody. */
  readonly calm: () => void
}

/** What can be sent of it. */
const spendable = ({ balance, blocked }: BankAccount): number =>
  balance - blocked.judicial - blocked.med

/** Whether it has the money for a payout that somebody has approved. */
export const isCovered = ({ account, centavos }: Payout): boolean => centavos <= spendable(account)

/** Inter gives up what nobody has money for once it is approved. */
export const withoutMoney = { code: "CANCELADO_SEM_SALDO", message: "Saldo insuficiente" }

/**
 * In half of the worlds in which banks fail an account holds what comes in, and little besides: its owner takes money out and brings
 * some, and the bank takes its fees. In the others it has as much as anybody could pay out.
 */
export const makeWireFunds = ({
  account,
  isFaulty,
  options,
  records,
  world
}: WireFundsOptions): WireFunds => {
  const chance = world.chance(`${options.name}: funds`)
  const move = (centavos: number, why: string): void => {
    account.balance += centavos
    records.note(`${why} ${centavos}, ${account.balance} in the account`)
  }
  const takeOut = (most: number, why: string): void => {
    const centavos = Math.min(most, spendable(account))
    if (centavos <= 0) return
    move(-centavos, why)
    world.reached("funds: taken out")
  }
  const level = chance.happens(lookedAfter) ? chance.pick(levels) : undefined
  const hold = (centavos: number): void => {
    const off = centavos - spendable(account)
    if (off > 0) move(off, "its owner brings")
    else takeOut(-off, "its owner takes")
  }
  const ways: ReadonlyArray<() => void> = [
    () => takeOut(spendable(account), "its owner takes all,"),
    () => takeOut(1 + chance.below(5_000), "its owner takes"),
    () => takeOut(1 + chance.below(99), "it takes a fee,"),
    () => move(1 + chance.below(20_000), "its owner brings")
  ]
  const goOn = (): void =>
    world.after(leastMillis + chance.below(mostMillis - leastMillis), () => {
      if (!isFaulty()) return
      if (level === undefined) chance.pick(ways)()
      else hold(level)
      goOn()
    })

  const isScarce = options.faults?.calls !== undefined && chance.happens(scarce)
  account.balance = isScarce ? chance.pick(brought) : plenty
  if (isScarce) goOn()
  return {
    holds: () => BigInt(account.balance),
    close: () => {
      // What came in by the API and has not left by it, or more, or less.
      const off = chance.pick([0, 1, -1]) * (1 + chance.below(5_000))
      move(Math.max(0, Number(records.cash()) + off) - account.balance, "its owner settles, by")
    },
    calm: () => {
      if (isScarce) move(plenty, "its owner brings")
    }
  }
}
