import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { HttpCall, Launched } from "../RunningPagora.ts"
import { calling, launchPagora } from "../RunningPagora.ts"

/** A service in a process of its own. */
export interface ServingProcess extends Launched {
  readonly baseUrl: string
  readonly api: HttpCall
  readonly operator: HttpCall
  readonly sandbox: HttpCall
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

/** How processes under load are set, but for their database and their file of PSPs. */
const usual: Readonly<Record<string, string>> = {
  PAGORA_SECRET: secret,
  PAGORA_OPERATOR_KEY: operatorKey,
  PAGORA_PORT: "0",
  PAGORA_OPERATOR_PORT: "0",
  PAGORA_DRAIN_SECONDS: "0",
  PAGORA_RATE_LIMITS: "off",
  PAGORA_LOG_LEVEL: "info"
}

/** Starts one. `launched` hears of it at once, before it serves; the answer comes when it does. */
export const startServing = async (
  env: Readonly<Record<string, string>>,
  hear: (launched: Launched) => void = () => undefined
): Promise<ServingProcess> => {
  const launched = launchPagora(["serve", "--migrate"], { ...usual, ...env })
  hear(launched)
  for (const from = performance.now(); performance.now() - from < startMillisMax;) {
    const facts = factsIn(launched.output().stderr)
    if (facts !== undefined) {
      const asOperator = `Bearer ${operatorKey}`
      return {
        ...launched,
        baseUrl: facts.baseUrl,
        api: calling(facts.baseUrl),
        operator: calling(`${facts.operatorUrl}/operator/v1`, asOperator),
        sandbox: calling(`${facts.operatorUrl}/sandbox/v1`, asOperator)
      }
    }
    const early = await Promise.race([launched.ended, sleep(50, undefined)])
    if (early !== undefined) throw new ServeEnded(early.stderr)
  }
  launched.signal("SIGKILL")
  throw new Error(`pagora serve did not start: ${launched.output().stderr}`)
}

/** It ended before it served. */
export class ServeEnded extends Error {
  readonly stderr: string

  constructor(stderr: string) {
    super(`pagora serve ended: ${stderr}`)
    this.stderr = stderr
  }
}
