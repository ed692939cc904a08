import { join } from "node:path"
import type { ServingProcess } from "../load/ServingProcess.ts"
import { startServing } from "../load/ServingProcess.ts"
import type { FaultyProxy } from "../postgres/index.ts"
import { startFaultyProxy } from "../postgres/index.ts"

/** A service in a process of its own, behind a wire of its own to the database that all share. */
export interface SoakProcess extends ServingProcess {
  readonly proxy: FaultyProxy
  readonly stop: () => Promise<void>
}

/** Starts one, and answers when it serves. */
export const startProcess = async (database: string): Promise<SoakProcess> => {
  const proxy = await startFaultyProxy(database)
  const serving = await startServing({
    DATABASE_URL: proxy.url,
    PAGORA_CONFIG: join(import.meta.dirname, "pagora.config.ts")
  })
  return {
    ...serving,
    proxy,
    stop: async () => {
      serving.signal("SIGTERM")
      await serving.ended
      await proxy.close()
    }
  }
}
