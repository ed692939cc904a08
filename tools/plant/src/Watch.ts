import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { copyWorkspace } from "./Copy.ts"
import type { Guard, Proved } from "./Plant.ts"
import { plantIn } from "./Plant.ts"
import { run } from "./Run.ts"

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
  /** How long each file of tests may take: with a fault in the sources some never end, nor let anything else be done. */
  readonly fileMillis: number
  readonly onWatched: (watched: Watched) => void
}

type Manner = Pick<Watching, "fileMillis" | "signal">

/** Puts the fault of each guard in a copy, alone, and runs its test; without it that test has to pass (decision 0120). */
export const watch = async (watching: Watching): Promise<ReadonlyArray<Watched>> => {
  const { guards, onWatched, root, signal } = watching
  const folder = copyWorkspace(root, { withTests: true })
  try {
    const clean = await testsOf(folder, [...new Set(guards.map(({ file }) => file))], watching)
    const watched: Array<Watched> = []
    for (const guard of guards) {
      const one = await watchOne(folder, guard, clean, watching)
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
  manner: Manner
): Promise<Watched> => {
  const broken = (detail: string): Watched => ({ guard, verdict: "Broken", detail })
  const alone = clean.of(guard)
  if (alone.length === 0) return broken(clean.trouble ?? "No test is of that title.")
  if (!alone.every(({ hasPassed }) => hasPassed)) return broken("It fails without the fault.")
  let takeOut = () => {}
  try {
    takeOut = plantIn(folder, guard)
    const ran = await testsOf(folder, [guard.file], manner)
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
  { fileMillis, signal }: Manner
): Promise<Ran> => {
  const report = join(folder, "report.json")
  rmSync(report, { force: true })
  const { isLate, said } = await run(
    [
      join(folder, "node_modules/vitest/vitest.mjs"),
      "run",
      ...files,
      "--reporter=json",
      `--outputFile=${report}`
    ],
    {
      folder,
      signal,
      withinMillis: fileMillis * files.length,
      // Tests that start programs need them bundled; those of guards start none.
      env: { ...process.env, WORKSPACE_BUNDLE: "" }
    }
  )
  if (isLate) return { of: () => [], trouble: "It did not end in time." }
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
    of: ({ case: one = "", file, title }) => {
      const pattern = titled(title)
      return tests.filter(
        (test) => test.file.endsWith(file) && pattern.test(test.title) && test.title.includes(one)
      )
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
