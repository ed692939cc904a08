import type { Plan, Report } from "@pagora/testkit/simulation"
import { simulate } from "@pagora/testkit/simulation"
import { Effect } from "effect"
import type { StorageName } from "./Storages.ts"
import { emptyStorage } from "./Storages.ts"
import { wireBankMaker } from "./wire/WireBank.ts"
import type { WireBankName } from "./wire/WireFar.ts"
import { wireBanks } from "./wire/WireFar.ts"

/** In which world plans are run: over which storage, and with which banks. */
export interface Setup {
  readonly storage: StorageName
  readonly bank: BankChoice
}

/** `port`: banks that speak our port; `any`: whichever the seed draws. */
export const bankChoices = ["port", "any", ...wireBanks] as const
export type BankChoice = (typeof bankChoices)[number]

/** The banks of one seed; undefined where they speak our port. */
const bankOf = (choice: BankChoice, seed: number): WireBankName | undefined => {
  if (choice !== "any") return choice === "port" ? undefined : choice
  return wireBanks[seed % (wireBanks.length + 1)]
}

/** Runs a plan on an empty storage. What breaks the simulation itself says in which seed. */
export const runPlan = (
  plan: Plan,
  { bank: choice, storage }: Setup,
  isTraced = false
): Promise<Report> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const driver = yield* emptyStorage(storage)
        const bank = bankOf(choice, plan.seed)
        const banks = bank === undefined ? {} : { makeBank: wireBankMaker(bank) }
        return yield* Effect.promise(() =>
          simulate(plan, { driver, isTraced, ...banks }).catch((cause: unknown) => {
            throw new Error(`Seed ${plan.seed} broke the simulation.`, { cause })
          })
        )
      })
    )
  )

/** What a violation is about, to tell whether two are the same. */
export const kindOf = (violation: string): string =>
  violation.replace(/[0-9a-f]{8}[0-9a-f-]{18,28}|\d+/gi, "#")
