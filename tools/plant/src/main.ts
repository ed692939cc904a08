import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { guards, plants } from "./Catalogue.ts"
import { NotClean, tend } from "./Garden.ts"
import { lineOf, reportOf } from "./Report.ts"

// Plants each bug of the catalogue in a copy of the sources, and sees how many seeds the simulator takes to find it:
// npm run plant -- --only NAME,… --seeds 500 --first-seed 1 --jobs 2 --seconds 900

const root = fileURLToPath(new URL("../../..", import.meta.url))

const fail = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const { values } = (() => {
  try {
    return parseArgs({
      options: {
        only: { type: "string" },
        seeds: { type: "string", default: "500" },
        "first-seed": { type: "string", default: "1" },
        jobs: { type: "string", default: "2" },
        seconds: { type: "string", default: "900" }
      }
    })
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
})()

const countOf = (name: "seeds" | "first-seed" | "jobs" | "seconds", least: number): number => {
  const text = values[name]
  return /^\d{1,9}$/.test(text) && Number(text) >= least
    ? Number(text)
    : fail(`--${name} takes a whole number from ${least} on, and not "${text}".`)
}

const asked = values.only?.split(",").map((name) => name.trim())
const unknown = (asked ?? []).filter((name) => !plants.some((plant) => plant.name === name))
if (unknown.length > 0) fail(`There is no bug ${unknown.join(", ")} in the catalogue.`)
const chosen = plants.filter(({ name }) => asked === undefined || asked.includes(name))

const stopping = new AbortController()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => stopping.abort())

let done = 0
try {
  const hunted = await tend({
    root,
    plants: chosen,
    bounds: {
      firstSeed: countOf("first-seed", 0),
      seeds: countOf("seeds", 1),
      withinMillis: countOf("seconds", 1) * 1_000
    },
    jobs: countOf("jobs", 1),
    signal: stopping.signal,
    onHunted: (one) => console.log(`${`${++done}/${chosen.length}`.padStart(7)}  ${lineOf(one)}`)
  })
  console.log(`\n${reportOf(hunted, guards).join("\n")}`)
  const isAllFound = hunted.every(({ verdict }) => verdict._tag === "Found")
  process.exitCode = stopping.signal.aborted ? 130 : isAllFound ? 0 : 1
} catch (error) {
  if (!(error instanceof NotClean)) throw error
  fail(error.message)
}
