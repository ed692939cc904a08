import type { PspCredentialId, StorageDriverShape } from "@pagora/core"
import { Effect } from "effect"
import type { Bank, BankHoldings } from "./banks/Bank.ts"
import type { Books, StoredOperation } from "./Books.ts"
import { textOf } from "./Books.ts"
import type { Engine } from "./Engine.ts"
import type { Machine } from "./Machine.ts"
import { passing } from "./QuietEnd.ts"

/** What the service has kept of its last look at a balance. */
export interface Compared {
  readonly at: string
  readonly unexplained: string
}

/** Balances are compared each hour; whoever is awake so long then has done it. */
const apartMillis = 61 * 60_000
const awakeMillis = 20_000
/** A difference is told once it was the same at two looks. */
const looksMin = 2
const roundsMax = 6

type Banks = ReadonlyMap<PspCredentialId, Bank>

const holdingsOf = (banks: Banks): ReadonlyArray<readonly [string, BankHoldings]> =>
  [...banks].flatMap(([psp, { holdings }]) => (holdings === undefined ? [] : [[psp, holdings]]))

/** What was found of each PSP's balance last. */
export const readCompared = (
  driver: StorageDriverShape
): Effect.Effect<ReadonlyMap<string, Compared>> =>
  driver.list({ table: "registry", kind: "psp_balances", order: "asc", limit: 1 }).pipe(
    Effect.map(([row]) => {
      const { last } = JSON.parse(row?.document ?? `{"last":{}}`) as {
        readonly last: Readonly<Record<string, Compared>>
      }
      return new Map(Object.entries(last))
    }),
    Effect.orDie
  )

/** Closes all accounts, and lets time go by until each was looked at twice; answers which never were. */
export const untilCompared = async (
  engine: Engine,
  driver: StorageDriverShape,
  machines: ReadonlyArray<Machine>,
  banks: Banks
): Promise<ReadonlyArray<string>> => {
  const all = holdingsOf(banks)
  for (const [, holdings] of all) holdings.close()
  const closedAt = engine.now()
  const looks = new Map(all.map(([psp]) => [psp, new Set<string>()]))
  const missing = () => [...looks].filter(([, seen]) => seen.size < looksMin)
  for (let rounds = 0; missing().length > 0 && rounds < roundsMax; rounds++) {
    for (const machine of machines) machine.pause(apartMillis)
    await passing(engine, apartMillis + awakeMillis)
    for (const [psp, { at }] of await Effect.runPromise(readCompared(driver)))
      if (Date.parse(at) > closedAt) looks.get(psp)?.add(at)
  }
  return missing().map(([psp, { size }]) => `the balance of ${psp} was compared ${size} times`)
}

/** A payout or a return that was sent, and of which nobody knows whether its money has left. */
const underWay = (one: StoredOperation): bigint => {
  const { amount, kind, status } = one.row
  const isOpen =
    kind === "return"
      ? ["requested", "processing"].includes(status)
      : kind === "withdrawal" && ["processing", "manual_review"].includes(status) && wasSent(one)
  return isOpen ? (amount ?? 0n) - BigInt(textOf(one, "feeAmount") ?? "0") : 0n
}

const wasSent = (one: StoredOperation): boolean =>
  textOf(one, "sentAt") !== undefined || textOf(one, "pspReference") !== undefined

/** What the service has found of each balance is what the account has more, or less, than the ledger: no more and no less. */
export const judgeByHoldings = (
  { clearing, operations }: Books,
  compared: ReadonlyMap<string, Compared>,
  banks: Banks
): ReadonlyArray<string> =>
  holdingsOf(banks).flatMap(([psp, { holds }]) => {
    const found = compared.get(psp)?.unexplained
    const difference = holds() + (clearing.get(psp) ?? 0n)
    const explained = operations
      .filter((one) => textOf(one, "pspCredentialId") === psp)
      .reduce((sum, one) => sum + underWay(one), 0n)
    const missing = difference + explained < 0n ? difference + explained : 0n
    const should = difference > 0n ? difference : missing
    return found === undefined || BigInt(found) === should
      ? []
      : [`balances: ${found} is told of ${psp}, and it is ${should}`]
  })
