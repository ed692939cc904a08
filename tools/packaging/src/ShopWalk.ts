// What a customer does with a shop of `examples/`, from outside: the same walk for all of them, in the
// workspace and as somebody installs them.
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"

export interface Shop {
  /** The program, and where it runs. */
  readonly program: string
  readonly folder: string
  readonly args?: ReadonlyArray<string>
  /** Arguments of Node before the program. */
  readonly nodeArgs?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
}

/** What Node is told before a shop of the workspace: to take the packages from the bundle of a run of tests, or their sources. */
export const workspaceArguments = (): ReadonlyArray<string> => {
  const programs = process.env["WORKSPACE_BUNDLE"]
  return [
    "--conditions=@pagora/source",
    ...(programs === undefined ? [] : [`--import=${programs}`])
  ]
}

type Json = Readonly<Record<string, unknown>>

const startMillisMax = 60_000
const amount = 25.9

/** Starts the shop, charges a customer, pays, looks at the books, and stops it. Rejects where anything is amiss. */
export const walkThrough = async (shop: Shop): Promise<void> => {
  const port = await freePort()
  const { DATABASE_URL: _, ...environment } = process.env
  const running = spawn(
    process.execPath,
    [...(shop.nodeArgs ?? []), shop.program, ...(shop.args ?? [])],
    {
      cwd: shop.folder,
      env: {
        ...environment,
        PAGORA_SECRET: "a master secret that is long enough for a walk through",
        ...shop.environment,
        PORT: String(port)
      },
      stdio: ["ignore", "pipe", "pipe"]
    }
  )
  const heard = listenTo(running)
  try {
    const [, clientId, clientSecret] = await heard.says(
      /clientId: '([^']+)',\s+clientSecret: '([^']+)'/
    )
    await walk(`http://127.0.0.1:${port}`, { clientId, clientSecret }, heard)
    running.kill("SIGTERM")
    const [code] = await once(running, "exit")
    deepStrictEqual({ code, complaints: heard.complaints() }, { code: 0, complaints: "" })
  } finally {
    running.kill("SIGKILL")
  }
}

const walk = async (
  origin: string,
  keys: { readonly clientId: string | undefined; readonly clientSecret: string | undefined },
  heard: ReturnType<typeof listenTo>
) => {
  const api = `${origin}/payments/v2`
  const token = await call(`${api}/auth`, {
    body: { client_id: keys.clientId, client_secret: keys.clientSecret }
  })
  const authorization = `Bearer ${token["access_token"]}`
  const charge = await call(`${api}/pix`, {
    authorization,
    body: { amount, externalReference: "order-1" }
  })
  strictEqual(charge["status"], "pending")
  await call(`${origin}/pay/${charge["id"]}`, { body: {} })
  await heard.says(/paid .*order-1/s)
  const transaction = await call(`${api}/transactions/order-1`, { authorization })
  deepStrictEqual([transaction["status"], transaction["amount"]], ["completed", amount])
  const { balance } = await call(`${api}/account`, { authorization })
  strictEqual((balance as { available: Json }).available["amountFormatted"], amount)
}

const call = async (
  url: string,
  { authorization, body }: { readonly authorization?: string; readonly body?: Json }
): Promise<Json> => {
  const response = await fetch(url, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: {
      "content-type": "application/json",
      ...(authorization === undefined ? {} : { authorization })
    },
    signal: AbortSignal.timeout(30_000)
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text}`)
  return JSON.parse(text) as Json
}

/** What the process writes; `says` resolves when it has written something of this form. */
const listenTo = (running: ChildProcess) => {
  let said = ""
  let complained = ""
  running.stdout?.on("data", (bytes: Buffer) => (said += bytes.toString("utf8")))
  running.stderr?.on("data", (bytes: Buffer) => (complained += bytes.toString("utf8")))
  const says = async (form: RegExp): Promise<RegExpExecArray> => {
    const deadline = Date.now() + startMillisMax
    for (;;) {
      const found = form.exec(said)
      if (found !== null) return found
      if (running.exitCode !== null || Date.now() > deadline)
        throw new Error(
          `The program did not say ${form}. It said:\n${said}\nand complained:\n${complained}`
        )
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return { says, complaints: () => complained }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}
