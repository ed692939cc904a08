import { assert, it } from "@effect/vitest"
import * as core from "@pagora/core"
import * as simulated from "@pagora/core/sandbox"
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { small } from "../world/Embedding.test-data.ts"

const guide = new URL("../../../../docs/guides/when-money-waits.md", import.meta.url)

const AsyncFunction = (async () => undefined).constructor as new (
  ...args: ReadonlyArray<string>
) => (...args: ReadonlyArray<unknown>) => Promise<void>

it("docs/guides/when-money-waits.md does what it says", async () => {
  const [, block = ""] = /^```ts\n(.*?)^```/ms.exec(readFileSync(guide, "utf8")) ?? []
  const code = stripTypeScriptTypes(block).replaceAll(
    /^import (\{[^}]+\}) from ("[^"]+")/gm,
    "const $1 = modules[$2]"
  )
  const lines: Array<ReadonlyArray<unknown>> = []
  const modules = {
    // As it stands there, without its log.
    "@pagora/core": {
      memory: core.memory,
      Pagora: {
        start: (options: core.PagoraOptions) =>
          core.Pagora.start({ ...options, logger: small.logger ?? false })
      }
    },
    "@pagora/core/sandbox": simulated
  }
  await new AsyncFunction("modules", "console", code)(modules, {
    log: (...words: ReadonlyArray<unknown>) => void lines.push(words)
  })
  assert.deepStrictEqual(lines, [
    ["deposit_return", "refused", 20],
    ["amount_mismatch", 3],
    [0, true]
  ])
})
