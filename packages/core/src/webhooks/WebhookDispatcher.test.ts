import { assert, describe, it } from "@effect/vitest"
import { RecordingTransport } from "@pagora/testkit"
import type { RecordedRequest } from "@pagora/testkit"
import { DateTime, Duration, Effect, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import type { DeliveryId, EndpointId } from "../kernel/Ids.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import {
  anEndpoint,
  anEvent,
  dispatcher,
  elsewhere,
  inWorld,
  stateOf
} from "./DispatcherWorld.test-data.ts"
import { sealPlace } from "./Endpoint.ts"

const { answered, blocked, failed } = RecordingTransport

const sent = Effect.flatMap(RecordingTransport, ({ requests }) => requests)
const answerBy = (script: Parameters<RecordingTransport["Service"]["answerBy"]>[0]) =>
  Effect.flatMap(RecordingTransport, (transport) => transport.answerBy(script))

const idOf = (request: RecordedRequest): string | undefined =>
  request.headers["X-Service-Webhook-ID"]

const start = Effect.flatMap(dispatcher, (made) => made.start)
const drain = Effect.flatMap(dispatcher, (made) => made.drain)

/** One delivery to one new endpoint. */
const aDelivery = Effect.gen(function* () {
  const { endpoint, secret } = yield* anEndpoint()
  const { body, deliveries } = yield* anEvent([endpoint.id])
  return { endpoint, secret, body, id: deliveries[0] as DeliveryId }
})

describe("a delivery", () => {
  it.effect("that is answered with 2xx is sent once", () =>
    inWorld(
      Effect.gen(function* () {
        yield* start
        const { body, endpoint, id, secret } = yield* aDelivery
        yield* TestClock.adjust("10 minutes")
        const requests = yield* sent
        assert.strictEqual(requests.length, 1)
        const hex = createHmac("sha256", secret).update(body).digest("hex")
        const [request] = requests
        assert.deepInclude(request, { url: endpoint.url, body, epochMillis: 0 })
        assert.deepInclude(request?.headers, {
          "X-Service-Event": "payment_completed",
          "X-Service-Webhook-ID": id,
          "X-Service-Timestamp": "0",
          "X-Service-Signature": `sha256=${hex}`,
          "webhook-id": id
        })
        assert.deepStrictEqual(yield* stateOf(id), {
          status: "delivered",
          attempts: [[1, "answered", 200]]
        })
      })
    )
  )

  it.effect("is tried at 0, 2, 6, 14 and 30 seconds, and then exhausted", () =>
    inWorld(
      Effect.gen(function* () {
        yield* answerBy(() => answered(500))
        yield* start
        const { body, id } = yield* aDelivery
        for (const expected of [1, 2, 3, 4, 5]) {
          yield* TestClock.adjust(
            expected === 1 ? "0 seconds" : `${2 ** (expected - 1) * 1.2} seconds`
          )
          assert.strictEqual((yield* sent).length, expected)
        }
        yield* TestClock.adjust("1 hour")

        const requests = yield* sent
        assert.strictEqual(requests.length, 5)
        const times = requests.map(({ epochMillis }) => epochMillis)
        for (const [index, seconds] of [2, 4, 8, 16].entries()) {
          const gap = ((times[index + 1] ?? 0) - (times[index] ?? 0)) / 1_000
          assert.isTrue(
            gap >= seconds * 0.8 && gap <= seconds * 1.2,
            `${gap} s after attempt ${index + 1}`
          )
        }
        for (const request of requests) {
          assert.strictEqual(request.body, body)
          assert.strictEqual(idOf(request), id)
          assert.strictEqual(request.headers["X-Service-Timestamp"], String(request.epochMillis))
          assert.strictEqual(
            request.headers["X-Service-Signature"],
            requests[0]?.headers["X-Service-Signature"]
          )
        }
        assert.deepStrictEqual(yield* stateOf(id), {
          status: "exhausted",
          attempts: [1, 2, 3, 4, 5].map((number) => [number, "answered", 500] as const)
        })
      })
    )
  )

  it.effect("is not sent again once it was delivered, whatever came before", () =>
    inWorld(
      Effect.gen(function* () {
        yield* answerBy((_, nth) =>
          nth === 1 ? failed("tls") : nth === 2 ? answered(302) : answered(204)
        )
        yield* start
        const { id } = yield* aDelivery
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(yield* stateOf(id), {
          status: "delivered",
          attempts: [
            [1, "tls", null],
            [2, "answered", 302],
            [3, "answered", 204]
          ]
        })
      })
    )
  )

  it.effect("is exhausted at once where trying again cannot help", () =>
    inWorld(
      Effect.gen(function* () {
        yield* start
        for (const [outcome, told] of [
          [answered(410), [1, "answered", 410]],
          [blocked, [1, "blocked_address", null]]
        ] as const) {
          yield* answerBy(() => outcome)
          const { id } = yield* aDelivery
          yield* TestClock.adjust("1 hour")
          assert.deepStrictEqual(yield* stateOf(id), { status: "exhausted", attempts: [told] })
        }
        assert.strictEqual((yield* sent).length, 2)
      })
    )
  )

  it.effect("to an endpoint that was disabled meanwhile is cancelled, and nothing is sent", () =>
    inWorld(
      Effect.gen(function* () {
        const off = yield* anEndpoint({ enabled: false })
        const gone = "00000000-0000-7000-8000-0000000000ff" as typeof off.endpoint.id
        const { deliveries } = yield* anEvent([off.endpoint.id, gone])
        assert.strictEqual(yield* drain, 2)
        for (const id of deliveries) {
          assert.deepStrictEqual(yield* stateOf(id), {
            status: "cancelled",
            attempts: [[1, "endpoint_disabled", null]]
          })
        }
        assert.deepStrictEqual(yield* sent, [])
        assert.strictEqual(yield* drain, 0)
      })
    )
  )

  it.effect("goes out as soon as its unit is committed", () =>
    inWorld(
      Effect.gen(function* () {
        yield* start
        yield* TestClock.adjust("999 millis")
        yield* aDelivery
        yield* TestClock.adjust("0 millis")
        assert.deepStrictEqual(
          (yield* sent).map(({ epochMillis }) => epochMillis),
          [999]
        )
      })
    )
  )

  it.effect("that another process put in line goes out within a second", () =>
    inWorld(
      Effect.gen(function* () {
        yield* start
        yield* TestClock.adjust("10 seconds")
        // The hint of a commit does not cross processes.
        yield* Effect.provide(aDelivery, elsewhere)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* sent).length, 1)
      })
    )
  )
})

describe("time", () => {
  it.effect("retries go by business time, timestamps by the real one", () =>
    inWorld(
      Effect.gen(function* () {
        yield* answerBy((_, nth) => answered(nth === 1 ? 500 : 200))
        const { id } = yield* aDelivery
        assert.strictEqual(yield* drain, 1)
        assert.strictEqual(yield* drain, 0)
        const time = yield* ServiceTime
        yield* time.setOffset(Duration.days(1))
        assert.strictEqual(yield* drain, 1)
        assert.strictEqual((yield* stateOf(id)).status, "delivered")
        assert.deepStrictEqual(
          (yield* sent).map(({ headers }) => headers["X-Service-Timestamp"]),
          ["0", "0"]
        )
      })
    )
  )
})

describe("secrets", () => {
  it.effect("the one before signs beside the new one until its time is over", () =>
    inWorld(
      Effect.gen(function* () {
        const secrets = yield* Secrets
        const id = "00000000-0000-7000-8000-0000000000ee" as EndpointId
        const sealed = (secret: string) => secrets.seal(Redacted.make(secret), sealPlace(id))
        yield* anEndpoint({
          id,
          sealedSecret: yield* sealed("new"),
          previous: { sealedSecret: yield* sealed("old"), until: DateTime.makeUnsafe(60_000) }
        })
        const { body } = yield* anEvent([id])
        yield* drain
        yield* TestClock.adjust("59999 millis")
        yield* anEvent([id])
        yield* drain
        yield* TestClock.adjust("1 millis")
        yield* anEvent([id])
        yield* drain
        const headers = (yield* sent).map((request) => request.headers)
        const of = (secret: string) =>
          `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`
        assert.strictEqual(headers[0]?.["X-Service-Signature"], of("new"))
        assert.strictEqual(headers[0]?.["X-Service-Signature-Previous"], of("old"))
        assert.deepStrictEqual(
          headers.map((all) => "X-Service-Signature-Previous" in all),
          [true, true, false]
        )
      })
    )
  )

  it.effect(
    "a secret that does not open sends nothing, is tried again, and the log names whose it is",
    () => {
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatJson, (line) => {
        lines.push(line)
      })
      return inWorld(
        Effect.gen(function* () {
          const { endpoint } = yield* anEndpoint({ sealedSecret: "v1.00000000.AAAA" })
          const { deliveries } = yield* anEvent([endpoint.id])
          yield* drain
          assert.deepStrictEqual(yield* stateOf(deliveries[0] as DeliveryId), {
            status: "queued",
            attempts: [[1, "secret_unreadable", null]]
          })
          assert.deepStrictEqual(yield* sent, [])
          const told = lines.find((line) => line.includes("does not open")) ?? ""
          assert.include(told, endpoint.id)
        })
      ).pipe(Effect.provide(Logger.layer([logger])))
    }
  )

  it.effect("no secret and no body is in the log, and every attempt is one line of it", () => {
    const lines: Array<string> = []
    const logger = Logger.map(Logger.formatJson, (line) => {
      lines.push(line)
    })
    return inWorld(
      Effect.gen(function* () {
        yield* answerBy((_, nth) => answered(nth === 1 ? 503 : 200))
        yield* start
        const { body, endpoint, id, secret } = yield* aDelivery
        yield* TestClock.adjust("1 minute")
        const attempts = lines
          .map((line) => JSON.parse(line) as { message: unknown; annotations: object })
          .filter(({ message }) => message === "Webhook attempt")
        assert.deepStrictEqual(
          attempts.map(({ annotations }) => annotations),
          [503, 200].map((status, index) => ({
            delivery: id,
            endpoint: endpoint.id,
            event: "payment_completed",
            attempt: index + 1,
            outcome: "answered",
            status
          }))
        )
        const all = lines.join()
        for (const hidden of [secret, secret.slice(6), body, "São João", endpoint.sealedSecret]) {
          assert.notInclude(all, hidden)
        }
      })
    ).pipe(Effect.provide(Logger.layer([logger])))
  })
})
