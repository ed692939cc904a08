import type { OperatorAnswers, TenantAnswers } from "@pagora/core"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Chance } from "../fuzz/Chance.ts"
import type { Asked, Stored } from "../load/LoadCheck.ts"
import type { ClientOptions, LoadTale, Shop } from "../load/LoadClient.ts"
import { makeClient, newTale } from "../load/LoadClient.ts"
import type { HttpAnswer, HttpCall, RunningPagora } from "../RunningPagora.ts"
import { launchPagora, startPagora } from "../RunningPagora.ts"

/** A directory with an embedded database that one process after the other keeps everything in. */
export interface Directory {
  readonly tale: LoadTale
  /** Begins to start a process there; killing it leaves whatever it had come to. */
  readonly begin: () => { readonly kill: () => Promise<void> }
  /** Starts a process there, and answers when it serves. */
  readonly open: () => Promise<void>
  readonly kill: () => Promise<void>
  /** The clients who ask whoever serves, from the first one on; they end when they are told to. */
  readonly load: (clients: number) => { readonly end: () => Promise<void> }
  /** What is stored of what was asked for, as the owner of it reads it. */
  readonly storedOf: (asked: ReadonlyArray<Asked>) => Promise<ReadonlyArray<Stored>>
  /** Asks whoever serves, with the operator's key. */
  readonly operator: HttpCall<OperatorAnswers>
  readonly remove: () => Promise<void>
}

const kinds: Readonly<Record<string, Asked["kind"]>> = {
  payment: "charge",
  withdrawal: "withdrawal",
  refund: "return"
}

const storedAs = (row: Record<string, unknown>, reference: string): Stored => ({
  id: String(row["id"]),
  kind: kinds[String(row["type"])] ?? String(row["type"]),
  status: String(row["status"]),
  amount: String(Math.round(Math.abs(Number(row["amount"])) * 100)),
  reference
})

const json = (answer: HttpAnswer): unknown => {
  if (answer.status === 200) return answer.json
  throw new Error(`What was acknowledged could not be read: ${answer.status} ${answer.text}`)
}

/** The PSP has ids without dashes. */
const asUuid = (id: string): string =>
  id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** What a shop is shown of what it asked for: by its reference, a refund by its id. */
const shownTo =
  (shop: HttpCall) =>
  async ({ kind, reference, told }: Asked): Promise<ReadonlyArray<Stored>> => {
    if (kind !== "return") {
      const page = json(await shop("GET", `/transactions?externalReference=${reference}`))
      const { data } = page as { readonly data: ReadonlyArray<Record<string, unknown>> }
      return data.map((row) => storedAs(row, reference))
    }
    const [id] = told
    if (id === undefined) return []
    const answer = await shop("GET", `/transactions/${asUuid(id)}`)
    return answer.status === 404
      ? []
      : [storedAs(json(answer) as Record<string, unknown>, reference)]
  }

/** Clients of whoever serves, which pay at the bank that it plays. */
const loadOf = (clients: number, options: ClientOptions, now: () => RunningPagora) => {
  let isOver = false
  const pay = async (id: string): Promise<string> => {
    try {
      const paid = await now().sandbox("POST", `/charges/${id}/pay`, { body: {} })
      return String(paid.status)
    } catch {
      return "no answer"
    }
  }
  const all = Array.from({ length: clients }, () => makeClient({ ...options, pay })(() => isOver))
  return {
    end: async (): Promise<void> => {
      isOver = true
      await Promise.all(all)
    }
  }
}

/** A new one. `templates` is where a process may find a packed database to begin with. */
export const newDirectory = (chance: Chance, templates: string): Directory => {
  const path = mkdtempSync(join(tmpdir(), "pagora-crash-"))
  const args = ["--data", join(path, "data")]
  const env = { XDG_CACHE_HOME: templates, PAGORA_RATE_LIMITS: "off" }
  const tale = newTale()
  let running: RunningPagora | undefined
  // The demo account is there from the first start on, and so is the first credential.
  let known: Shop | undefined
  const now = (): RunningPagora => {
    if (running === undefined) throw new Error("No process runs there.")
    return running
  }
  const kill = async (): Promise<void> => {
    const ending = running
    running = undefined
    await ending?.kill()
  }
  const api: HttpCall<TenantAnswers> = async (method, to, options) => now().api(method, to, options)
  return {
    tale,
    begin: () => {
      const launched = launchPagora(["dev", "--json", "--port", "0", ...args], env)
      return {
        kill: async () => {
          launched.signal("SIGKILL")
          await launched.ended
        }
      }
    },
    open: async () => {
      running = await startPagora(args, env)
      const { accountId, clientId, clientSecret } = running.facts
      known ??= { accountId, clientId, clientSecret }
    },
    kill,
    load: (clients) => {
      if (known === undefined) throw new Error("Nothing was ever opened there.")
      return loadOf(
        clients,
        { processes: [{ api }], shop: known, tale, chance, pauseMillis: 50 },
        now
      )
    },
    storedOf: async (asked) => {
      const shown = shownTo(now().shop)
      const found: Array<Stored> = []
      for (const one of asked) found.push(...(await shown(one)))
      return found
    },
    operator: async (method, to, options) => now().operator(method, to, options),
    remove: async () => {
      await kill()
      rmSync(path, { recursive: true, force: true })
    }
  }
}
