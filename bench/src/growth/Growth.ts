import { startPostgres } from "@pagora/testkit/postgres"
import { statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { table } from "../Measure.ts"
import { makeGrown } from "./Grown.ts"
import type { Figures } from "./Probe.ts"
import { measure } from "./Probe.ts"

export interface GrowthOptions {
  /** How many there are at the end. */
  readonly operations: number
  readonly settings: Readonly<Record<string, string>>
  readonly jsonFile: string | undefined
  /** Ends it, and everything that it has made. */
  readonly signal: AbortSignal
}

/** What was measured of a database of one size, beside the small one. */
interface Stage {
  readonly operations: number
  readonly gigabytes: number
  readonly seconds: number
  readonly figures: Readonly<Record<string, Figures>>
}

const smallest = 10_000
/** What an operation takes on disk with everything it leaves, and what PostgreSQL needs beside that. */
const [bytesOfOperation, bytesBeside] = [6_000, 8e9]

/** The sizes at which everything is measured: powers of ten, and the last. */
const sizesUpTo = (operations: number): ReadonlyArray<number> => {
  const sizes: Array<number> = []
  for (let size = 10 * smallest; size < operations; size *= 10) sizes.push(size)
  return [...sizes, operations]
}

/**
 * A database that grows beside one that stays small: in both a day of a deployment is made through its own door and copied
 * back over a year, and everything that tenants, operators and workers ask for is measured in the two by turns. The audit
 * is right at each size, or the run ends.
 */
export const growth = async ({
  jsonFile,
  operations,
  settings,
  signal
}: GrowthOptions): Promise<void> => {
  const { bavail, bsize } = statfsSync(tmpdir())
  if (bavail * bsize < operations * bytesOfOperation + bytesBeside)
    throw new Error(`There is too little room on the disk for ${operations} operations.`)
  const server = await startPostgres({ settings })
  const ends: Array<() => Promise<unknown>> = [server.stop]
  try {
    const small = await makeGrown(server.url, { name: "small", operations: smallest, signal })
    ends.unshift(small.end)
    const large = await makeGrown(server.url, { name: "large", operations, signal })
    ends.unshift(large.end)
    const { operations: from } = await small.fill(smallest)
    const stages: Array<Stage> = []
    for (const size of sizesUpTo(operations)) {
      const filled = await large.fill(size)
      console.error(`${filled.operations} operations after ${filled.seconds.toFixed(0)} s more`)
      const probes = await large.probes()
      const figures: Record<string, Figures> = {}
      for (const [place, probe] of (await small.probes()).entries()) {
        const other = probes[place]
        if (other === undefined) throw new Error(`${probe.name} is not measured in both.`)
        signal.throwIfAborted()
        const found = await measure(probe, other)
        // What is done once only makes the next ready.
        if (probe.count > 1) figures[probe.name] = found
      }
      stages.push({ ...filled, figures })
      if (jsonFile !== undefined) writeFileSync(jsonFile, JSON.stringify({ from, stages }, null, 2))
    }
    console.log(report(from, stages))
    for (const { proveRight } of [small, large]) await proveRight()
    console.log("Audit at each size and after the run: clean.")
  } finally {
    for (const end of ends) await end()
  }
}

const report = (from: number, stages: ReadonlyArray<Stage>): string => {
  const head = [
    "p50/p99 ms",
    `${from}`,
    ...stages.flatMap(({ operations }) => [`${operations}`, "p50, ratio"])
  ]
  const cell = ({ p50, p99 }: Figures["large"]) => `${p50.toFixed(2)}/${p99.toFixed(1)}`
  const rows = Object.entries(stages.at(-1)?.figures ?? {}).map(([name, { small }]) => [
    name,
    cell(small),
    ...stages.flatMap(({ figures }) => {
      const found = figures[name]
      return found === undefined
        ? ["", ""]
        : [cell(found.large), (found.large.p50 / found.small.p50).toFixed(2)]
    })
  ])
  const sizes = stages.map(
    ({ gigabytes, operations, seconds }) =>
      `${operations} operations: ${gigabytes.toFixed(2)} GB, the new ones filled in within ${seconds.toFixed(0)} s`
  )
  return [table([head, ...rows]), ...sizes].join("\n")
}
