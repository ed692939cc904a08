import { listening, mountContract } from "@pagora/testkit"
import type { HostTraits, MountStart } from "@pagora/testkit"
import { pagoraExpress } from "@pagora/express"
import compression from "compression"
import express from "express"
import type { RequestHandler } from "express"
import session from "express-session"
import morgan from "morgan"

/** A host in Express with what is usually put before everything else; each of them waits for the headers of an answer. */
const behind =
  (...before: ReadonlyArray<RequestHandler>): MountStart =>
  ({ pagora, prefix }) => {
    const app = express()
    app.get("/hello", (_, response) => void response.send("hello"))
    app.post("/echo", express.json(), (request, response) => void response.json(request.body))
    for (const handler of before) app.use(handler)
    app.use(prefix, pagoraExpress(pagora))
    return listening(app)
  }

const traits: HostTraits = { body: "untouched", passes: "node" }
const gzip = { ...traits, isCompressing: true }
const compressed = () => compression({ threshold: 0 })
const logged = () => morgan("combined", { stream: { write: () => undefined } })
const sessions = () =>
  session({ secret: "of the host", resave: true, saveUninitialized: true, rolling: true })

mountContract("Express 5 behind compression", gzip, behind(compressed()))
mountContract("Express 5 behind morgan", traits, behind(logged()))
mountContract("Express 5 behind express-session", traits, behind(sessions()))
mountContract("Express 5 behind all three", gzip, behind(logged(), compressed(), sessions()))
