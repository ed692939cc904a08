import type { Scope } from "effect"
import { Cause, Effect, Exit, Fiber } from "effect"
import type { HttpServerResponse } from "effect/http"
import { HttpServerError } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { BagItem } from "../kernel/Bag.ts"
import { Bag } from "../kernel/Bag.ts"
import type { Front } from "../http/App.ts"
import type { Exchange } from "../http/Exchange.ts"
import { bodyBytesMax } from "../http/StrictBody.ts"
import type { Listener } from "./Listener.ts"
import { asRequest, NodeRequest } from "./NodeRequest.ts"

type Answer = HttpServerResponse.HttpServerResponse

/** Whether a request is one of those that `answering` answers. What may be smuggled, dangle or upgrade is the framework's. */
export const isUsual = ({
  headers,
  httpVersion,
  method = "",
  url = ""
}: IncomingMessage): boolean =>
  httpVersion === "1.1" &&
  usualMethods.has(method) &&
  url.startsWith("/") &&
  headers["transfer-encoding"] === undefined &&
  headers.expect === undefined &&
  headers.upgrade === undefined &&
  (headers.connection === undefined || headers.connection === "keep-alive") &&
  // What is larger is refused unread; the rest of it is still to come.
  (headers["content-length"] === undefined || Number(headers["content-length"]) <= bodyBytesMax)

const usualMethods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"])

/** What is being answered, and how it is cut off. */
interface Running extends BagItem {
  readonly fiber: Fiber.Fiber<Answer>
}

/**
 * Answers the usual requests of an app to the same effect as the framework's handler, each in one fiber: without the scope,
 * the contexts and the second fiber that no endpoint of ours needs (decision 0095).
 */
export const answering = (front: Front): Effect.Effect<Listener, never, Scope.Scope> => {
  const running = new Bag<Running>()
  const cutOff = Effect.suspend(() => Fiber.interruptAll(Array.from(running, ({ fiber }) => fiber)))
  const listener: Listener = (request, response) => {
    const asked = new NodeRequest(request)
    const exchange = front.begin(asRequest(asked))
    const count = front.count(exchange.request.method, exchange.found?.handler.template)
    const told = (exit: Exit.Exit<Answer>): void => {
      count(Exit.isSuccess(exit) ? exit.value.status : undefined)
      tell(response, exchange, exit)
      asked.release()
    }
    const context = exchange.within(front.home)
    const fiber = Effect.runForkWith(context)(front.answered(exchange))
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return told(exit)

    const entry: Running = { fiber, index: -1 }
    running.add(entry)
    let isLate = false
    const watched = front.watch(exchange.timeAllowed, () => {
      isLate = true
      Effect.runForkWith(context)(exchange.late).addObserver(told)
      fiber.interruptUnsafe()
    })
    if (watched.watching !== undefined) Effect.runForkWith(front.home)(watched.watching)
    response.on("close", () => {
      if (!response.writableEnded)
        fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
    })
    fiber.addObserver((ended) => {
      running.remove(entry)
      watched.end()
      if (!isLate) told(ended)
    })
  }
  return Effect.as(
    Effect.addFinalizer(() => cutOff),
    listener
  )
}

const tell = (response: ServerResponse, exchange: Exchange, exit: Exit.Exit<Answer>): void => {
  // Nobody is there any more.
  if (response.destroyed || response.writableEnded) return
  try {
    if (Exit.isFailure(exit))
      response.writeHead(Cause.hasInterruptsOnly(exit.cause) ? 503 : 500).end()
    else write(response, exit.value, exchange.headersOf(exit.value))
  } catch {
    if (response.headersSent) response.destroy()
    else response.writeHead(500).end()
  }
}

const write = (
  response: ServerResponse,
  { body, status }: Answer,
  headers: Readonly<Record<string, string>>
): void => {
  response.writeHead(status, headers)
  if (body._tag === "Uint8Array") response.end(body.text ?? body.body)
  else if (body._tag === "Empty") response.end()
  else throw new Error(`Nothing here sends a body of the kind ${body._tag}.`)
}
