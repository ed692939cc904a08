import { describe } from "@effect/vitest"
import { startPagora } from "@pagora/testkit"
import { freshDatabase } from "@pagora/testkit/postgres"
import type { Deployment } from "./Specification.test-data.ts"
import { holdsTheSpecification } from "./Specification.test-data.ts"

const onPGlite = async (): Promise<Deployment> => {
  const pagora = await startPagora(["--manual"])
  return { pagora, end: async () => void (await pagora.kill()) }
}

const onPostgreSQL = async (): Promise<Deployment> => {
  const database = await freshDatabase()
  const pagora = await startPagora(["--manual", "--database", database.url])
  const end = async () => {
    await pagora.kill()
    await database.drop()
  }
  return { pagora, end }
}

describe.concurrent.for([
  ["PGlite", onPGlite],
  ["PostgreSQL", onPostgreSQL]
] as const)("the specification on %s", { timeout: 240_000 }, ([, start]) => {
  holdsTheSpecification(start)
})
