import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "@pagora/testkit/postgres"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Env } from "./ServeWorld.test-data.ts"
import { launch, serveEnv } from "./ServeWorld.test-data.ts"

const nowhere = "postgres://app:hunter2-word@127.0.0.1:1/pagora"

/** What a start that must fail says, which is no more than a person can read. */
const refused = async (env: Env, args: ReadonlyArray<string> = []): Promise<string> => {
  const { code, signal, stderr, stdout } = await launch(["serve", ...args], {
    ...serveEnv,
    DATABASE_URL: nowhere,
    ...env
  }).ended
  assert.deepStrictEqual([code, signal, stdout], [1, null, ""], stderr)
  assert.notMatch(stderr, /\bat .*:\d+:\d+/)
  assert.notInclude(stderr, "hunter2")
  return stderr.trim()
}

describe("pagora serve refuses to start", { timeout: 120_000 }, () => {
  it.concurrent("with everything that is wrong at once, and without a secret in it", async () => {
    const said = await refused({
      DATABASE_URL: "hunter2",
      PAGORA_SECRET: "hunter2",
      PAGORA_OPERATOR_KEY: "hunter2",
      PAGORA_PORT: "hunter2",
      PAGORA_TRUSTED_PROXES: "hunter2",
      PAGORA_CONFIG: "not-there.mjs"
    })
    const [first, ...others] = said.split("\n")
    assert.strictEqual(first, "pagora: 6 settings must be changed.")
    const names = ["DATABASE_URL", "PAGORA_SECRET", "PAGORA_OPERATOR_KEY", "PAGORA_PORT"]
    assert.lengthOf(others, 6)
    for (const [index, name] of [...names, "There is no setting PAGORA_TRUSTED_PROXES"].entries())
      assert.isTrue(others[index]?.startsWith(`  - ${name}`), others[index])
    assert.match(
      others[5] ?? "",
      /^ {2}- There is no \S*not-there\.mjs: name a bank with PAGORA_BANK, or write/
    )
  })

  it.concurrent("when the database is away", async () => {
    assert.strictEqual(
      await refused({ PAGORA_DB_START_SECONDS: "0" }),
      "pagora: PostgreSQL cannot be reached: connect ECONNREFUSED 127.0.0.1:1."
    )
  })

  it.concurrent("with a PSP that is none", async ({ onTestFinished }) => {
    const directory = mkdtempSync(join(tmpdir(), "pagora-config-"))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const path = join(directory, "bank.mjs")
    writeFileSync(path, "export default { psp: 'hunter2' }")
    assert.match(
      await refused({}, ["--config", path]),
      /^pagora: psp is a text: give sandbox\(\) of @pagora\/core\/sandbox.*$/
    )
  })

  it.concurrent("with a PSP that does not start, and tells no secret in its sentence", async ({
    onTestFinished
  }) => {
    const database = await freshDatabase()
    const directory = mkdtempSync(join(import.meta.dirname, "config-"))
    onTestFinished(async () => {
      rmSync(directory, { recursive: true, force: true })
      await database.drop()
    })
    const path = join(directory, "bank.mjs")
    writeFileSync(
      path,
      `import { Effect, Layer } from "effect"
       const why = "The bank refuses " + process.env.BANK_API_KEY + "."
       export default { psp: Layer.effectDiscard(Effect.fail(new Error(why))) }`
    )
    const env = {
      DATABASE_URL: database.url,
      PAGORA_MIGRATE: "true",
      BANK_API_KEY: "hunter2-of-the-bank"
    }
    assert.strictEqual(await refused(env, ["--config", path]), "pagora: The bank refuses ***.")
  })

  it.concurrent("when the database refuses the role and its password", async ({
    onTestFinished
  }) => {
    const database = await freshDatabase()
    onTestFinished(() => database.drop())
    const url = new URL(database.url)
    url.username = "pagora_stranger"
    url.password = "hunter2-word"
    assert.match(await refused({ DATABASE_URL: url.href }), /^pagora: [^\n]+\.$/)
  })

  it.concurrent("on a port that is in use, and names the setting", async ({ onTestFinished }) => {
    const database = await freshDatabase()
    const taken = createServer()
    await new Promise<void>((done) => void taken.listen(0, "127.0.0.1", done))
    onTestFinished(async () => {
      taken.close()
      await database.drop()
    })
    const { port } = taken.address() as AddressInfo
    const said = await refused({
      DATABASE_URL: database.url,
      PAGORA_MIGRATE: "true",
      PAGORA_OPERATOR_PORT: String(port)
    })
    assert.strictEqual(
      said,
      `pagora: Port ${port} of 127.0.0.1 is in use: set PAGORA_OPERATOR_PORT to another one.`
    )
  })
})
