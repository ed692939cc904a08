import { createServer } from "node:http"
import { openOrders } from "./orders.ts"
import { receiver } from "./receiver.ts"

const { ORDERS = "orders.sqlite", PAGORA_WEBHOOK_SECRETS = "", PORT = "3000" } = process.env
const secrets = PAGORA_WEBHOOK_SECRETS.split(",").filter((secret) => secret !== "")
if (secrets.length === 0) throw new Error("Put the endpoint's secret into PAGORA_WEBHOOK_SECRETS.")

const orders = openOrders(ORDERS)
const server = createServer(receiver(orders, secrets)).listen(Number(PORT), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${PORT}`)
})

process.once("SIGTERM", () => {
  server.close(() => orders.close())
  server.closeIdleConnections()
})
