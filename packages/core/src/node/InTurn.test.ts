import { assert, it } from "@effect/vitest"
import { createServer } from "node:http"
import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { inTurn } from "./InTurn.ts"

const answerMillis = 100

it("waits behind a long answer of the host's own, on one connection, and is answered after it", async () => {
  const held: Array<ServerResponse> = []
  const ours = inTurn((_, response) => void response.end("ours"), answerMillis)
  const server = createServer((request, response) => {
    if (request.url === "/ours") return ours(request, response)
    response.write("the host's ")
    held.push(response)
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  try {
    let read = ""
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()))
    socket.on("data", (chunk) => (read += String(chunk)))
    const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`
    socket.write(get("/download") + get("/ours", "connection: close\r\n"))
    await sleep(5 * answerMillis)
    assert.isFalse(socket.closed)
    held[0]?.end("download")
    await ended
    assert.match(read, /the host's [^]*download[^]*ours/)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
