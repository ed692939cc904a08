import { parentPort, workerData } from "node:worker_threads"
import type { SimulateOptions } from "./Options.ts"
import { runPlan } from "./Runner.ts"

/** What a worker tells of one seed. */
export interface Told {
  readonly seed: number
  readonly hash: string
  readonly violations: ReadonlyArray<string>
  readonly operations: number
  readonly faults: number
  readonly steps: number
  readonly coverage: ReadonlyMap<string, number>
}

/** A seed that a worker is to run; undefined once there are no more. */
export type Asked = number | undefined

const options = workerData as SimulateOptions

// Nobody reads the stacks of what goes wrong on purpose, and to take them is a tenth of what a seed costs. `--trace` has them.
Error.stackTraceLimit = 0

const run = async (seed: number): Promise<Told> => {
  const plan = { ...options.plan, seed }
  const { lines: _, ...report } = await runPlan(plan, options)
  if (!options.isComparing) return report
  const other = options.storage === "memory" ? "pglite" : "memory"
  const { hash } = await runPlan(plan, { ...options, storage: other })
  if (hash === report.hash) return report
  const violation = `traces: ${report.hash} on ${options.storage}, ${hash} on ${other}`
  return { ...report, violations: [...report.violations, violation] }
}

parentPort?.on("message", (asked: Asked) => {
  if (asked === undefined) return parentPort?.close()
  // What breaks the simulation ends the worker, and whoever asked is told.
  void run(asked).then(
    (told) => parentPort?.postMessage(told),
    (error: unknown) =>
      setImmediate(() => {
        throw error
      })
  )
})
