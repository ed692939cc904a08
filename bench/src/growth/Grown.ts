import { completeAudit, StorageDriver } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Pool } from "pg"
import { newDatabase } from "../NewDatabase.ts"
import { endpointProbes, operatorProbes, readProbes, writeProbes } from "./ApiProbes.ts"
import { makeFiller } from "./Fill.ts"
import type { Probe } from "./Probe.ts"
import { sampleOf } from "./Sample.ts"
import { startService } from "./Service.ts"
import { auditProbes, purgeProbes, workProbes } from "./StorageProbes.ts"
import { liveADay } from "./Template.ts"

const original = 1_000
const samples = 100

interface GrownOptions {
  readonly name: string
  /** How many there will be at most. */
  readonly operations: number
  readonly signal: AbortSignal
}

/** A deployment with a database of its own, which can be made to look as after so many operations in a year. */
export const makeGrown = async (server: string, { name, operations, signal }: GrownOptions) => {
  const url = await newDatabase(server, name)
  const sql = new Pool({ connectionString: url, max: 3 })
  const service = await startService(url)
  const scope = Effect.runSync(Scope.make())
  const tenants = await liveADay(service, sql, original)
  const driver = Context.get(
    await Effect.runPromise(Scope.provide(Layer.build(postgres({ url })), scope)),
    StorageDriver
  )
  const filler = await makeFiller(url, operations, signal)
  const refunded = new Set<string>()

  const proveRight = async (): Promise<void> => {
    const { violations } = await Effect.runPromise(completeAudit(driver))
    if (violations.length > 0)
      throw new Error(`The audit failed: ${JSON.stringify(violations.slice(0, 5))}`)
  }
  return {
    proveRight,
    /** Answers how many there are, and in how many seconds the new ones were made. The audit is right, or it fails. */
    fill: async (upTo: number) => {
      const begun = performance.now()
      await rest(sql)
      const reached = await filler.fill(upTo)
      const seconds = (performance.now() - begun) / 1_000
      await proveRight()
      return { operations: reached, seconds, gigabytes: await sizeOf(sql) }
    },
    probes: async (): Promise<ReadonlyArray<Probe>> => {
      const [hot, other] = tenants
      if (hot === undefined || other === undefined) throw new Error("There are no tenants.")
      const large = await sampleOf(sql, filler, hot, samples)
      const small = await sampleOf(sql, filler, other, samples)
      return [
        ...(await readProbes(service, large, "")),
        ...(await readProbes(service, small, " (small)")),
        ...operatorProbes(service, large),
        ...(await writeProbes(service, large, refunded)),
        ...(await endpointProbes(service, large)),
        ...workProbes(driver, sql),
        ...purgeProbes(driver, sql),
        ...auditProbes(driver, large)
      ]
    },
    end: async () => {
      await service.pagora.stop()
      await filler.end()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await sql.end()
    }
  }
}

/** What would be looked at again some time later is left alone: the PSP of a run knows only what the run made. */
const rest = (sql: Pool) =>
  sql.query(
    "update pagora.job set due = now() + interval '1 year' where queue = 'reconciliation' and due < now() + interval '30 days'"
  )

const sizeOf = async (sql: Pool): Promise<number> => {
  const { rows } = await sql.query<{ bytes: string }>(
    "select pg_database_size(current_database()) as bytes"
  )
  return Number(rows[0]?.bytes) / 1e9
}
