import { ServerResponse } from "node:http"
import type { IncomingMessage } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect } from "effect"
import type { Scope } from "effect"
import { HttpMiddleware } from "effect/http"
import type { App } from "../http/App.ts"
import { atHome, frontOf } from "../http/App.ts"
import type { PlainError } from "../http/PlainError.ts"
import { isTracing } from "../telemetry/SpanGuarder.ts"
import { answering, isUsual } from "./Answering.ts"
import { inTurn } from "./InTurn.ts"
import { answerPlainly } from "./PlainAnswer.ts"

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** What a host framework needs of a service to mount it. */
export interface Mountable {
  readonly listener: Listener
}

/**
 * Makes an app into a listener of Node's http server. Requests still running end with the scope, and what comes later
 * is answered with 503.
 */
export const make = (app: App): Effect.Effect<Listener, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    // The app makes a span of its own: that of the framework tells whole paths and headers.
    const handle = yield* atHome(
      app,
      Effect.provideService(
        NodeHttpServer.makeHandler(app, { scope }),
        HttpMiddleware.TracerDisabledWhen,
        () => true
      )
    )
    const front = frontOf(app)
    // Where somebody looks at spans, they begin in the effect that the app is.
    const answer = front && !isTracing(front.home) ? yield* answering(front) : undefined
    const begin = inTurn((request, response) => {
      // Requests that waited may find the service gone.
      if (isOver(scope)) return answerPlainly(response, stopped)
      if (answer !== undefined && isUsual(request)) return answer(request, response)
      tellHeadersPlainly(response)
      handle(request, response)
    })
    return (request, response) => {
      if (!isHttp1(request)) {
        response.setHeader("connection", "close")
        answerPlainly(response, otherVersion)
      } else begin(request, response)
    }
  })

const isOver = ({ state }: Scope.Scope): boolean => state._tag === "Closed"

type WriteHead = (status: number, ...rest: ReadonlyArray<unknown>) => ServerResponse

/**
 * The framework says `writeHead(status, undefined, headers)`, which Node takes. What a host put over `writeHead` to see
 * the headers (compression, logs, sessions: all of them by `on-headers`) looks for them in the second place only, and
 * would drop every one of them.
 */
const tellHeadersPlainly = (response: ServerResponse): void => {
  const covered = response.writeHead as WriteHead
  if (covered === ServerResponse.prototype.writeHead) return
  const plainly: WriteHead = (status, ...rest) =>
    covered.apply(response, [status, ...(rest[0] === undefined ? rest.slice(1) : rest)])
  Object.assign(response, { writeHead: plainly })
}

/** Node's parser also takes requests without a version, and versions that do not exist. */
const isHttp1 = ({ httpVersion }: IncomingMessage): boolean =>
  httpVersion === "1.1" || httpVersion === "1.0"

const otherVersion: PlainError = {
  statusCode: 400,
  error: "BadRequest",
  message: "This server speaks HTTP/1.1."
}

const stopped: PlainError = {
  statusCode: 503,
  error: "ServiceUnavailable",
  message: "The service is stopping. Try again in a moment.",
  code: "STOPPING"
}

/** What the HTTP framework needs on Node. */
export const services = NodeHttpServer.layerHttpServices
