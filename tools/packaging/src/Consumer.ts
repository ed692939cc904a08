// A user's program in strict TypeScript that names something of every entry of every package.
export const consumer = `
import type { Layer } from "effect"
import { memory, Pagora, PagoraError } from "@pagora/core"
import type { PagoraInstance, PagoraOptions, StorageDriver } from "@pagora/core"
import { createClient } from "@pagora/core/client"
import { makeClient } from "@pagora/core/client/effect"
import { Listener } from "@pagora/core/node"
import { sandbox } from "@pagora/core/sandbox"
import { verifyWebhook } from "@pagora/core/webhook"
import type { WebhookEvent } from "@pagora/core/webhook"
import { pagoraExpress } from "@pagora/express"
import { pagoraKoa } from "@pagora/koa"
import { postgres } from "@pagora/postgres"
import { pglite } from "@pagora/postgres/pglite"
import { serve } from "@pagora/server"
import { storageContract } from "@pagora/testkit"
import { conformance } from "@pagora/testkit/conformance"
import { fuzz } from "@pagora/testkit/fuzz"
import { freshDatabase } from "@pagora/testkit/postgres"
import express from "express"
import Koa from "koa"

export const storages: ReadonlyArray<Layer.Layer<StorageDriver, unknown>> = [
  memory(), pglite(), postgres({ url: process.env["DATABASE_URL"] })
]
const options: PagoraOptions = { storage: memory(), psp: sandbox({ settleAfter: "manual" }) }
export const pagora: PagoraInstance = await Pagora.start(options)
const shop = await pagora.accounts.create({ name: "Loja Azul" })
const charge = await pagora.charges.create(shop.id, { amount: 25.9, externalReference: "order-1" })
const code: string = charge.pixCopyPaste
await pagora.on("payment_completed", { name: "orders" }, (event) => {
  const amount: number = event.data.amount
  console.log(event.accountId, amount, code)
})
express().use("/payments", pagoraExpress(pagora))
new Koa().use(pagoraKoa(pagora, { prefix: "/payments" }))

const client = createClient({ baseUrl: "http://127.0.0.1:1/v2", clientId: "", clientSecret: "" })
export const made = () => client.charges.create({ amount: 1 }, { idempotencyKey: "order-7" })
export const inEffect = makeClient({ baseUrl: "http://127.0.0.1:1/v2", clientId: "a", clientSecret: "b" })
export const event: Promise<WebhookEvent> = verifyWebhook({ body: "", headers: {}, secret: "" })
// @ts-expect-error: an amount is a number.
export const wrong = () => pagora.charges.create(shop.id, { amount: "25.90" })
export const all = [Listener.make, serve, storageContract, conformance, fuzz, freshDatabase, PagoraError]
`

/** The same user's tests: a storage held against its laws, and the command as a process. */
export const consumerTest = `
import { memory } from "@pagora/core"
import { startPagora, storageContract } from "@pagora/testkit"
import { expect, it } from "vitest"

storageContract("memory", memory())

it("pagora dev starts and stops", { timeout: 60_000 }, async () => {
  const running = await startPagora()
  expect((await running.shop("GET", "/account")).status).toBe(200)
  expect((await running.stop()).code).toBe(0)
})
`
