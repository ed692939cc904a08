import { join } from "node:path"
import type { ServingProcess } from "../load/ServingProcess.ts"
import { startServing } from "../load/ServingProcess.ts"
import type { FaultyProxy } from "../postgres/index.ts"
import { startFaultyProxy } from "../postgres/index.ts"
import type { HttpCall, Launched } from "../RunningPagora.ts"
import type { Bank } from "./Bank.ts"

/** What the processes of a deployment have in common. */
export interface Deployment {
  readonly bank: Bank
  readonly env: Readonly<Record<string, string>>
}

/** The place of one process: it dies and comes back, its clients and its wire to the database stay. */
export class Slot {
  readonly name: string
  readonly proxy: FaultyProxy
  private readonly deployment: Deployment
  private launched: Launched | undefined
  private serving: ServingProcess | undefined

  private constructor(name: string, proxy: FaultyProxy, deployment: Deployment) {
    this.name = name
    this.proxy = proxy
    this.deployment = deployment
  }

  static async at(name: string, database: string, deployment: Deployment): Promise<Slot> {
    return new Slot(name, await startFaultyProxy(database), deployment)
  }

  readonly api: HttpCall = async (method, path, options) => this.now().api(method, path, options)
  readonly operator: HttpCall = async (method, path, options) =>
    this.now().operator(method, path, options)

  /** Answers when it serves. */
  async start(): Promise<void> {
    const { bank, env } = this.deployment
    this.serving = await startServing(
      {
        DATABASE_URL: this.proxy.url,
        PAGORA_CONFIG: join(import.meta.dirname, "pagora.config.ts"),
        CRASH_BANK: bank.url,
        CRASH_BANK_MINDS: String(bank.mindsReferences),
        ...env
      },
      (launched) => {
        this.launched = launched
      }
    )
  }

  /** Also before it serves. */
  async kill(): Promise<void> {
    this.serving = undefined
    this.launched?.signal("SIGKILL")
    await this.launched?.ended
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.launched?.signal(name)
  }

  /** The end of what it said. */
  said(): string {
    return this.launched?.output().stderr.slice(-4_000) ?? ""
  }

  async close(): Promise<void> {
    await this.kill()
    await this.proxy.close()
  }

  private now(): ServingProcess {
    if (this.serving === undefined) throw new Error(`${this.name} does not run.`)
    return this.serving
  }
}
