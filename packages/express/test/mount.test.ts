import { assert, describe, it } from "@effect/vitest"
import { listening, mountContract } from "@pagora/testkit"
import type { MountStart } from "@pagora/testkit"
import { pagoraExpress } from "@pagora/express"
import express from "express"
import type { ErrorRequestHandler, RequestHandler } from "express"

/** A shop in Express, with what its author put before the mount. */
const shopWith =
  (...parsers: ReadonlyArray<RequestHandler>): MountStart =>
  ({ pagora, prefix }) => {
    const app = express()
    for (const parser of parsers) app.use(parser)
    app.get("/hello", (_, response) => void response.send("hello"))
    app.post("/echo", express.json(), (request, response) => void response.json(request.body))
    app.use(prefix, pagoraExpress(pagora))
    const onError: ErrorRequestHandler = (error, _, response, __) => {
      response.status(error.status ?? 500).send("the host's error handler")
    }
    app.use(onError)
    return listening(app)
  }

mountContract("Express 5", { body: "untouched", passes: "node" }, shopWith())

mountContract(
  "Express 5 behind a parser that keeps the bytes",
  { body: "kept", passes: "node" },
  shopWith(
    express.json({
      verify: (request, _, bytes) => {
        Object.assign(request, { rawBody: bytes })
      }
    })
  )
)

mountContract(
  "Express 5 behind a parser that keeps nothing",
  { body: "lost", passes: "node" },
  shopWith(express.json())
)

describe("a mount in Express", () => {
  it("is told when there is nothing to mount", () => {
    for (const nothing of [undefined, {}, Promise.resolve({ listener: () => undefined })])
      assert.throws(() => pagoraExpress(nothing as never), /mount what Pagora\.start resolves to/)
  })
})
