import type { Asked } from "./Asked.ts"
import { at, centavosAt } from "./Json.ts"

type FeeKind = "payment" | "withdrawal" | "refund"

/** The fee of an amount by a schedule as it was sent; the percent is rounded half up to the centavo. */
const feeOn = (schedule: unknown, amount: number): number => {
  const percent = at(schedule, "percent")
  // Ten-thousandths of a percent, so that nothing is lost on the way.
  const rate = typeof percent === "number" ? Math.round(percent * 10_000) : 0
  const part = Math.floor((amount * rate + 500_000) / 1_000_000)
  const asked = (centavosAt(schedule, "fixed") ?? 0) + part
  const raised = Math.max(asked, centavosAt(schedule, "min") ?? 0)
  return Math.min(raised, centavosAt(schedule, "max") ?? raised, amount)
}

const setters: ReadonlySet<string> = new Set(["openShop", "changeAccount", "changeSubAccount"])

const agreements = new WeakMap<ReadonlyArray<Asked>, ReadonlyMap<number, ReadonlyArray<Asked>>>()

/** The requests by which fees were agreed on, of each shop. */
const agreementsOf = (asked: ReadonlyArray<Asked>): ReadonlyMap<number, ReadonlyArray<Asked>> => {
  const known = agreements.get(asked)
  if (known !== undefined) return known
  const all = asked.filter(({ name, outcome }) => setters.has(name) && outcome !== "refused")
  const made = Map.groupBy(all, ({ shop }) => shop)
  agreements.set(asked, made)
  return made
}

/** Of everything that was asked, once that has come to its end: every fee that an amount can have cost in a wallet, by what was ever agreed on for its account and itself. */
export const feesOf = (
  asked: ReadonlyArray<Asked>,
  shop: number,
  wallet: string,
  kind: FeeKind,
  amount: number
): ReadonlySet<number> => {
  const fees = new Set<number>()
  for (const one of agreementsOf(asked).get(shop) ?? []) {
    if (one.name === "changeSubAccount" && one.wallet !== wallet) continue
    const schedule = at(one.body, "fees", kind)
    // What is not named when a shop is opened is free; later it stays as it was.
    if (schedule !== undefined) fees.add(feeOn(schedule, amount))
    else if (one.name === "openShop") fees.add(0)
  }
  return fees
}

/** The most that an amount can have cost. */
export const feeMaxOf = (...known: Parameters<typeof feesOf>): number =>
  Math.max(0, ...feesOf(...known))
