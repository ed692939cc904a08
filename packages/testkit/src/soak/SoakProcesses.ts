import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { FaultyProxy } from "../postgres/index.ts"
import { startFaultyProxy } from "../postgres/index.ts"
import type { HttpCall, Launched } from "../RunningPagora.ts"
import { calling, launchPagora } from "../RunningPagora.ts"

/** A service in a process of its own, behind a wire of its own to the database that all share. */
export interface SoakProcess extends Launched {
  readonly api: HttpCall
  readonly operator: HttpCall
  readonly sandbox: HttpCall
  readonly proxy: FaultyProxy
  readonly stop: () => Promise<void>
}

const startMillisMax = 120_000
const secret = randomBytes(32).toString("base64")
const operatorKey = randomBytes(32).toString("base64url")

interface ServeFacts {
  readonly baseUrl: string
  readonly operatorUrl: string
}

const factsIn = (stderr: string): ServeFacts | undefined => {
  const line = stderr
    .split("\n")
    .slice(0, -1)
    .find((entry) => entry.includes('"Pagora serves."'))
  return line === undefined
    ? undefined
    : (JSON.parse(line) as { readonly annotations: ServeFacts }).annotations
}

/** Starts one, and answers when it serves. */
export const startProcess = async (database: string): Promise<SoakProcess> => {
  const proxy = await startFaultyProxy(database)
  const launched = launchPagora(["serve", "--migrate"], {
    DATABASE_URL: proxy.url,
    PAGORA_SECRET: secret,
    PAGORA_OPERATOR_KEY: operatorKey,
    PAGORA_CONFIG: join(import.meta.dirname, "pagora.config.ts"),
    PAGORA_PORT: "0",
    PAGORA_OPERATOR_PORT: "0",
    PAGORA_DRAIN_SECONDS: "0",
    PAGORA_RATE_LIMITS: "off",
    PAGORA_LOG_LEVEL: "info"
  })
  for (let waited = 0; waited < startMillisMax; waited += 100) {
    const facts = factsIn(launched.output().stderr)
    if (facts !== undefined) {
      const asOperator = `Bearer ${operatorKey}`
      return {
        ...launched,
        proxy,
        api: calling(facts.baseUrl),
        operator: calling(`${facts.operatorUrl}/operator/v1`, asOperator),
        sandbox: calling(`${facts.operatorUrl}/sandbox/v1`, asOperator),
        stop: async () => {
          launched.signal("SIGTERM")
          await launched.ended
          await proxy.close()
        }
      }
    }
    const early = await Promise.race([launched.ended, sleep(100, undefined)])
    if (early !== undefined) throw new Error(`pagora serve ended: ${early.stderr}`)
  }
  launched.signal("SIGKILL")
  throw new Error(`pagora serve did not start: ${launched.output().stderr}`)
}
