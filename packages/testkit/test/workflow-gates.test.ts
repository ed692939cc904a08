import { assert, it } from "@effect/vitest"
import { tidy } from "../src/tidy/Tidy.ts"

const find = (text: string) =>
  tidy([{ path: ".github/workflows/a.yml", text }], {
    module: () => "stable",
    member: () => "stable"
  }).map(({ rule, line }) => `${rule} ${line}`)

const uses = (version: string) => `jobs:\n  a:\n    steps:\n      - uses: b/c@${version}\n`

const publishes = (step: string) =>
  `jobs:\n  a:\n    permissions:\n      id-token: write\n    steps:\n      - run: ${step}\n`

it.each([
  ["actions-by-hash 4", uses("v6"), uses("0123456789".repeat(4))],
  ["publishing-apart 6", publishes("npm run pack"), publishes("npm publish a.tgz")],
  ["publishing-apart 1", "permissions:\n  id-token: write\njobs:\n", "jobs:\n"]
])("a workflow is refused by %s", (rule, dirty, clean) => {
  assert.deepStrictEqual(find(dirty), [rule])
  assert.deepStrictEqual(find(clean), [])
})
