import { describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import { walk } from "./MoneyWalk.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

// `PAGORA_WALKS=200 PAGORA_WALK_FROM=0` walks more of them, from another seed on.
const walks = Number(process.env["PAGORA_WALKS"] ?? 6)
const from = Number(process.env["PAGORA_WALK_FROM"] ?? 0)
const steps = 60

describe.each(["honest", "careless"] as const)(
  "whatever happens to a shop whose operator is %s",
  { timeout: 60_000 },
  (operator) => {
    it.effect.each(Array.from({ length: walks }, (_, index) => from + index))(
      "its books are right, and in the end nothing is open: walk %i",
      (seed) =>
        walk(`walk ${seed}`, operator, steps).pipe(
          Effect.provide(world),
          Effect.provideService(References.MinimumLogLevel, "Fatal")
        )
    )
  }
)
