import { spawn } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { copyWorkspace } from "./Copy.ts"
import type { Edit, Guard } from "./Plant.ts"
import { plantIn } from "./Plant.ts"

/** A guard whose fault can be put there. */
export interface Proved extends Guard {
  readonly edits: ReadonlyArray<Edit>
}

export const isProved = (guard: Guard): guard is Proved => guard.edits !== undefined

/** What became of a guard's test with its fault in the sources. */
export interface Watched {
  readonly guard: Proved
  readonly verdict: "Caught" | "Missed" | "Broken"
  /** What failed, or why nothing can be said. */
  readonly detail: string
}

export interface Watching {
  /** The workspace whose sources and tests are copied. */
  readonly root: string
  readonly guards: ReadonlyArray<Proved>
  readonly signal: AbortSignal
  readonly onWatched: (watched: Watched) => void
}

/** Puts the fault of each guard in a copy, alone, and runs its test; without it that test has to pass (decision 0120). */
export const watch = async (watching: Watching): Promise<ReadonlyArray<Watched>> => {
  const { guards, onWatched, root, signal } = watching
  const folder = copyWorkspace(root, { withTests: true })
  try {
    const clean = await testsOf(folder, [...new Set(guards.map(({ file }) => file))], signal)
    const watched: Array<Watched> = []
    for (const guard of guards) {
      const one = await watchOne(folder, guard, clean, signal)
      if (signal.aborted) break
      watched.push(one)
      onWatched(one)
    }
    return watched
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const watchOne = async (
  folder: string,
  guard: Proved,
  clean: Ran,
  signal: AbortSignal
): Promise<Watched> => {
  const broken = (detail: string): Watched => ({ guard, verdict: "Broken", detail })
  const alone = clean.of(guard)
  if (alone.length === 0) return broken(clean.trouble ?? "No test is of that title.")
  if (!alone.every(({ hasPassed }) => hasPassed)) return broken("It fails without the fault.")
  let takeOut = () => {}
  try {
    takeOut = plantIn(folder, guard)
    const ran = await testsOf(folder, [guard.file], signal)
    const tests = ran.of(guard)
    if (tests.length === 0) return broken(ran.trouble ?? "The test did not run.")
    const failed = tests.find(({ hasPassed }) => !hasPassed)
    return failed === undefined
      ? { guard, verdict: "Missed", detail: "Its test passes all the same." }
      : { guard, verdict: "Caught", detail: failed.why }
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error))
  } finally {
    takeOut()
  }
}

interface Test {
  readonly file: string
  readonly title: string
  readonly hasPassed: boolean
  readonly why: string
}

interface Ran {
  readonly of: (guard: Guard) => ReadonlyArray<Test>
  readonly trouble: string | undefined
}

/** The titles that a test of many cases may have: each place for a value stands for anything. */
const titled = (title: string): RegExp =>
  new RegExp(
    `^${title
      .split(/%[sdij]|\$\{[^}]*\}|\$\w+/)
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
      .join(".*")}$`
  )

/** So much of what vitest reports is looked at. */
interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly title: string
      readonly status: string
      readonly failureMessages?: ReadonlyArray<string>
    }>
  }>
}

const testsOf = async (
  folder: string,
  files: ReadonlyArray<string>,
  signal: AbortSignal
): Promise<Ran> => {
  const report = join(folder, "report.json")
  rmSync(report, { force: true })
  const args = [...files, "--reporter=json", `--outputFile=${report}`]
  const said = await vitest(folder, args, { signal, withinMillis: fileMillis * files.length })
  const results = reported(report)
  const tests = results.flatMap(({ assertionResults, name }) =>
    assertionResults.map(({ failureMessages = [], status, title }): Test => ({
      file: name,
      title,
      hasPassed: status === "passed",
      why: failureMessages[0]?.split("\n")[0] ?? status
    }))
  )
  return {
    of: ({ file, title }) => {
      const pattern = titled(title)
      return tests.filter((test) => test.file.endsWith(file) && pattern.test(test.title))
    },
    trouble: tests.length > 0 ? undefined : results[0]?.message || said.trim().split("\n").at(-1)
  }
}

const reported = (path: string): Report["testResults"] => {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as Report).testResults
  } catch {
    return []
  }
}

/** For each file: with its fault in the sources a test may never end, nor let anything else be done. */
const fileMillis = 120_000

/** Runs vitest to its end, and answers what it said. */
const vitest = (
  folder: string,
  args: ReadonlyArray<string>,
  { signal, withinMillis }: { readonly signal: AbortSignal; readonly withinMillis: number }
): Promise<string> =>
  new Promise((resolve) => {
    const program = join(folder, "node_modules/vitest/vitest.mjs")
    const child = spawn(process.execPath, [program, "run", ...args], {
      cwd: folder,
      // Tests that start programs need them bundled; those of guards start none.
      env: { ...process.env, WORKSPACE_BUNDLE: "" },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, which ends with all of its workers.
      detached: true
    })
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (bytes: Buffer) => (said += bytes.toString("utf8")))
    const end = () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
    }
    const timer = setTimeout(() => {
      said = "It did not end in time."
      end()
    }, withinMillis)
    signal.addEventListener("abort", end)
    if (signal.aborted) end()
    const ended = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      resolve(said)
    }
    child.once("error", ended)
    child.once("close", ended)
  })
