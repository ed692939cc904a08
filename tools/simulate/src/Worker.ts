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

/** Which seeds are a worker's: every `jobs`-th from `first` on. */
export interface WorkerTask {
  readonly options: SimulateOptions
  readonly first: number
}

const { first, options } = workerData as WorkerTask

// Nobody reads the stacks of what goes wrong on purpose, and to take them is a tenth of what a seed costs. `--trace` has them.
Error.stackTraceLimit = 0

for (let nth = first; nth < options.count; nth += options.jobs) {
  const plan = { ...options.plan, seed: options.seed + nth }
  const { lines: _, ...report } = await runPlan(plan, options)
  const violations = [...report.violations]
  if (options.isComparing) {
    const other = options.storage === "memory" ? "pglite" : "memory"
    const { hash } = await runPlan(plan, { ...options, storage: other })
    if (hash !== report.hash)
      violations.push(`traces: ${report.hash} on ${options.storage}, ${hash} on ${other}`)
  }
  parentPort?.postMessage({ ...report, violations } satisfies Told)
}
