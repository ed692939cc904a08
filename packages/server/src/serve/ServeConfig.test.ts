import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { defineConfig, loadConfig } from "./ServeConfig.ts"

const directoryWith = (files: Readonly<Record<string, string>>): string => {
  const directory = mkdtempSync(join(tmpdir(), "pagora-config-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const [name, code] of Object.entries(files)) writeFileSync(join(directory, name), code)
  return directory
}

const wrong: ReadonlyArray<readonly [string, RegExp]> = [
  [
    "export const psp = 1",
    / has no default export that is a configuration: write export default defineConfig\(\{ psp \}\)\.$/
  ],
  ["export default 'bank'", / has no default export that is a configuration: write/],
  [
    "export default {}",
    / sets no psp: give \{ default, psps \} with your own, or sandbox\(\) of @pagora\/core\/sandbox/
  ],
  [
    "export default { psp: {}, storage: 1 }",
    / sets storage, which is nothing that is set there: it takes psp, pspProviders and transport; everything else is an environment variable\.$/
  ],
  ["throw new Error('No certificate.')", /pagora\.config\.mjs cannot be loaded: No certificate\.$/],
  // Not what must be kept secret, as it stands in an environment, a URL or a file of keys.
  [
    "process.env.BANK_API_KEY = 'hunter2-word'; throw new Error(`Not ${process.env.BANK_API_KEY}.`)",
    /pagora\.config\.mjs cannot be loaded: Not \*\*\*\.$/
  ],
  [
    "throw new TypeError('No https://me:hunter2@bank.example.com today.')",
    /pagora\.config\.mjs cannot be loaded: No https:\/\/\*\*\*@bank\.example\.com today\.$/
  ],
  [
    "JSON.parse('hunter2-word')",
    /pagora\.config\.mjs cannot be loaded: something that it parses is not valid JSON\.$/
  ],
  ["throw 'hunter2'", /pagora\.config\.mjs cannot be loaded\.$/]
]

describe("the file that names the PSP", () => {
  it.effect.each(wrong)("that says %s is refused in one sentence", ([code, sentence]) =>
    Effect.gen(function* () {
      const directory = directoryWith({ "pagora.config.mjs": code })
      const { message } = yield* Effect.flip(loadConfig(undefined, directory))
      assert.match(message, sentence)
    })
  )

  it.effect("is looked for under its usual names, unless another one is named", () =>
    Effect.gen(function* () {
      const code = (id: string) => `export default { psp: { default: "${id}", psps: {} } }`
      const directory = directoryWith({
        "pagora.config.ts": `const psp: unknown = { default: "typed", psps: {} }\nexport default { psp }`,
        "bank.mjs": code("named")
      })
      const typed = yield* loadConfig(undefined, directory)
      assert.deepStrictEqual(typed, defineConfig({ psp: { default: "typed", psps: {} } }))
      const named = yield* loadConfig("bank.mjs", directory)
      assert.deepStrictEqual(named, defineConfig({ psp: { default: "named", psps: {} } }))
    })
  )

  it.effect("that is not there is named, with what to do", () =>
    Effect.gen(function* () {
      const directory = directoryWith({})
      const usual = yield* Effect.flip(loadConfig(undefined, directory))
      assert.strictEqual(
        usual.message,
        "There is no pagora.config.mjs or pagora.config.ts: name a bank with PAGORA_BANK, or write a file that says which PSP moves the money (docs/guides/run-in-production.md), which --config and PAGORA_CONFIG name."
      )
      const named = yield* Effect.flip(loadConfig("bank.mjs", directory))
      assert.match(
        named.message,
        /^There is no .*bank\.mjs: name a bank with PAGORA_BANK, or write/
      )
    })
  )
})
