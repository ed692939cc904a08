import { unreached, wholeFrom } from "@pagora/testkit/simulation"
import type { SimulateOptions } from "./Options.ts"
import { wireCells } from "./wire/WireFaults.ts"
import type { Told } from "./Worker.ts"

/** Figures of all seeds together. */
export class Summary {
  readonly coverage = new Map<string, number>()
  readonly failed: Array<Told> = []
  seeds = 0
  operations = 0
  faults = 0
  steps = 0
  private readonly begun = performance.now()
  private hashes = ""

  add(told: Told): void {
    this.seeds++
    this.operations += told.operations
    this.faults += told.faults
    this.steps += told.steps
    for (const [cell, count] of told.coverage)
      this.coverage.set(cell, (this.coverage.get(cell) ?? 0) + count)
    if (told.violations.length > 0) this.failed.push(told)
    if (this.seeds === 1) this.hashes = told.hash
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
    return (performance.now() - this.begun) / 1_000
  }

  /** `1,200 seeds in 300 s (4.0/s): 264,000 operations, 12,000 faults, 41 million steps; 0 violations` */
  sentence({ storage }: SimulateOptions): string {
    const { failed, faults, operations, seconds, seeds, steps } = this
    const number = (value: number) => value.toLocaleString("en-US")
    const trace = seeds === 1 ? `; trace ${this.hashes}` : ""
    return (
      `${number(seeds)} ${seeds === 1 ? "seed" : "seeds"} on ${storage} in ${seconds.toFixed(0)} s (${(seeds / seconds).toFixed(1)}/s): ` +
      `${number(operations)} operations, ${number(faults)} faults, ${number(steps)} steps; ` +
      `${failed.length} of them with violations${trace}`
    )
  }
}
