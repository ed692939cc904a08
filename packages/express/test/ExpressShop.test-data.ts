import { listening } from "@pagora/testkit"
import type { MountStart } from "@pagora/testkit"
import { pagoraExpress } from "@pagora/express"
import type express from "express"
import type { ErrorRequestHandler, RequestHandler } from "express"

/** A shop in Express, of whichever version, with what its author put before the mount. */
export const shopIn =
  (host: typeof express, ...parsers: ReadonlyArray<RequestHandler>): MountStart =>
  ({ pagora, prefix }) => {
    const app = host()
    for (const parser of parsers) app.use(parser)
    app.get("/hello", (_, response) => void response.send("hello"))
    app.post("/echo", host.json(), (request, response) => void response.json(request.body))
    app.use(prefix, pagoraExpress(pagora))
    const onError: ErrorRequestHandler = (error, _, response, __) => {
      response.status(error.status ?? 500).send("the host's error handler")
    }
    app.use(onError)
    return listening(app)
  }

/** Lets a parser keep the bytes that it read. */
export const keptBytes: NonNullable<Parameters<typeof express.json>[0]> = {
  verify: (request, _, bytes) => {
    Object.assign(request, { rawBody: bytes })
  }
}
