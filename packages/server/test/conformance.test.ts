import { describe } from "@effect/vitest"
import { startPagora } from "@pagora/testkit"
import type { Deployment } from "./OnPostgreSQL.test-data.ts"
import { startOnPostgreSQL } from "./OnPostgreSQL.test-data.ts"
import { holdsTheSpecification } from "./Specification.test-data.ts"

const onPGlite = async (): Promise<Deployment> => {
  const pagora = await startPagora(["--manual"])
  return { pagora, end: async () => void (await pagora.kill()) }
}

describe.concurrent.for([
  ["PGlite", onPGlite],
  ["PostgreSQL", () => startOnPostgreSQL(["--manual"])]
] as const)("the specification on %s", { timeout: 240_000 }, ([, start]) => {
  holdsTheSpecification(start)
})
