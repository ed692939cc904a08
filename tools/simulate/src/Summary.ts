import { unreached, wholeFrom } from "@pagora/testkit/simulation"
import { createHash } from "node:crypto"
import type { SimulateOptions } from "./Options.ts"
import type { Report } from "./Report.ts"
import { wireCells } from "./wire/WireFaults.ts"
import type { Told } from "./Worker.ts"

type Failed = Pick<Told, "seed" | "violations">

/** Figures of all seeds together, in their order: of those from the first one on without a gap. */
export class Summary {
  readonly coverage: Map<string, number>
  /** Of all seeds that were told. */
  readonly failed: Array<Failed>
  seeds: number
  operations: number
  faults: number
  steps: number
  private traces: string
  private readonly first: number
  private readonly secondsBefore: number
  private readonly begun = performance.now()
  /** Told before one that comes before them. */
  private readonly early = new Map<number, Told>()

  /** @param kept What was run of these seeds before. */
  constructor(first: number, kept?: Report) {
    this.first = first
    this.seeds = kept?.seeds ?? 0
    this.operations = kept?.operations ?? 0
    this.faults = kept?.faults ?? 0
    this.steps = kept?.steps ?? 0
    this.traces = kept?.traces ?? ""
    this.secondsBefore = kept?.seconds ?? 0
    this.failed = [...(kept?.failed ?? [])]
    this.coverage = new Map(Object.entries(kept?.coverage ?? {}))
  }

  /** The seed after those whose figures are in. */
  get next(): number {
    return this.first + this.seeds
  }

  add(told: Told): void {
    const { seed, violations } = told
    if (violations.length > 0) this.failed.push({ seed, violations })
    this.early.set(seed, told)
    for (let next = this.early.get(this.next); next; next = this.early.get(this.next)) {
      this.early.delete(next.seed)
      this.count(next)
    }
  }

  private count({ coverage, faults, hash, operations, steps }: Told): void {
    this.traces =
      this.seeds === 0
        ? hash
        : createHash("sha256")
            .update(this.traces + hash)
            .digest("hex")
    this.seeds++
    this.operations += operations
    this.faults += faults
    this.steps += steps
    for (const [cell, count] of coverage)
      this.coverage.set(cell, (this.coverage.get(cell) ?? 0) + count)
  }

  /** What was never reached, though so much was run that nothing may have been missed. */
  missed({ bank, plan }: Pick<SimulateOptions, "bank" | "plan">): ReadonlyArray<string> {
    const isWhole =
      this.seeds >= wholeFrom && plan.calm.length === 0 && plan.operations === undefined
    if (!isWhole) return []
    return bank === "port"
      ? unreached(this.coverage)
      : wireCells(bank).filter((cell) => !this.coverage.has(cell))
  }

  get seconds(): number {
    return this.secondsBefore + (performance.now() - this.begun) / 1_000
  }

  reportOf(question: Report["question"]): Report {
    const { coverage, failed, faults, operations, seconds, seeds, steps, traces } = this
    return {
      question,
      seeds,
      seconds: Math.round(seconds),
      operations,
      faults,
      steps,
      traces,
      // What was told early is run again by whoever goes on.
      failed: failed.filter(({ seed }) => seed < this.next),
      coverage: Object.fromEntries([...coverage].toSorted())
    }
  }

  /** `1,200 seeds on memory in 300 s (4.0/s): 264,000 operations, 12,000 faults, …; 0 of them with violations; traces 1f…` */
  sentence({ storage }: Pick<SimulateOptions, "storage">): string {
    const { failed, faults, operations, seconds, seeds, steps, traces } = this
    const number = (value: number) => value.toLocaleString("en-US")
    return (
      `${number(seeds)} ${seeds === 1 ? "seed" : "seeds"} on ${storage} in ${seconds.toFixed(0)} s (${(seeds / seconds).toFixed(1)}/s): ` +
      `${number(operations)} operations, ${number(faults)} faults, ${number(steps)} steps; ` +
      `${failed.length} of them with violations; ${seeds === 1 ? "trace" : "traces"} ${traces.slice(0, 16)}`
    )
  }
}
