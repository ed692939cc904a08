import { Effect, Option } from "effect"
import { HttpServerError, HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"

/** What our endpoints ask a request for. */
type Asked = Pick<
  HttpServerRequest.HttpServerRequest,
  typeof HttpServerRequest.TypeId | "headers" | "method" | "remoteAddress" | "source" | "url"
>

/** A request of Node's http server as it is: nothing of it is copied. */
export class NodeRequest implements Asked {
  readonly [HttpServerRequest.TypeId]: typeof HttpServerRequest.TypeId = HttpServerRequest.TypeId
  source: IncomingMessage
  readonly method: string
  readonly url: string
  private read: Uint8Array | undefined = undefined

  constructor(source: IncomingMessage) {
    this.source = source
    this.method = source.method ?? "GET"
    this.url = source.url ?? "/"
  }

  get headers(): Asked["headers"] {
    return this.source.headers as Readonly<Record<string, string>> as Asked["headers"]
  }

  get remoteAddress(): Option.Option<string> {
    return Option.fromNullishOr(this.source.socket.remoteAddress)
  }

  /** Lets go of what the host has of it. */
  release(): void {
    this.source = released
    this.read = undefined
  }

  /** Its body, which the parser keeps to the length that was told. */
  get bytes(): Effect.Effect<Uint8Array, HttpServerError.HttpServerError> {
    return Effect.callback((resume) => {
      const { source } = this
      if (this.read !== undefined) return resume(Effect.succeed(this.read))
      const chunks: Array<Uint8Array> = []
      const take = (chunk: Uint8Array): void => void chunks.push(chunk)
      const leave = (): void => {
        source.off("data", take).off("end", end).off("error", lose).off("close", lose)
      }
      const end = (): void => {
        leave()
        const [only] = chunks
        this.read = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
        resume(Effect.succeed(this.read))
      }
      const lose = (cause?: Error): void => {
        leave()
        resume(Effect.fail(this.lost(cause)))
      }
      if (source.readableEnded) return end()
      if (source.destroyed) return lose()
      source.on("data", take).on("end", end).on("error", lose).on("close", lose)
      return Effect.sync(() => {
        leave()
        // Whoever was given up in the middle of a body has nothing more to say on this connection.
        source.destroy()
      })
    })
  }

  private lost(cause: unknown): HttpServerError.HttpServerError {
    return new HttpServerError.HttpServerError({
      reason: new HttpServerError.RequestParseError({ request: asRequest(this), cause })
    })
  }
}

/** A request that is over says nothing more. */
const released = { headers: {}, socket: {} } as IncomingMessage

/** The rest of what the framework knows of a request (cookies, forms, upgrades) no endpoint of ours asks for. */
export const asRequest = (request: NodeRequest): HttpServerRequest.HttpServerRequest =>
  request as unknown as HttpServerRequest.HttpServerRequest
