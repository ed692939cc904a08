import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import type { Garden } from "../src/Garden.ts"
import { NotClean, tend } from "../src/Garden.ts"
import type { Hunted } from "../src/Hunt.ts"
import type { Plant } from "../src/Plant.ts"
import { inCore } from "../src/Plant.ts"
import { reportOf } from "../src/Report.ts"

/** Everything temporary is below this, so that what is left over is seen. */
let temporary = ""
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "pagora-hunt-"))
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, temporary)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(temporary, { recursive: true, force: true })
})

const manifest = (name: string) =>
  JSON.stringify({ name, type: "module", exports: { ".": { "@pagora/source": "./src/index.ts" } } })

/** A stand-in for the simulator: the service of a seed is right where the core says so. */
const simulator = `import { parseArgs } from "node:util"
import { isRight } from "@pagora/core"
const text = { type: "string" } as const
const flag = { type: "boolean" } as const
const names = { seed: text, count: text, storage: text, bank: text, jobs: text }
const { values } = parseArgs({
  options: { ...names, "stop-at-first": flag, "no-shrink": flag }
})
const first = Number(values.seed)
for (let seed = first; seed < first + Number(values.count); seed++) {
  if (isRight(seed, String(values.storage), String(values.bank))) continue
  console.log(\`seed \${seed}: a centavo is missing\`)
  process.exit(1)
}
`

const right =
  "export const isRight = (seed: number, storage: string, bank: string): boolean => seed >= 0\n"

/** A workspace whose core is this. */
const workspace = (core = right): string => {
  const root = mkdtempSync(join(temporary, "workspace-"))
  const files = {
    "package.json": "{}",
    "packages/core/package.json": manifest("@pagora/core"),
    "packages/core/src/index.ts": core,
    "tools/simulate/package.json": manifest("@pagora/tool-simulate"),
    "tools/simulate/src/main.ts": simulator
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const scope = join(root, "tools/simulate/node_modules/@pagora")
  mkdirSync(scope, { recursive: true })
  symlinkSync(join(root, "packages/core"), join(scope, "core"), "junction")
  return root
}

const bug = (name: string, replace: string, storage: Plant["storage"] = "memory"): Plant => ({
  name,
  what: "Something is taken away.",
  storage,
  edits: [inCore("index.ts", "seed >= 0", replace)]
})

const left = () => readdirSync(temporary).filter((name) => !name.startsWith("workspace-"))

const run = async (plants: ReadonlyArray<Plant>, options: Partial<Garden> = {}) => {
  const told: Array<Hunted> = []
  const hunted = await tend({
    root: workspace(),
    plants,
    bounds: { firstSeed: 1, seeds: 40, withinMillis: 30_000 },
    jobs: 2,
    signal: new AbortController().signal,
    onHunted: (one) => void told.push(one),
    ...options
  })
  assert.strictEqual(told.length, hunted.length)
  return new Map(hunted.map((one) => [one.plant.name, one]))
}

describe("a planted bug", () => {
  it("is found at the seed that shows it, survives, or breaks the simulator", async () => {
    const hunted = await run([
      bug("found", "seed < 13"),
      bug("found-over-pglite", 'storage !== "pglite" || seed < 3', "pglite"),
      { ...bug("found-at-a-bank", 'bank !== "efi" || seed < 5'), bank: "efi" },
      bug("survivor", "seed > -1"),
      bug("late", "seed < 100"),
      bug("broken", "Boolean(nothing)"),
      bug("no-program", "(")
    ])
    const verdictOf = (name: string) => {
      const { seeds, verdict } = hunted.get(name) ?? assert.fail(name)
      return [verdict._tag, seeds]
    }
    assert.deepStrictEqual(verdictOf("found"), ["Found", 13])
    assert.deepStrictEqual(verdictOf("found-over-pglite"), ["Found", 3])
    assert.deepStrictEqual(verdictOf("found-at-a-bank"), ["Found", 5])
    assert.deepStrictEqual(verdictOf("survivor"), ["Clean", 40])
    assert.deepStrictEqual(verdictOf("late"), ["Clean", 40])
    assert.strictEqual(verdictOf("broken")[0], "Broken")
    assert.strictEqual(verdictOf("no-program")[0], "Broken")
    assert.deepStrictEqual(left(), [])
    const report = reportOf([...hunted.values()], []).join("\n")
    assert.match(report, /found +memory +13 .*a centavo is missing/)
    assert.match(report, /survivor .*SURVIVED 40 seeds/)
    assert.match(report, /broken .*BROKEN It ended with 1: .*nothing/)
    assert.match(report, /Median: 5 seeds\.\n3 of 7 found$/)
  })

  it("is not found by a seed that fails without it", async () => {
    const root = workspace(right.replace("seed >= 0", "seed !== 7 && seed >= 0"))
    const hunted = await run([bug("later", "seed < 20"), bug("sooner", "seed < 6")], { root })
    assert.deepStrictEqual(hunted.get("sooner")?.verdict._tag, "Found")
    assert.deepStrictEqual(hunted.get("later")?.verdict, {
      _tag: "Broken",
      detail: "Without it seed 7 fails as well: a centavo is missing"
    })
  })

  it("is not looked for where the sources fail as they are", async () => {
    const root = workspace(right.replace(">= 0", ">= 4"))
    const error = await run([bug("any", "seed > 0")], { root }).catch((thrown: unknown) => thrown)
    assert.instanceOf(error, NotClean)
    assert.match((error as Error).message, /fails over memory\. seed 1: a centavo is missing/)
    assert.deepStrictEqual(left(), [])
  })

  it("that never ends is given up in time, and so is all when it is stopped", async () => {
    const endless = bug("endless", "endless()")
    const core = `${right}const endless = () => {\n  for (;;);\n}\n`
    const bounds = { firstSeed: 1, seeds: 40, withinMillis: 2_000 }
    const [one] = (await run([endless], { root: workspace(core), bounds })).values()
    assert.deepStrictEqual([one?.verdict, one?.seeds], [{ _tag: "Late" }, 0])
    assert.match(
      reportOf(one === undefined ? [] : [one], []).join("\n"),
      /endless .*NOT FOUND in 0 seeds, and no time for more/
    )
    const stopping = new AbortController()
    const begun = performance.now()
    setTimeout(() => stopping.abort(), 1_000)
    const stopped = await run([endless], { root: workspace(core), signal: stopping.signal })
    assert.strictEqual(stopped.size, 0)
    assert.isBelow(performance.now() - begun, 10_000)
    assert.deepStrictEqual(left(), [])
  })
})
