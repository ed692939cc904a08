import { assert, it } from "@effect/vitest"
import { freshDatabase } from "@pagora/testkit/postgres"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const secret = "a master secret that is long enough for every test"

/** A program of `src` in a folder of its own. */
const start = (name: string, cwd: string, env: Record<string, string>): ChildProcess => {
  const path = fileURLToPath(new URL(`../src/${name}`, import.meta.url))
  const child = spawn(process.execPath, ["--conditions=@pagora/source", path], {
    cwd,
    env: { ...process.env, PAGORA_SECRET: secret, ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  return child
}

const firstWords = async (child: ChildProcess, enough: RegExp): Promise<string> => {
  let said = ""
  for await (const bytes of child.stdout ?? []) {
    said += String(bytes)
    if (enough.test(said)) return said
  }
  return assert.fail(`It ended after: ${said}`)
}

it(
  "a shop sells, what runs is answered after SIGTERM, and the next process goes on",
  { timeout: 90_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "pagora-standalone-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const database = await freshDatabase()
    onTestFinished(database.drop)
    const env = { DATABASE_URL: database.url, PORT: String(await freePort()) }
    const url = `http://127.0.0.1:${env.PORT}`
    const newShop = start("new-shop.ts", folder, env)
    const said = await firstWords(newShop, /SECRET=.*\n/)
    await once(newShop, "exit")
    const [, client_id, client_secret] = /ID=(.*)\n.*SECRET=(.*)\n/.exec(said) ?? []

    const call = async (path: string, token: string, body?: unknown) => {
      const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` }
      const answer = await fetch(`${url}/v2${path}`, { ...sent, headers })
      return (await answer.json()) as Record<string, unknown>
    }
    const tokenOf = async () =>
      String((await call("/auth", "", { client_id, client_secret }))["access_token"])

    const first = start("main.ts", folder, env)
    await firstWords(first, /\/v2\n/)
    assert.strictEqual((await fetch(`${url}/health`)).status, 200)
    assert.strictEqual((await fetch(`${url}/elsewhere`)).status, 404)
    const token = await tokenOf()
    const running = call("/pix", token, { amount: 25.9, externalReference: "order-1" })
    await fetch(`${url}/health`)
    first.kill("SIGTERM")
    assert.strictEqual((await running)["status"], "pending")
    assert.deepStrictEqual(await once(first, "exit"), [0, null])

    const second = start("main.ts", folder, env)
    await firstWords(second, /\/v2\n/)
    const found = await call("/transactions/order-1", await tokenOf())
    assert.strictEqual(found["amount"], 25.9)
    second.kill("SIGINT")
    assert.deepStrictEqual(await once(second, "exit"), [0, null])
  }
)
