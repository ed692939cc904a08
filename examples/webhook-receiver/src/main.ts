import { createServer } from "node:http"
import { openOrders } from "./orders.ts"
import { receiver } from "./receiver.ts"

const { ORDERS = "orders.sqlite", PAGORA_WEBHOOK_SECRETS = "", PORT = "3000" } = process.env
const secrets = PAGORA_WEBHOOK_SECRETS.split(",").filter((secret) => secret !== "")
if (secrets.length === 0) {
  console.error("Put the secret of the webhook endpoint into PAGORA_WEBHOOK_SECRETS.")
  process.exit(2)
}

const orders = openOrders(ORDERS)
const server = createServer(receiver(orders, secrets)).listen(Number(PORT), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${PORT}`)
})

process.once("SIGTERM", () => {
  server.close(() => orders.close())
  server.closeIdleConnections()
})
