import { assert, describe, it } from "@effect/vitest"
import * as core from "@pagora/core"
import * as client from "@pagora/core/client"
import * as clientEffect from "@pagora/core/client/effect"
import * as webhook from "@pagora/core/webhook"
import { journey } from "@pagora/testkit"
import * as effect from "effect"
import { Effect, Layer } from "effect"
import * as effectHttp from "effect/http"
import { readFileSync } from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { stripTypeScriptTypes } from "node:module"
import { onTestFinished, vi } from "vitest"
import { baseUrl, network } from "./ClientWorld.test-data.ts"
import { noon, world } from "../world/ServiceWorld.test-data.ts"

// The code of a guide is run as it stands there, with the world below in the place of the real one.

/** The `ts` blocks of a guide as one script; its imports come from `modules`, and it answers what `names` names. */
const scriptOf = (guide: string, names: ReadonlyArray<string>): string => {
  const path = new URL(`../../../../docs/guides/${guide}.md`, import.meta.url)
  const blocks = [...readFileSync(path, "utf8").matchAll(/^```ts\n(.*?)^```/gms)]
  const code = stripTypeScriptTypes(blocks.map(([, block]) => block).join("\n"))
  return `${code.replaceAll(
    /^import (\{[^}]+\}) from ("[^"]+")/gm,
    "const $1 = modules[$2]"
  )}\nreturn { ${names.join(", ")} }`
}

const AsyncFunction = (async () => undefined).constructor as new (
  ...args: ReadonlyArray<string>
) => (...args: ReadonlyArray<unknown>) => Promise<Record<string, unknown>>

const run = (script: string, globals: Readonly<Record<string, unknown>>) =>
  new AsyncFunction(...Object.keys(globals), script)(...Object.values(globals))

/** A console that keeps what it is told. */
const listening = () => {
  const lines: Array<ReadonlyArray<unknown>> = []
  const log = (...words: ReadonlyArray<unknown>) => void lines.push(words)
  return { lines, console: { log, error: log } }
}

describe("docs/guides", () => {
  it.effect("client.md does what it says", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* story.fund(100)
      const wire = yield* network
      vi.stubGlobal("fetch", wire.fetch)
      onTestFinished(() => void vi.unstubAllGlobals())
      // Effect keeps the first `fetch` that anybody of this process asked it for, so it is told of ours.
      const fetchLayer = Layer.provide(
        effectHttp.FetchHttpClient.layer,
        Layer.succeed(effectHttp.FetchHttpClient.Fetch, wire.fetch)
      )
      const heard = listening()
      const script = scriptOf("client", ["charge", "withdrawal", "second", "missing"])
      const answer = yield* Effect.promise(() =>
        run(script, {
          modules: {
            "@pagora/core": core,
            "@pagora/core/client": client,
            "@pagora/core/client/effect": clientEffect,
            effect,
            "effect/http": { ...effectHttp, FetchHttpClient: { layer: fetchLayer } }
          },
          process: {
            env: {
              PAGORA_URL: baseUrl,
              PAGORA_CLIENT_ID: story.shop.clientId,
              PAGORA_CLIENT_SECRET: story.shop.clientSecret
            }
          },
          console: heard.console
        })
      )
      const { charge, missing, second } = answer as Record<string, { readonly amount: unknown }>
      assert.strictEqual(charge?.amount, 37.5)
      assert.strictEqual(second?.amount, 3_750n)
      assert.strictEqual(missing as unknown, true)
      assert.strictEqual(
        heard.lines.find(([status]) => status === 400)?.[1],
        "INSUFFICIENT_BALANCE"
      )
      const found = yield* story.transaction("payout-0042")
      assert.strictEqual(found.amount, 12.34)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("receive-webhooks.md receives what the service sends, and nothing else", () =>
    Effect.gen(function* () {
      vi.useFakeTimers({ toFake: ["Date"], now: noon })
      onTestFinished(() => void vi.useRealTimers())
      const story = yield* journey()
      const { secret } = yield* story.endpoint()
      yield* story.pay(yield* story.charge({ externalReference: "order-7" }))
      yield* story.drain
      const [delivery] = yield* story.received()
      assert(delivery !== undefined)

      const remembered: Array<webhook.WebhookEvent> = []
      let memoryWorks = true
      const answer = yield* Effect.promise(() =>
        run(scriptOf("receive-webhooks", ["server", "receive", "describe"]), {
          modules: { "node:http": http, "@pagora/core/webhook": webhook },
          process: { env: { PAGORA_WEBHOOK_SECRET: secret, PORT: "0" } },
          console: listening().console,
          remember: async (event: webhook.WebhookEvent) => {
            if (!memoryWorks) throw new Error("The disk is full.")
            remembered.push(event)
          }
        })
      )
      const server = answer["server"] as http.Server
      onTestFinished(() => void server.close())
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
      const statusOf = (body: string) =>
        Effect.promise(async () => {
          const init = { method: "POST", headers: delivery.headers, body }
          return (await fetch(url, init)).status
        })
      assert.strictEqual(yield* statusOf(delivery.body), 200)
      assert.strictEqual(yield* statusOf(delivery.body.replace("10", "11")), 400)
      memoryWorks = false
      assert.strictEqual(yield* statusOf(delivery.body), 500)
      memoryWorks = true

      const receive = answer["receive"] as (request: Request) => Promise<Response>
      const request = new Request(url, { method: "POST", ...delivery })
      assert.strictEqual((yield* Effect.promise(() => receive(request))).status, 200)
      assert.deepStrictEqual(remembered, [JSON.parse(delivery.body), JSON.parse(delivery.body)])
      const sentence = answer["describe"] as (event: unknown) => string
      assert.strictEqual(sentence(remembered[0]), "the main account received 10 for order-7")
    }).pipe(Effect.provide(world))
  )
})
