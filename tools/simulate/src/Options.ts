import type { Plan, TroubleName } from "@pagora/testkit/simulation"
import { parseNumbers, troubleNames } from "@pagora/testkit/simulation"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import type { BankChoice, Setup } from "./Runner.ts"
import { bankChoices } from "./Runner.ts"
import type { StorageName } from "./Storages.ts"
import { storageNames } from "./Storages.ts"

export const usage = `usage: npm run simulate -- [options]

  --seed S          the first seed (1)
  --count N         how many seeds (100)
  --storage NAME    ${storageNames.join(" or ")} (memory)
  --bank NAME       banks that speak our port (port), behind the real protocol of efi, inter or woovi,
                    or whichever the seed draws (any)
  --compare         each seed on both storages: their traces must be equal
  --jobs N          how many at once (as many as there are cores)
  --stop-at-first   end at the first violation
  --trace           print what happens in the first seed
  --no-shrink       print a violation as it was found
  --report FILE     keep figures as JSON, written every hundred seeds
  --resume          go on after the seeds that the report has, where it is of the same seeds and sources

of one seed, as a smaller failure is told:

  --operations L    only these of its program, such as 3,7-9
  --faults L        only these of its faults; none: without
  --calm NAMES      leave out troubles: ${troubleNames.join(", ")}`

export interface SimulateOptions extends Setup {
  readonly plan: Omit<Plan, "seed">
  readonly seed: number
  readonly count: number
  readonly isComparing: boolean
  readonly jobs: number
  readonly stopsAtFirst: boolean
  readonly isTraced: boolean
  readonly shrinks: boolean
  readonly report: string | undefined
  /** Whether the seeds that the report has are not run again. */
  readonly resumes: boolean
}

/** What the command was told; a sentence where it cannot be understood. */
export const parseOptions = (args: ReadonlyArray<string>): SimulateOptions | string => {
  const read = parse(args)
  if (typeof read === "string") return read
  const { bank = "port", calm, faults, operations, storage = "memory" } = read
  const seed = wholeOf(read.seed ?? "1", 0)
  const count = wholeOf(read.count ?? "100", 1)
  const jobs = wholeOf(read.jobs ?? String(availableParallelism()), 1)
  if (seed === undefined || count === undefined || jobs === undefined)
    return "--seed, --count and --jobs take whole numbers."
  if (!isStorage(storage)) return `--storage takes ${storageNames.join(" or ")}.`
  if (!isBank(bank)) return `--bank takes ${bankChoices.join(", ")}.`
  if (read.resume === true && read.report === undefined) return "--resume goes on with a --report."
  const only = { operations: listOf(operations), faults: listOf(faults) }
  if (only.operations === null || only.faults === null)
    return "--operations and --faults take numbers such as 3,7-9, or none."
  const names = calm === undefined ? [] : calm.split(",")
  if (!names.every(isTrouble)) return `--calm takes some of ${troubleNames.join(",")}.`
  return {
    plan: {
      calm: names,
      ...(only.operations === undefined ? {} : { operations: only.operations }),
      ...(only.faults === undefined ? {} : { faults: only.faults })
    },
    seed,
    count,
    storage,
    bank,
    isComparing: read.compare === true,
    jobs: Math.min(jobs, count),
    stopsAtFirst: read["stop-at-first"] === true,
    isTraced: read.trace === true,
    shrinks: read["no-shrink"] !== true,
    report: read.report,
    resumes: read.resume === true
  }
}

const parse = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: "string" },
        count: { type: "string" },
        storage: { type: "string" },
        bank: { type: "string" },
        compare: { type: "boolean" },
        jobs: { type: "string" },
        "stop-at-first": { type: "boolean" },
        trace: { type: "boolean" },
        "no-shrink": { type: "boolean" },
        report: { type: "string" },
        resume: { type: "boolean" },
        operations: { type: "string" },
        faults: { type: "string" },
        calm: { type: "string" }
      }
    }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const wholeOf = (text: string, min: number): number | undefined => {
  const number = Number(text)
  return Number.isSafeInteger(number) && number >= min ? number : undefined
}

/** Null where the text is no list. */
const listOf = (text: string | undefined): ReadonlyArray<number> | undefined | null =>
  text === undefined ? undefined : (parseNumbers(text) ?? null)

const isStorage = (name: string): name is StorageName =>
  (storageNames as ReadonlyArray<string>).includes(name)

const isBank = (name: string): name is BankChoice =>
  (bankChoices as ReadonlyArray<string>).includes(name)

const isTrouble = (name: string): name is TroubleName =>
  (troubleNames as ReadonlyArray<string>).includes(name)
