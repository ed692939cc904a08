import { launchPagora } from "@pagora/testkit"
import type { Ended } from "@pagora/testkit"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"

/** Every command is a process of its own; they share what Node has compiled. */
const compileCache = join(tmpdir(), `pagora-test-compile-cache-${process.getuid?.() ?? 0}`)

/** What none of the commands may inherit from who runs the tests. */
const nothing = {
  PAGORA_OPERATOR_URL: "",
  PAGORA_OPERATOR_KEY: "",
  PAGORA_OPERATOR_KEY_FILE: "",
  PAGORA_BASE_URL: "",
  PAGORA_SANDBOX_URL: "",
  NODE_COMPILE_CACHE: compileCache
}

/** Runs a command to its end. */
export const runPagora = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<Ended> => launchPagora(args, { ...nothing, ...env }).ended

/** Ids and times are others each time; these are as wide. */
export const settled = (printed: string): string =>
  printed
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "00000000-0000-7000-8000-000000000000")
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "2026-11-21T12:00:00.000Z")

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** A server that answers as it is told, in place of an operator API. */
export const startImpostor = async (
  answer: (response: ServerResponse, asked: Asked) => void
): Promise<{
  readonly url: string
  readonly asked: ReadonlyArray<Asked>
  readonly close: () => Promise<void>
}> => {
  const all: Array<Asked> = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { headers, method = "", url = "" } = request
      const one = { method, url, headers, body }
      all.push(one)
      answer(response, one)
    })
  })
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done)
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/operator/v1`,
    asked: all,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
  }
}

/** Answers JSON. */
export const json = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}
