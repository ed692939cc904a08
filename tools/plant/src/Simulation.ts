import { spawn } from "node:child_process"
import type { Plant, PlantedBank } from "./Plant.ts"

const program = "tools/simulate/src/main.ts"

/** One seed after the other, and nothing of one that failed but its violations. */
const manner = ["--jobs", "1", "--stop-at-first", "--no-shrink"]

/** So much of what it prints is looked at: it says at the end what it found. */
const keptMax = 64 * 1024

/** Seeds that one run of the simulator tries. */
export interface Batch {
  readonly first: number
  readonly count: number
  readonly storage: Plant["storage"]
  readonly bank: PlantedBank
}

/** What a run came to. Broken: the simulator itself failed, which says nothing about the service. */
export type Verdict =
  | { readonly _tag: "Clean" }
  /** There was no time for all of its seeds; those that ended were clean. */
  | { readonly _tag: "Late" }
  | { readonly _tag: "Found"; readonly seed: number; readonly violation: string }
  | { readonly _tag: "Broken"; readonly detail: string }

export interface Running {
  /** The copy of the workspace whose simulator runs. */
  readonly folder: string
  readonly withinMillis: number
  readonly signal: AbortSignal
}

/** Runs the simulator until the first violation of a batch, or to its end. */
export const simulate = (batch: Batch, running: Running): Promise<Verdict> =>
  new Promise((resolve) => {
    const { bank, count, first, storage } = batch
    const { folder, signal, withinMillis } = running
    const world = ["--seed", first, "--count", count, "--storage", storage, "--bank", bank].map(
      String
    )
    const child = spawn(
      process.execPath,
      ["--conditions=@pagora/source", program, ...world, ...manner],
      {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"]
      }
    )
    let said = ""
    const listen = (bytes: Buffer) => {
      said = `${said}${bytes.toString("utf8")}`.slice(-keptMax)
    }
    child.stdout.on("data", listen)
    child.stderr.on("data", listen)
    const stop = () => void child.kill("SIGKILL")
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      stop()
    }, withinMillis)
    signal.addEventListener("abort", stop)
    if (signal.aborted) stop()
    const end = (verdict: Verdict) => {
      clearTimeout(timer)
      signal.removeEventListener("abort", stop)
      resolve(verdict)
    }
    child.once("error", ({ message }) => end({ _tag: "Broken", detail: message }))
    child.once("close", (code) => end(isLate ? { _tag: "Late" } : judged(code, said, batch)))
  })

/** Node.js ends with 1 as well where a program throws: only a seed of the batch that is told is a finding. */
const judged = (code: number | null, said: string, { count, first }: Batch): Verdict => {
  if (code === 0) return { _tag: "Clean" }
  const [, told, violation] = /^seed (\d+): (.*)$/m.exec(said) ?? []
  const seed = Number(told)
  return code === 1 && violation !== undefined && seed >= first && seed < first + count
    ? { _tag: "Found", seed, violation }
    : { _tag: "Broken", detail: `It ended with ${code ?? "a signal"}: ${lastOf(said)}` }
}

/** The line that says most. */
const lastOf = (said: string): string => {
  const lines = said.trim().split("\n")
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? ""
}
