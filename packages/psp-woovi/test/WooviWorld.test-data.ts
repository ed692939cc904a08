import { startFakeWoovi } from "@pagora/fake-bank/woovi"
import type { FakeWoovi, FakeWooviOptions } from "@pagora/fake-bank/woovi"
import type { RawNotification } from "@pagora/core"
import { Money, PixKey } from "@pagora/core"
import type { Scope } from "effect"
import { Effect, Result } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { woovi } from "../src/Woovi.ts"
import type { WooviOptions } from "../src/Woovi.ts"

/** A fake Woovi on a socket, and the options by which it is asked. */
export const running = (asked: FakeWooviOptions = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => startFakeWoovi(asked)),
      (bank) => Effect.promise(() => bank.close())
    ),
    (bank) => ({ bank, options: optionsAt(bank) })
  )

const optionsAt = ({ appId, keys, url }: FakeWoovi): WooviOptions => ({
  appId,
  url,
  environment: "sandbox",
  publicKeys: keys.published(),
  timeoutMillis: 2_000
})

/** A listener of ours on this machine, which keeps what it is sent. */
export const receiver: Effect.Effect<
  { readonly url: string; readonly taken: ReadonlyArray<RawNotification> },
  never,
  Scope.Scope
> = Effect.map(
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      readonly taken: ReadonlyArray<RawNotification>
      readonly stop: () => void
    }>((resume) => {
      const taken: Array<RawNotification> = []
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const headers = request.headers as Record<string, string>
          taken.push({ headers, body: Buffer.concat(chunks), query: {}, path: "" })
          response.end()
        })
      })
      const stop = () => {
        server.closeAllConnections()
        server.close()
      }
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/webhook`, taken, stop }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  ),
  ({ taken, url }) => ({ taken, url })
)

/** What Woovi tells of all that we ask about. */
export const listening = (bank: FakeWoovi) =>
  Effect.gen(function* () {
    const { taken, url } = yield* receiver
    yield* woovi(optionsAt(bank)).prepare?.({ webhookUrl: url }) ?? Effect.die("left out")
    return { taken }
  })

export const reference = "0123456789abcdef0123456789abcdef"
export const amount = Money.Centavos.make(1_234n)
export const keyOf = (text: string): PixKey.PixKey => Result.getOrThrow(PixKey.parse("email", text))
export const payout = { reference, amount, pixKey: keyOf("ana@example.com"), holder: {} }
export const charge = { reference, amount, expiresInSeconds: 3_600 }
