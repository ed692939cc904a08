import { createClient } from "@pagora/core/client"
import { memory, Pagora, PagoraError } from "@pagora/core"
import { sendRaw } from "@pagora/testkit"
import { bacen } from "@pagora/psp-bacen"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { aBank, optionsAt } from "./FakeBankWorld.test-data.ts"

const psp = "6f1d7e0a-53f0-4c1e-9f0b-0f8a1c9d2e47"

/** A service at a bank, a shop of it, and a pending charge. */
const aShopAtEfi = Effect.gen(function* () {
  const bank = yield* aBank("efi")
  const pagora = yield* Effect.acquireRelease(
    Effect.promise(() =>
      Pagora.start({
        storage: memory(),
        psp: { default: psp, psps: { [psp]: bacen(optionsAt(bank)) } },
        logger: false
      })
    ),
    (pagora) => Effect.promise(() => pagora.stop())
  )
  const server = createServer(pagora.listener).listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(server, "listening"))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
  )
  const { port } = server.address() as AddressInfo
  return yield* Effect.promise(async () => {
    const { id: shop } = await pagora.accounts.create({ name: "Loja Azul" })
    const credential = await pagora.credentials.issue(shop, { permissions: ["FULL_ACCESS"] })
    const charge = await pagora.charges.create(shop, { amount: 25.9 })
    return { bank, charge, credential, pagora, port, shop }
  })
})

const looks = (bank: { readonly requests: ReadonlyArray<{ readonly operation?: string }> }) =>
  bank.requests.filter(({ operation }) => operation === "findCharge").length

layer(Layer.empty, { excludeTestServices: true })("a bank that asks to be left alone", (it) => {
  it.effect("is told of over HTTP with the seconds that are left, and by the methods alike", () =>
    Effect.gen(function* () {
      const { bank, charge, credential, pagora, port, shop } = yield* aShopAtEfi
      bank.faults.set([{ kind: "tooMany", operation: "findCharge", retryAfterSeconds: 900 }])
      const { clientId: client_id, clientSecret: client_secret } = credential
      const { access_token } = yield* Effect.promise(async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/auth`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ client_id, client_secret })
        })
        return (await answer.json()) as { readonly access_token: string }
      })
      const cancel = [
        `POST /pix/${charge.id}/cancel HTTP/1.1`,
        "Host: localhost",
        `Authorization: Bearer ${access_token}`,
        "Idempotency-Key: cancel-of-order-7",
        "Content-Length: 0",
        "",
        ""
      ].join("\r\n")
      for (const least of [890, 880]) {
        const { statuses, text } = yield* Effect.promise(() => sendRaw(port, [cancel]))
        assert.deepStrictEqual(statuses, [500], text)
        const seconds = Number(/^retry-after: (\d+)\r$/im.exec(text)?.[1])
        assert.isAtMost(seconds, 900)
        assert.isAbove(seconds, least)
        assert.include(text, `"retryAfterSeconds":${seconds}`)
        assert.include(text, `Ask again in ${seconds} seconds, with the same Idempotency-Key`)
        assert.include(text, '"code":"PSP_UNAVAILABLE"')
      }
      // It was told once that there are too many questions, and has had none since.
      assert.strictEqual(looks(bank), 1)
      const refusal = yield* Effect.promise(() =>
        pagora.charges.cancel(shop, charge.id).catch((error: unknown) => error)
      )
      assert.instanceOf(refusal, PagoraError)
      assert.strictEqual(refusal.code, "PSP_UNAVAILABLE")
      assert.isAtMost(Number(refusal.details["retryAfterSeconds"]), 900)
    }).pipe(Effect.scoped)
  )

  it.effect("for a moment is waited for by the client, which has its answer then", () =>
    Effect.gen(function* () {
      const { bank, charge, credential, port } = yield* aShopAtEfi
      const kind = "tooMany" as const
      bank.faults.set([{ kind, operation: "findCharge", retryAfterSeconds: 2, times: 1 }])
      const { clientId, clientSecret } = credential
      const client = createClient({
        baseUrl: `http://127.0.0.1:${port}`,
        clientId,
        clientSecret,
        retries: 1
      })
      const { status } = yield* Effect.promise(() => client.charges.cancel(charge.id))
      assert.strictEqual(status, "cancelled")
      assert.strictEqual(bank.faults.struck(kind), 1)
    }).pipe(Effect.scoped)
  )
})
