import { everything, optionsOf, shrink, unreached } from "@pagora/testkit/simulation"
import { Worker } from "node:worker_threads"
import type { SimulateOptions } from "./Options.ts"
import { parseOptions, usage } from "./Options.ts"
import { questionOf, readReport, writeReport } from "./Report.ts"
import { kindOf, runPlan } from "./Runner.ts"
import { Summary } from "./Summary.ts"
import type { Asked, Told } from "./Worker.ts"

/** How often a failure is run again to make it smaller. */
const shrinkRuns = 250
const progressEvery = 100

const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`)

/** Runs all seeds that the summary has not, `jobs` at once, and tells of every hundred. */
const runAll = async (
  options: SimulateOptions,
  summary: Summary,
  progress: () => void
): Promise<void> => {
  const end = options.seed + options.count
  let seed = summary.next
  let said = summary.seeds
  const workers: Array<Worker> = []
  const take = (told: Told): void => {
    summary.add(told)
    for (const violation of told.violations) say(`seed ${told.seed}: ${violation}`)
    if (told.violations.length > 0 && options.stopsAtFirst)
      for (const worker of workers) void worker.terminate()
    if (summary.seeds - said < progressEvery) return
    said = summary.seeds
    progress()
  }
  const ended = Array.from({ length: options.jobs }, () => {
    const worker = new Worker(new URL("Worker.ts", import.meta.url), { workerData: options })
    const ask = (): void => worker.postMessage((seed < end ? seed++ : undefined) satisfies Asked)
    workers.push(worker)
    worker.on("message", (told: Told) => {
      take(told)
      ask()
    })
    ask()
    return new Promise<void>((resolve, reject) => {
      worker.once("error", reject)
      worker.once("exit", () => resolve())
    })
  })
  await Promise.all(ended)
}

/** Makes the first failure small and says how to repeat it. */
const explain = async (options: SimulateOptions, seed: number): Promise<void> => {
  const attempt = async (plan: Parameters<typeof runPlan>[0]) => {
    const { faults, operations, violations } = await runPlan(plan, options)
    const [first] = violations
    return { violation: first && kindOf(first), operations, faults }
  }
  const small = await shrink({ ...options.plan, seed }, attempt, shrinkRuns)
  const { lines, violations } = await runPlan(small, options, true)
  say(`\nThe same with less (${lines.length} lines; --trace shows them):`)
  for (const violation of violations) say(`  ${violation}`)
  const bank = options.bank === "port" ? "" : ` --bank ${options.bank}`
  say(`\nnpm run simulate -- ${optionsOf(small)} --storage ${options.storage}${bank}`)
}

const run = async (options: SimulateOptions): Promise<number> => {
  if (options.isTraced) {
    const { lines } = await runPlan({ ...options.plan, seed: options.seed }, options, true)
    for (const line of lines) say(line)
  }
  const { report } = options
  const question = report === undefined ? {} : questionOf(options)
  const kept = report !== undefined && options.resumes ? readReport(report, question) : undefined
  if (typeof kept === "string") {
    say(kept)
    return 2
  }
  const summary = new Summary(options.seed, kept)
  const keep = (): void => {
    if (report !== undefined) writeReport(report, summary.reportOf(question))
  }
  const isStopped = options.stopsAtFirst && summary.failed.length > 0
  if (!isStopped)
    await runAll(options, summary, () => {
      say(summary.sentence(options))
      keep()
    })
  keep()
  const { coverage, failed } = summary
  const [first] = failed
  if (first !== undefined && options.shrinks) await explain(options, first.seed)
  say(summary.sentence(options))
  const reached = everything.length - unreached(coverage).length
  say(`${reached} of ${everything.length} cells were reached`)
  for (const { seed, violations } of failed.slice(0, 20)) say(`seed ${seed}: ${violations[0]}`)
  const missed = summary.missed(options)
  for (const cell of missed) say(`never reached: ${cell}`)
  return failed.length === 0 && missed.length === 0 ? 0 : 1
}

// `| head -1` has read what it wanted; a report keeps what was done.
process.stdout.on("error", () => process.exit(1))

const options = parseOptions(process.argv.slice(2))
if (typeof options === "string") {
  say(`${options}\n\n${usage}`)
  process.exitCode = 2
} else process.exitCode = await run(options)
