import { assert, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const sources = `${import.meta.dirname}/../../src`
const fixed = /00000000-0000-7000-8000-\d{12}/gu
/** It names nobody, wherever somebody is named, and no row has it. */
const nobody = "00000000-0000-7000-8000-000000000000"

it("no two rows of which a deployment has one share an id", () => {
  const ids = globSync("**/*.ts", { cwd: sources })
    .filter((file) => !/\.test(?:-data)?\.ts$/u.test(file))
    .flatMap((file) => readFileSync(`${sources}/${file}`, "utf8").match(fixed) ?? [])
    .filter((id) => id !== nobody)
    .toSorted()
  assert.isAtLeast(ids.length, 7)
  assert.deepStrictEqual(ids, [...new Set(ids)])
})
