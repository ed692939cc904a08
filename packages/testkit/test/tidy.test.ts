import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { readWorkspace } from "../src/tidy/SourceFile.ts"
import { readStability } from "../src/tidy/Stability.ts"
import { tidy } from "../src/tidy/Tidy.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const effect = dirname(fileURLToPath(import.meta.resolve("effect")))

describe("the workspace", () => {
  const files = readWorkspace(root)

  it("is read whole: code, scripts, documents and this test", () => {
    const paths = new Set(files.map(({ path }) => path))
    const known = [".ci/run", "scripts/run.mjs", "package.json", "packages/core/src/index.ts"]
    for (const path of [...known, "packages/testkit/test/tidy.test.ts"]) {
      assert.isTrue(paths.has(path), path)
    }
    assert.isFalse([...paths].some((path) => /node_modules|\/dist\//.test(path)))
  })

  it("is tidy", () => {
    const findings = tidy(files, readStability(effect))
    assert.deepStrictEqual(
      findings.map(({ rule, path, line, message }) => `${path}:${line} ${rule}: ${message}`),
      []
    )
  })

  it("is installed by one pnpm, whoever asks for it", () => {
    const jsonOf = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))
    const { pnpm } = jsonOf("scripts/pnpm/package.json").dependencies
    assert.match(pnpm, /^\d+\.\d+\.\d+$/)
    const [version] = String(jsonOf("package.json").packageManager).split("+")
    assert.strictEqual(version, `pnpm@${pnpm}`)
  })

  it("sits on an Effect whose stability markers are found", () => {
    const stability = readStability(join(root, "packages/testkit/node_modules/effect/dist"))
    assert.strictEqual(stability.module("DateTime"), "stable")
    assert.strictEqual(stability.module("Arbitrary"), "unstable")
    assert.strictEqual(stability.member("Schema", "Struct"), "stable")
    assert.strictEqual(stability.member("Schema", "Cookie"), "unstable")
  })
})
