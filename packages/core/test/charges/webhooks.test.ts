import { assert, describe, it } from "@effect/vitest"
import type { ReceivedEvent, RecordedRequest } from "@pagora/testkit"
import { hookUrl, journey, RecordingTransport, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import { isUuid } from "../../src/kernel/Ids.ts"
import { codeOf, noon, existing, pspThat, random, world } from "../world/ServiceWorld.test-data.ts"

const kindsOf = (events: ReadonlyArray<ReceivedEvent>) => events.map(({ event }) => event)

const answerWith = (...statuses: ReadonlyArray<number>) =>
  Effect.flatMap(RecordingTransport, ({ answerBy }) => {
    let next = 0
    return answerBy(() => RecordingTransport.answered(statuses[next++] ?? 200))
  })

/** An optional field that is there says something. */
const full = {
  amount: 10,
  externalReference: "pedido-1",
  metadata: { pedido: 1, ç: [true, null, 1.5] }
}

describe("the event", () => {
  it.effect("payment_completed has the envelope and the data of the specification", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ fees: { payment: { fixed: 0.5 } } })
      yield* story.endpoint()
      const charge = yield* story.charge(full)
      yield* story.advance("1 minute")
      yield* story.pay(charge, { payerName: "Ana", payerDocument: "12345678909" })
      yield* story.drain
      const [event] = yield* story.events()
      const { e2eId } = yield* story.transaction(charge.id)
      assert.deepStrictEqual(event as unknown, {
        event: "payment_completed",
        eventId: charge.id,
        timestamp: "2026-11-21T12:01:00.000Z",
        subAccount: null,
        data: {
          transactionId: charge.id,
          environment: "sandbox",
          amount: 10,
          feeAmount: 0.5,
          netAmount: 9.5,
          currency: "BRL",
          paymentMethod: "pix",
          status: "completed",
          completedAt: "2026-11-21T12:01:00.000Z",
          externalReference: "pedido-1",
          e2eId,
          counterpartName: "Ana",
          counterpartDocument: "12345678909",
          metadata: full.metadata
        }
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("payment_expired has the envelope and the data of the specification", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ fees: { payment: { fixed: 0.5 } } })
      yield* story.endpoint()
      const charge = yield* story.charge({ ...full, expiresIn: 60 })
      yield* story.advance("61 seconds")
      const [event] = yield* story.events()
      assert.deepStrictEqual(event as unknown, {
        event: "payment_expired",
        eventId: `payment_expired_${charge.id}`,
        timestamp: "2026-11-21T12:01:01.000Z",
        subAccount: null,
        data: {
          transactionId: charge.id,
          environment: "sandbox",
          amount: 10,
          feeAmount: 0,
          netAmount: 0,
          currency: "BRL",
          paymentMethod: "pix",
          status: "expired",
          expiredAt: "2026-11-21T12:01:01.000Z",
          externalReference: "pedido-1",
          metadata: full.metadata
        }
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("payment_failed of a blocked payer shows the way back of the money", () =>
    Effect.gen(function* () {
      const story = yield* journey({ policy: { blockCnpjPayers: true } })
      yield* story.endpoint()
      const charge = yield* story.charge(full)
      yield* story.pay(charge, { payerName: "Empresa", payerDocument: "11222333000181" })
      yield* story.drain
      const [event] = yield* story.events()
      const { e2eId } = yield* story.transaction(charge.id)
      assert.deepStrictEqual(event as unknown, {
        event: "payment_failed",
        eventId: charge.id,
        timestamp: "2026-11-21T12:00:00.000Z",
        subAccount: null,
        data: {
          transactionId: charge.id,
          environment: "sandbox",
          amount: 10,
          feeAmount: 0,
          netAmount: 0,
          currency: "BRL",
          paymentMethod: "pix",
          status: "failed",
          failureReason: "deposit_blocked",
          failedAt: "2026-11-21T12:00:00.000Z",
          externalReference: "pedido-1",
          e2eId,
          counterpartName: "Empresa",
          counterpartDocument: "11222333000181",
          metadata: full.metadata,
          blockedDeposit: {
            reason: "payer_cnpj_not_allowed",
            refund: { status: "pending", e2eId: null, settledAt: null }
          }
        }
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("leaves optional fields out rather than null", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* story.pay(yield* story.charge())
      yield* story.expire(yield* story.charge())
      yield* story.drain
      for (const { data } of yield* story.events()) {
        assert.notProperty(data, "externalReference")
        assert.notProperty(data, "metadata")
        assert.notProperty(data, "split")
        assert.notInclude(JSON.stringify(data), "null")
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a delivery", () => {
  const assertSigned = ({ body, headers }: RecordedRequest, secret: string, event: string) => {
    const mac = createHmac("sha256", secret).update(body).digest("hex")
    assert.strictEqual(headers["X-Service-Signature"], `sha256=${mac}`)
    assert.strictEqual(headers["Content-Type"], "application/json")
    assert.strictEqual(headers["User-Agent"], "Service-Webhook/1.0")
    assert.strictEqual(headers["X-Service-Event"], event)
    assert.isTrue(isUuid(headers["X-Service-Webhook-ID"] ?? ""))
    assert.match(headers["X-Service-Timestamp"] ?? "", /^\d{13}$/)
    const key = Buffer.from(secret.replace("whsec_", ""), "base64")
    const message = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
    const standard = createHmac("sha256", key).update(message).digest("base64")
    assert.strictEqual(headers["webhook-signature"], `v1,${standard}`)
  }

  it.effect("carries the headers of the specification and both signatures", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { secret } = yield* story.endpoint()
      yield* story.pay(yield* story.charge(full))
      yield* story.drain
      const [request] = yield* story.received()
      assert.isDefined(request)
      assertSigned(request as RecordedRequest, secret, "payment_completed")
      assert.strictEqual(request?.headers["X-Service-Timestamp"], String(noon))
    }).pipe(Effect.provide(world))
  )

  it.effect("goes to each endpoint under an id and a secret of its own, with the same body", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const other = "https://other.example.com/hook"
      const first = yield* story.endpoint()
      const second = yield* story.endpoint({ url: other })
      yield* story.pay(yield* story.charge())
      yield* story.drain
      const [one] = yield* story.received(hookUrl)
      const [two] = yield* story.received(other)
      assertSigned(one as RecordedRequest, first.secret, "payment_completed")
      assertSigned(two as RecordedRequest, second.secret, "payment_completed")
      assert.strictEqual(one?.body, two?.body)
      assert.notStrictEqual(
        one?.headers["X-Service-Webhook-ID"],
        two?.headers["X-Service-Webhook-ID"]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("goes only where the event was asked for", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const urls = {
        all: "https://all.example.com/",
        completed: "https://completed.example.com/",
        ends: "https://ends.example.com/",
        refunds: "https://refunds.example.com/"
      }
      yield* story.endpoint({ url: urls.all })
      yield* story.endpoint({ url: urls.completed, events: ["payment_completed"] })
      yield* story.endpoint({ url: urls.ends, events: ["payment_expired", "payment_failed"] })
      yield* story.endpoint({ url: urls.refunds, events: ["refund_completed"] })
      yield* story.pay(yield* story.charge())
      yield* story.pay(yield* story.charge(), { amount: 1 })
      yield* story.expire(yield* story.charge())
      yield* story.drain
      const told = (url: string) =>
        Effect.map(story.events(url), (events) => kindsOf(events).toSorted())
      assert.deepStrictEqual(yield* told(urls.all), [
        "payment_completed",
        "payment_expired",
        "payment_failed"
      ])
      assert.deepStrictEqual(yield* told(urls.completed), ["payment_completed"])
      assert.deepStrictEqual(yield* told(urls.ends), ["payment_expired", "payment_failed"])
      assert.deepStrictEqual(yield* told(urls.refunds), [])
    }).pipe(Effect.provide(world))
  )

  it.effect("goes to nobody else's endpoint, and to none that was made later or is gone", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const neighbour = yield* journey()
      yield* neighbour.endpoint({ url: "https://neighbour.example.com/" })
      const gone = yield* story.endpoint({ url: "https://gone.example.com/" })
      yield* story.removeEndpoint(gone)
      yield* story.pay(yield* story.charge())
      yield* story.endpoint({ url: "https://later.example.com/" })
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* story.received(), [])
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "is repeated with the same bytes, the same id and a time of its own until it is taken",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const { secret } = yield* story.endpoint()
        yield* answerWith(500, 404, 302, 200)
        yield* story.pay(yield* story.charge(full))
        yield* story.drain
        for (let seconds = 0; seconds < 60; seconds++) {
          yield* TestClock.adjust("1 second")
          yield* story.drain
        }
        const requests = yield* story.received()
        assert.strictEqual(requests.length, 4)
        const [first] = requests
        for (const request of requests) {
          assertSigned(request, secret, "payment_completed")
          assert.strictEqual(request.body, first?.body)
          for (const name of ["X-Service-Webhook-ID", "X-Service-Signature", "webhook-id"]) {
            assert.strictEqual(request.headers[name], first?.headers[name], name)
          }
        }
        const times = requests.map(({ headers }) => headers["X-Service-Timestamp"])
        assert.strictEqual(new Set(times).size, 4)
        const [delivery] = yield* story.deliveries
        assert.strictEqual(delivery?.status, "delivered")
        const attempts = existing(delivery).attempts
        assert.deepStrictEqual(
          attempts.map((attempt) => [attempt.number, attempt.httpStatus] as unknown),
          [
            [1, 500],
            [2, 404],
            [3, 302],
            [4, 200]
          ]
        )
      }).pipe(Effect.provide(world))
  )

  it.effect(
    "is tried five times, 2, 4, 8 and 16 seconds apart and up to a fifth more, and then kept",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        yield* Effect.flatMap(RecordingTransport, ({ answerBy }) =>
          answerBy(() => RecordingTransport.failed("connection"))
        )
        yield* story.pay(yield* story.charge())
        for (let step = 0; step < 600; step++) {
          yield* story.drain
          yield* TestClock.adjust("100 millis")
        }
        const sent = (yield* story.received()).map(({ epochMillis }) => epochMillis)
        assert.strictEqual(sent.length, 5)
        const gaps = sent.slice(1).map((at, index) => at - (sent[index] ?? 0))
        for (const [index, gap] of gaps.entries()) {
          const expected = 2_000 * 2 ** index
          assert.isAtLeast(gap, expected, `gap ${index}`)
          // The clock goes in steps of 100 ms.
          assert.isAtMost(gap, expected * 1.2 + 100, `gap ${index}`)
        }
        const [delivery] = yield* story.deliveries
        assert.strictEqual(delivery?.status, "exhausted")
        yield* story.advance("1 day")
        assert.strictEqual((yield* story.received()).length, 5)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("that fails does not hold up the next one, nor another endpoint", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint({ url: "https://dead.example.com/" })
      yield* story.endpoint()
      yield* Effect.flatMap(RecordingTransport, ({ answerBy }) =>
        answerBy(({ url }) =>
          url === hookUrl ? RecordingTransport.answered(200) : RecordingTransport.failed("dns")
        )
      )
      const charges = yield* Effect.replicateEffect(story.charge(), 20)
      yield* Effect.forEach(charges, (charge) => story.payAtBank(charge))
      yield* story.drain
      assert.strictEqual((yield* story.received(hookUrl)).length, 20)
      assert.strictEqual((yield* story.received("https://dead.example.com/")).length, 20)
    }).pipe(Effect.provide(world))
  )
})

describe("the delivery log", () => {
  it.effect("lists every delivery with every attempt, newest first, by status and event", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* answerWith(200, 500)
      yield* story.pay(yield* story.charge())
      yield* story.drain
      yield* story.expire(yield* story.charge())
      yield* story.drain
      const kinds = (query: string) =>
        Effect.map(story.deliveriesBy(query), (found) => found.map(({ event }) => event))
      assert.deepStrictEqual(yield* kinds(""), ["payment_expired", "payment_completed"])
      assert.deepStrictEqual(yield* kinds("?status=delivered"), ["payment_completed"])
      assert.deepStrictEqual(yield* kinds("?status=queued"), ["payment_expired"])
      assert.deepStrictEqual(yield* kinds("?event=payment_expired"), ["payment_expired"])
      assert.deepStrictEqual(yield* kinds("?status=exhausted"), [])
      const [queued] = yield* story.deliveriesBy("?status=queued")
      const attempts = queued?.attempts
      assert.deepStrictEqual(attempts as unknown, [
        {
          number: 1,
          at: "2026-11-21T12:00:00.000Z",
          outcome: "answered",
          httpStatus: 500,
          durationMillis: 0
        }
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("goes page by page through more than a hundred", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charges = yield* Effect.replicateEffect(story.charge({ expiresIn: 60 }), 130)
      assert.strictEqual(charges.length, 130)
      yield* story.advance("1 minute")
      const first = yield* story.deliveryPage("?limit=100")
      const data = first.data
      assert.strictEqual(data.length, 100)
      const second = yield* story.deliveryPage(`?cursor=${String(first.nextCursor)}`)
      const rest = second.data
      assert.strictEqual(rest.length, 30)
      assert.isNull(second.nextCursor)
      const ids = [...data, ...rest].map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, 130)
      assert.deepStrictEqual(ids, ids.toSorted().toReversed())
    }).pipe(Effect.provide(world))
  )
})

describe("an event that is resent", () => {
  const resend = (id: unknown) =>
    Effect.flatMap(TestPagora, ({ operator }) =>
      operator("POST", `/deliveries/${String(id)}/resend`)
    )

  it.effect("after every attempt failed goes out once more, with the same bytes", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* answerWith(500, 500, 500, 500, 500)
      yield* story.pay(yield* story.charge(full))
      yield* story.drain
      for (let wait = 0; wait < 5; wait++) yield* story.advance("30 seconds")
      const [exhausted] = yield* story.deliveries
      assert.strictEqual(exhausted?.status, "exhausted")
      const answer = yield* resend(exhausted?.id)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.json.status, "queued")
      assert.notStrictEqual(answer.json.id, exhausted?.id)
      yield* story.drain
      const requests = yield* story.received()
      assert.strictEqual(requests.length, 6)
      assert.strictEqual(new Set(requests.map(({ body }) => body)).size, 1)
      assert.strictEqual(requests[5]?.headers["X-Service-Webhook-ID"], answer.json.id)
      const statuses = (yield* story.deliveries).map(({ status }) => status)
      assert.deepStrictEqual(statuses, ["delivered", "resent"])
    }).pipe(Effect.provide(world))
  )

  it.effect("goes nowhere when there is no such delivery, or its endpoint was removed", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const endpoint = yield* story.endpoint()
      yield* story.pay(yield* story.charge())
      yield* story.drain
      for (const id of ["x", random.uuid]) assert.strictEqual((yield* resend(id)).status, 404)
      yield* story.removeEndpoint(endpoint)
      const [delivered] = yield* story.deliveries
      const gone = yield* resend(delivered?.id)
      assert.strictEqual(gone.status, 409)
      assert.strictEqual(codeOf(gone), "ENDPOINT_GONE")
      assert.strictEqual((yield* story.deliveries).length, 1)
    }).pipe(Effect.provide(world))
  )
})

describe("the environment of an event", () => {
  it.effect("is the one of the PSP that the money went through", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      for (const environment of ["production", "sandbox"] as const) {
        yield* pspThat({ environment })
        yield* story.pay(yield* story.charge())
      }
      yield* story.drain
      const told = (yield* story.events()).map(({ data }) => String(data?.environment))
      assert.deepStrictEqual(told.toSorted(), ["production", "sandbox"])
    }).pipe(Effect.provide(world))
  )
})
