import { assert, it } from "@effect/vitest"
import { freshDatabase } from "@pagora/testkit/postgres"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The program that the guide calls whole. */
const programOf = (guide: string): string => {
  const [, program] = /^```ts embed\n([\s\S]*?)^```$/m.exec(guide) ?? []
  return program ?? assert.fail("The guide has no program.")
}

it("the program of the guide is paid, tells so, and stops", { timeout: 60_000 }, async () => {
  const database = await freshDatabase()
  const program = programOf(readFileSync(at("../../../docs/guides/embed.md"), "utf8"))
  const running = spawn(
    process.execPath,
    ["--conditions=source", "--input-type=module-typescript", "--eval", program],
    {
      cwd: at("."),
      env: {
        ...process.env,
        DATABASE_URL: database.url,
        PAGORA_SECRET: "a master secret that is long enough for every test"
      }
    }
  )
  try {
    let said = ""
    let complained = ""
    running.stderr.on("data", (bytes: Buffer) => (complained += bytes.toString("utf8")))
    for await (const bytes of running.stdout) {
      said += String(bytes)
      if (said.includes("\n")) break
    }
    assert.match(said, /^[0-9a-f-]{36} was paid 25\.9 for order-1\n$/, complained)
    running.kill("SIGTERM")
    const [code] = await once(running, "exit")
    assert.deepStrictEqual([code, complained], [0, ""])
  } finally {
    running.kill("SIGKILL")
    await database.drop()
  }
})
