import { startPagora } from "@pagora/testkit"
import type { RunningPagora } from "@pagora/testkit"
import { freshDatabase } from "@pagora/testkit/postgres"

/** A process of the service, which goes with all that was made for it. */
export interface Deployment {
  readonly pagora: RunningPagora
  readonly end: () => Promise<void>
}

/** `pagora dev` on a database of its own at a real PostgreSQL, where it begins sooner than with an embedded one. */
export const startOnPostgreSQL = async (args: ReadonlyArray<string> = []): Promise<Deployment> => {
  const database = await freshDatabase()
  const pagora = await startPagora([...args, "--database", database.url]).catch(
    async (cause: unknown) => {
      await database.drop()
      throw cause
    }
  )
  const end = async () => {
    await pagora.kill()
    await database.drop()
  }
  return { pagora, end }
}
