import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { guards, plants } from "./Catalogue.ts"
import { NotClean, tend } from "./Garden.ts"
import { isProved } from "./Plant.ts"
import { lineOf, reportOf, watchedLineOf, watchedReportOf } from "./Report.ts"
import { watch } from "./Watch.ts"

// Plants each bug of the catalogue in a copy of the sources, and sees how many seeds the simulator takes to find it:
// npm run plant -- --only NAME,… --seeds 500 --first-seed 1 --jobs 2 --seconds 900
// What no world shows, or hardly any, is guarded by tests. Whether each of those fails, or those of some files:
// npm run plant -- --guards --only spending.test.ts,…

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
        guards: { type: "boolean", default: false },
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
const isAsked = (name: string): boolean => asked === undefined || asked.includes(name)
const chosen = plants.filter(({ name }) => isAsked(name))
const proved = guards.filter(isProved).filter(({ file }) => isAsked(basename(file)))
const known = values.guards
  ? proved.map(({ file }) => basename(file))
  : chosen.map(({ name }) => name)
const unknown = (asked ?? []).filter((name) => !known.includes(name))
if (unknown.length > 0)
  fail(`There is no ${values.guards ? "guard in" : "bug"} ${unknown.join(", ")} in the catalogue.`)

const stopping = new AbortController()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => stopping.abort())

let done = 0
const tell = (all: number, line: string) =>
  console.log(`${`${++done}/${all}`.padStart(7)}  ${line}`)

const watchAll = async (): Promise<boolean> => {
  const watched = await watch({
    root,
    guards: proved,
    signal: stopping.signal,
    fileMillis: 120_000,
    onWatched: (one) => tell(proved.length, watchedLineOf(one))
  })
  console.log(`\n${watchedReportOf(watched).join("\n")}`)
  return watched.every(({ verdict }) => verdict === "Caught")
}

const huntAll = async (): Promise<boolean> => {
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
    onHunted: (one) => tell(chosen.length, lineOf(one))
  })
  console.log(`\n${reportOf(hunted, guards).join("\n")}`)
  return hunted.every(({ verdict }) => verdict._tag === "Found")
}

try {
  const isAllFound = await (values.guards ? watchAll() : huntAll())
  process.exitCode = stopping.signal.aborted ? 130 : isAllFound ? 0 : 1
} catch (error) {
  if (!(error instanceof NotClean)) throw error
  fail(error.message)
}
