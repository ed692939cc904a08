import { createServer } from "node:http"
import { startPagora } from "./pagora.ts"

const pagora = await startPagora()
let isStopping = false

const server = createServer((request, response) => {
  if (request.url === "/health") response.writeHead(isStopping ? 503 : 200).end()
  else if (request.url?.startsWith("/v2/")) pagora.listener(request, response)
  else response.writeHead(404).end()
})
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${process.env.PORT ?? 3000}/v2`)
})

const stop = () => {
  if (isStopping) return
  isStopping = true
  // Running requests end first; then workers end what they have begun, and the storage closes.
  server.close(() => void pagora.stop())
  server.closeIdleConnections()
}
process.on("SIGTERM", stop)
process.on("SIGINT", stop)
