import type { Plan, Report } from "@pagora/testkit/simulation"
import { simulate } from "@pagora/testkit/simulation"
import { Effect } from "effect"
import type { StorageName } from "./Storages.ts"
import { emptyStorage } from "./Storages.ts"

/** Runs a plan on an empty storage. What breaks the simulation itself says in which seed. */
export const runPlan = (plan: Plan, storage: StorageName, isTraced = false): Promise<Report> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const driver = yield* emptyStorage(storage)
        return yield* Effect.promise(() =>
          simulate(plan, { driver, isTraced }).catch((cause: unknown) => {
            throw new Error(`Seed ${plan.seed} broke the simulation.`, { cause })
          })
        )
      })
    )
  )

/** What a violation is about, to tell whether two are the same. */
export const kindOf = (violation: string): string =>
  violation.replace(/[0-9a-f]{8}[0-9a-f-]{18,28}|\d+/gi, "#")
