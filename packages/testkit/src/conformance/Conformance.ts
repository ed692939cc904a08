import { setTimeout as sleep } from "node:timers/promises"
import type { Check } from "./Check.ts"
import { NotCheckable, Unmet } from "./Expect.ts"
import { startHookReceiver } from "./HookReceiver.ts"
import { sections } from "./Sections.ts"
import type { Target, World } from "./World.ts"
import { makeWorld } from "./World.ts"

/** How one check ended. */
export type Outcome =
  | { readonly outcome: "passed"; readonly check: string; readonly rules: ReadonlyArray<string> }
  | {
      readonly outcome: "failed"
      readonly check: string
      readonly rules: ReadonlyArray<string>
      /** What was expected, what came, and the request as curl. */
      readonly message: string
    }
  | {
      readonly outcome: "skipped"
      readonly check: string
      readonly rules: ReadonlyArray<string>
      readonly why: string
    }

export interface ConformanceReport {
  readonly passed: ReadonlyArray<Extract<Outcome, { outcome: "passed" }>>
  readonly failed: ReadonlyArray<Extract<Outcome, { outcome: "failed" }>>
  readonly skipped: ReadonlyArray<Extract<Outcome, { outcome: "skipped" }>>
}

export interface ConformanceOptions {
  /** Which checks to run, all of them when absent. */
  readonly only?: (check: Check) => boolean
  /** How many checks run at once, 4 when absent. */
  readonly concurrency?: number
  /** Called as each check ends. */
  readonly onResult?: (result: Outcome) => void
}

const checkMillisMax = 90_000

const messageOf = (cause: unknown): string => {
  if (cause instanceof Unmet) return cause.message
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

/** Fails when the check does not end in time; what it still does then goes unheard. */
const inTime = async (running: Promise<void>): Promise<void> => {
  const ended = new AbortController()
  const late = async () => {
    await sleep(checkMillisMax, undefined, { signal: ended.signal })
    throw new Unmet(`The check did not end within ${checkMillisMax / 1000} s`)
  }
  try {
    await Promise.race([running, late()])
  } finally {
    ended.abort()
  }
}

const outcomeOf = async ({ rules, run, title: check }: Check, world: World): Promise<Outcome> => {
  try {
    await inTime(run(world))
    return { outcome: "passed", check, rules }
  } catch (cause) {
    return cause instanceof NotCheckable
      ? { outcome: "skipped", check, rules, why: cause.message }
      : { outcome: "failed", check, rules, message: messageOf(cause) }
  }
}

/**
 * Drives a running deployment by HTTP alone and says which rules of the specification it keeps. Every check
 * makes accounts of its own through the operator API and leaves them behind: a deployment whose books are
 * somebody's is no place for it.
 */
export const conformance = async (
  target: Target,
  { concurrency = 4, only = () => true, onResult = () => undefined }: ConformanceOptions = {}
): Promise<ConformanceReport> => {
  const wanted = sections.flatMap(({ checks }) => checks).filter(only)
  const receiver = await startHookReceiver(target.receiverHost)
  const world = makeWorld(target, receiver)
  const outcomes: Array<Outcome> = []
  const work = async (queue: Array<Check>) => {
    for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
      const outcome = await outcomeOf(check, world)
      outcomes.push(outcome)
      onResult(outcome)
    }
  }
  try {
    const together = wanted.filter(({ alone }) => alone !== true)
    await Promise.all(Array.from({ length: concurrency }, () => work(together)))
    await work(wanted.filter(({ alone }) => alone === true))
  } finally {
    await receiver.close()
  }
  return {
    passed: outcomes.filter((one) => one.outcome === "passed"),
    failed: outcomes.filter((one) => one.outcome === "failed"),
    skipped: outcomes.filter((one) => one.outcome === "skipped")
  }
}
