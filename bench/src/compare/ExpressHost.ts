import { Pagora } from "@pagora/core"
import { pagoraExpress } from "@pagora/express"
import { postgres } from "@pagora/postgres"
import express from "express"
import { randomBytes } from "node:crypto"
import type { AddressInfo } from "node:net"
import { account, credential, funds, psp } from "./Shop.ts"

// A shop on Express with Pagora in it: a process of its own, as examples/express is one.
const pagora = await Pagora.start({
  storage: postgres({ url: process.env["DATABASE_URL"] ?? "" }),
  psp: psp(),
  secret: randomBytes(32).toString("base64"),
  rateLimits: false
})
const { id } = await pagora.accounts.create(account)
await pagora.accounts.adjust(id, funds)
const { clientId, clientSecret } = await pagora.credentials.issue(id, credential)

const app = express().use("/payments/v2", pagoraExpress(pagora))
const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}/payments/v2`
  console.log(JSON.stringify({ baseUrl, clientId, clientSecret }))
})
process.once("SIGTERM", () => {
  server.close(() => void pagora.stop())
})
