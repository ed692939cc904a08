import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import type { Proved } from "../src/Plant.ts"
import { inCore } from "../src/Plant.ts"
import { watchedReportOf } from "../src/Report.ts"
import type { Watched } from "../src/Watch.ts"
import { watch } from "../src/Watch.ts"

/** Everything temporary is below this, so that what is left over is seen. */
let temporary = ""
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "pagora-watch-"))
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, temporary)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(temporary, { recursive: true, force: true })
})

/** A stand-in for vitest: the tests of a file are its lines, each of which has to stand in the core. */
const runner = `import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
const args = process.argv.slice(3)
const out = args.find((one) => one.startsWith("--outputFile=")).slice("--outputFile=".length)
const core = readFileSync("packages/core/src/index.ts", "utf8")
if (core.includes("no end")) {
  const worker = "for (;;) require('node:fs').writeFileSync(process.env.TMPDIR + '/workspace-beat', String(performance.now()))"
  spawnSync(process.execPath, ["-e", worker])
}
const testResults = args.filter((one) => !one.startsWith("--")).map((name) => {
  const titles = readFileSync(name, "utf8").split("\\n").filter(Boolean)
  const assertionResults = core.includes("syntax error") ? [] : titles.map((title) => {
    const status = core.includes(title) ? "passed" : "failed"
    return { title, status, failureMessages: status === "passed" ? [] : ["it is gone\\nat a line"] }
  })
  return { name: process.cwd() + "/" + name, message: "It does not load.", assertionResults }
})
writeFileSync(out, JSON.stringify({ testResults }))
`

const workspace = (): string => {
  const root = mkdtempSync(join(temporary, "workspace-"))
  const files = {
    "package.json": "{}",
    "vitest.config.ts": "",
    "scripts/run.mjs": "",
    "packages/core/package.json": "{}",
    "packages/core/src/index.ts":
      "the floor (of 0) holds\nthe lien of 1 counts\nthe first holds\nthe second holds\n",
    "packages/core/test/floors.test.ts": "the floor (of 0) holds\nnobody ever held this\n",
    "packages/core/test/cases.test.ts": "the first holds\nthe second holds\n",
    "packages/core/test/liens.test.ts": "the lien of 1 counts\n",
    "tools/simulate/package.json": "{}",
    "node_modules/vitest/vitest.mjs": runner
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const guard = (file: string, title: string, find: string, replace = ""): Proved => ({
  what: "something",
  file: `packages/core/test/${file}.test.ts`,
  title,
  edits: [inCore("index.ts", find, replace)]
})

const run = async (guards: ReadonlyArray<Proved>, fileMillis = 30_000) => {
  const told: Array<Watched> = []
  const watched = await watch({
    root: workspace(),
    guards,
    signal: new AbortController().signal,
    fileMillis,
    onWatched: (one) => told.push(one)
  })
  assert.deepStrictEqual(told, watched)
  const left = readdirSync(temporary).filter((name) => !name.startsWith("workspace-"))
  assert.deepStrictEqual(left, [])
  return watched
}

const outcomes = (watched: ReadonlyArray<Watched>) =>
  watched.map(({ detail, verdict }) => `${verdict}: ${detail}`)

describe("a guard whose fault is put there", () => {
  it("has caught it where its test fails, whichever of its cases, and alone", async () => {
    const watched = await run([
      guard("floors", "the floor (of 0) holds", "the floor (of 0) holds\n"),
      guard("liens", "the lien of %d counts", "the lien of 1 counts\n")
    ])
    assert.deepStrictEqual(outcomes(watched), ["Caught: it is gone", "Caught: it is gone"])
    assert.deepStrictEqual(watchedReportOf(watched), ["2 of 2 caught by their tests"])
  })

  it("has missed it where another case of its test fails", async () => {
    const of = (one: string) => ({
      ...guard("cases", "the %s holds", "the second holds\n"),
      case: one
    })
    const watched = await run([of("first"), of("second")])
    assert.deepStrictEqual(outcomes(watched), [
      "Missed: Its test passes all the same.",
      "Caught: it is gone"
    ])
  })

  it("has missed it where its test passes, and says so last", async () => {
    const watched = await run([
      guard("liens", "the lien of 1 counts", "the floor (of 0) holds\n"),
      guard("liens", "the lien of 1 counts", "the lien of 1 counts\n")
    ])
    assert.deepStrictEqual(outcomes(watched), [
      "Missed: Its test passes all the same.",
      "Caught: it is gone"
    ])
    const [first, ...more] = watchedReportOf(watched)
    assert.include(first, "MISSED")
    assert.deepStrictEqual(more, ["1 of 2 caught by their tests"])
  })

  it("proves nothing where its test fails as it is, is not there, does not run, or the fault has no place", async () => {
    const watched = await run([
      guard("floors", "nobody ever held this", "the lien of 1 counts\n"),
      guard("liens", "the lien counts", "the lien of 1 counts\n"),
      guard("liens", "the lien of 1 counts", "the floor (of 0) holds", "syntax error"),
      guard("liens", "the lien of 1 counts", "nowhere")
    ])
    assert.deepStrictEqual(outcomes(watched).slice(0, 3), [
      "Broken: It fails without the fault.",
      "Broken: No test is of that title.",
      "Broken: It does not load."
    ])
    assert.include(watched[3]?.detail, "stands 0 times in packages/core/src/index.ts")
    assert.strictEqual(watchedReportOf(watched).at(-1), "0 of 4 caught by their tests")
  })

  it("proves nothing where its test does not end, and all that it has started ends", async () => {
    const watched = await run(
      [guard("liens", "the lien of 1 counts", "the floor (of 0) holds", "no end")],
      3_000
    )
    assert.deepStrictEqual(outcomes(watched), ["Broken: It did not end in time."])
    const beat = () => readFileSync(join(temporary, "workspace-beat"), "utf8")
    const last = beat()
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.strictEqual(beat(), last)
  })

  it("is left where the run is ended, and nothing of it stays", async () => {
    const stopping = new AbortController()
    stopping.abort()
    const watched = await watch({
      root: workspace(),
      guards: [guard("liens", "the lien of 1 counts", "the lien of 1 counts\n")],
      signal: stopping.signal,
      fileMillis: 30_000,
      onWatched: () => assert.fail("Nothing was to be told.")
    })
    assert.deepStrictEqual(watched, [])
    assert.lengthOf(readdirSync(temporary), 1)
  })
})
