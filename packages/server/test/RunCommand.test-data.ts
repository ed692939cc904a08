import * as NodeServices from "@effect/platform-node/NodeServices"
import { launchPagora } from "@pagora/testkit"
import type { Launched } from "@pagora/testkit"
import type { Cause } from "effect"
import { ConfigProvider, Console, Effect, Layer, Option, Queue, Stdio, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { Console as NodeConsole } from "node:console"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import { Streams } from "../src/commands/Printer.ts"
import { codeOf, run } from "../src/main.ts"

/** What none of the commands may inherit from who runs the tests. */
const nothing = {
  PAGORA_OPERATOR_URL: "",
  PAGORA_OPERATOR_KEY: "",
  PAGORA_OPERATOR_KEY_FILE: "",
  PAGORA_BASE_URL: "",
  PAGORA_SANDBOX_URL: ""
}

/** Starts a command as a process of its own. */
export const launch = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Launched => launchPagora(args, { ...nothing, ...env })

interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A terminal on which somebody presses these keys, one after the other. */
const terminalOf = (keys: string, show: (text: string) => void): Terminal.Terminal =>
  Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.die("nobody asks"),
    readLine: Effect.die("nobody asks"),
    display: (shown) => Effect.sync(() => show(shown)),
    readInput: Effect.gen(function* () {
      const queue = yield* Queue.make<Terminal.UserInput, Cause.Done>()
      for (const key of keys) {
        // ETX is what Ctrl-C sends; a terminal of Node ends its input then.
        if (key === "\u0003") yield* Queue.end(queue)
        else
          yield* Queue.offer(queue, {
            input: Option.some(key),
            key: { name: key === "\r" ? "enter" : key, ctrl: false, meta: false, shift: false }
          })
      }
      return queue
    })
  })

/** Somebody reads standard error. */
const watched = Layer.effect(
  Stdio.Stdio,
  Effect.map(Stdio.Stdio, (stdio) => ({ ...stdio, stderrIsTerminal: Effect.succeed(true) }))
).pipe(Layer.provide(NodeServices.layer))

/** Runs a command to its end in this process, which takes a hundredth of the time; with keys: at a terminal. */
export const runPagora = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  keys?: string
): Promise<Finished> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(stdout), text(stderr)])
  const isTerminal = keys !== undefined
  const world = Layer.mergeAll(
    NodeServices.layer,
    isTerminal
      ? Layer.merge(
          Layer.succeed(
            Terminal.Terminal,
            terminalOf(keys, (shown) => void stderr.write(shown))
          ),
          watched
        )
      : Layer.empty,
    ConfigProvider.layer(ConfigProvider.fromEnv({ env })),
    Layer.succeed(Streams, { stdout, stderr }),
    Layer.succeed(Console.Console, new NodeConsole(stdout, stderr)),
    Layer.succeed(TerminalCapabilities.TerminalCapabilities, {
      canColor: false,
      canAnimate: false,
      canPrompt: isTerminal
    })
  )
  const exit = await Effect.runPromiseExit(Effect.provide(run(args, "0.0.0"), world))
  stdout.end()
  stderr.end()
  const [out, err] = await printed
  return { code: codeOf(exit), stdout: out, stderr: err }
}

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

/** The answer to GET /audit of books that are in order. */
export const proof = {
  ok: true,
  checkedAt: "2026",
  accounts: 1,
  entries: 2,
  complete: true,
  since: null,
  tookMillis: 3,
  violations: []
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
