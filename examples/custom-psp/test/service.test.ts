import { assert, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { keys, startBank } from "./AuroraBank.test-data.ts"

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

it("the program is paid through the bank, and stops", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "pagora-custom-psp-"))
  const bank = await startBank()
  const port = await freePort()
  const program = spawn(
    process.execPath,
    [
      "--conditions=@pagora/source",
      fileURLToPath(new URL("../src/main.ts", import.meta.url)),
      "Loja Azul"
    ],
    {
      cwd: folder,
      env: {
        ...process.env,
        PORT: String(port),
        PAGORA_SECRET: "a master secret that is long enough for every test",
        AURORA_URL: bank.url,
        AURORA_CLIENT: keys.clientId,
        AURORA_SECRET: keys.secret,
        AURORA_NOTIFICATION_SECRET: keys.notificationSecret
      }
    }
  )
  try {
    let said = ""
    let complained = ""
    program.stderr.on("data", (bytes: Buffer) => (complained += bytes.toString("utf8")))
    for await (const bytes of program.stdout) {
      said += String(bytes)
      if (/webhook\n/.test(said)) break
    }
    const [, clientId, clientSecret] = /client_id (\S+) {2}client_secret (\S+)/.exec(said) ?? []
    const hook = /\S+\/webhook/.exec(said)?.[0] ?? assert.fail(complained)
    bank.listener = async ({ body, headers }) => {
      const answer = await fetch(hook, { method: "POST", headers, body: new Uint8Array(body) })
      assert.isTrue(answer.ok, await answer.text())
    }
    const call = async (path: string, body?: unknown, token = "") => {
      const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` }
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })
      return (await answer.json()) as Record<string, unknown>
    }
    const asked = { client_id: clientId, client_secret: clientSecret }
    const token = String((await call("/auth", asked))["access_token"])
    const charge = await call("/pix", { amount: 25.9 }, token)
    assert.strictEqual(charge["status"], "pending", JSON.stringify(charge))
    await bank.pay(String(charge["id"]).replaceAll("-", ""))
    const status = async () =>
      (await call(`/transactions/${charge["id"]}`, undefined, token))["status"]
    while ((await status()) !== "completed") await sleep(50)
    program.kill("SIGTERM")
    const [code] = await once(program, "exit")
    assert.deepStrictEqual([code, complained], [0, ""])
  } finally {
    program.kill("SIGKILL")
    await bank.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
