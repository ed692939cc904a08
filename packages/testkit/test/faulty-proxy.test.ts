import { assert, describe, it } from "@effect/vitest"
import type { AddressInfo } from "node:net"
import { connect, createServer } from "node:net"
import { once } from "node:events"
import { startFaultyProxy } from "../src/postgres/index.ts"

describe("the faulty proxy, while its database is away", () => {
  it("opens nothing there for those whom it refuses", async () => {
    let opened = 0
    const server = createServer((socket) => {
      opened++
      socket.on("error", () => undefined).pipe(socket)
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const proxy = await startFaultyProxy(
      `postgres://127.0.0.1:${(server.address() as AddressInfo).port}/db`
    )
    const dial = () => {
      const { hostname, port } = new URL(proxy.url)
      return connect(Number(port), hostname).on("error", () => undefined)
    }
    try {
      proxy.setAway(true)
      for (let count = 0; count < 3; count++) await once(dial().resume(), "close")
      proxy.setAway(false)
      const one = dial()
      one.write("are you there?")
      assert.strictEqual(String((await once(one, "data"))[0]), "are you there?")
      assert.deepStrictEqual([proxy.connections(), opened], [4, 1])
    } finally {
      await proxy.close()
      server.close()
    }
  })
})
