import { assert } from "@effect/vitest"
import type { OutboundRequest, SendOutcome, WebhookTransport } from "@pagora/core"
import type { Scope } from "effect"
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { receiver } from "./TransportServers.ts"

export interface TransportUnderTest {
  readonly transport: WebhookTransport["Service"]
  readonly deadlineMillis: number
}

export interface TransportLaw {
  readonly title: string
  readonly law: (test: TransportUnderTest) => Effect.Effect<void, never, Scope.Scope>
}

/** Bytes that any change shows in: letters of several lengths, escapes, and a line break at the end. */
const body = '{"name":"São João 😀","line":"a\\nb","amount":10.50,"html":"<&>\\u0000"}\n'

export const requestTo = (url: string): OutboundRequest => ({
  url,
  headers: { "Content-Type": "application/json", "X-Service-Event": "payment_completed" },
  body
})

/** The outcome without what differs from run to run. */
export const withoutTime = (outcome: SendOutcome) => {
  if (outcome._tag === "Blocked") return outcome
  const { durationMillis, ...rest } = outcome
  assert.isTrue(Number.isInteger(durationMillis) && durationMillis >= 0, String(durationMillis))
  return rest
}

const answerWith =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers).end("thank you")
  }

export const requestLaws: ReadonlyArray<TransportLaw> = [
  {
    title: "sends one POST with the same bytes and headers",
    law: Effect.fnUntraced(function* ({ transport }) {
      const { arrivals, url } = yield* receiver(answerWith(200))
      const outcome = yield* transport.send(requestTo(`${url}?shop=1&a=%20`))
      assert.deepStrictEqual(withoutTime(outcome), { _tag: "Answered", status: 200 })
      assert.strictEqual(arrivals.length, 1)
      const [arrival] = arrivals
      assert.deepInclude(arrival, { method: "POST", path: "/hooks?shop=1&a=%20", body })
      assert.deepInclude(arrival?.headers, {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        "x-service-event": "payment_completed",
        host: new URL(url).host
      })
      assert.isUndefined(arrival?.headers["transfer-encoding"])
    })
  },
  {
    title: "does not ask for compression",
    law: Effect.fnUntraced(function* ({ transport }) {
      const { arrivals, url } = yield* receiver(answerWith(200))
      yield* transport.send(requestTo(url))
      assert.match(arrivals[0]?.headers["accept-encoding"] ?? "identity", /^identity$/)
    })
  },
  {
    title: "remembers nothing of an answer for the next request",
    law: Effect.fnUntraced(function* ({ transport }) {
      const { arrivals, url } = yield* receiver(
        answerWith(200, { "Set-Cookie": "session=1", ETag: '"1"', "Alt-Svc": 'h2=":1"' })
      )
      yield* transport.send(requestTo(url))
      yield* transport.send(requestTo(url))
      assert.strictEqual(arrivals.length, 2)
      assert.deepStrictEqual(arrivals[1], arrivals[0])
    })
  },
  {
    title: "sends an empty body as one",
    law: Effect.fnUntraced(function* ({ transport }) {
      const { arrivals, url } = yield* receiver(answerWith(200))
      yield* transport.send({ ...requestTo(url), body: "" })
      assert.deepInclude(arrivals[0], { method: "POST", body: "" })
      assert.strictEqual(arrivals[0]?.headers["content-length"], "0")
    })
  }
]

export const answerLaws: ReadonlyArray<TransportLaw> = [
  {
    title: "tells every status as it is",
    law: Effect.fnUntraced(function* ({ transport }) {
      for (const status of [200, 201, 202, 204, 226, 300, 304, 400, 401, 404, 410, 429, 500, 503]) {
        const { url } = yield* receiver(answerWith(status))
        const outcome = yield* transport.send(requestTo(url))
        assert.deepStrictEqual(withoutTime(outcome), { _tag: "Answered", status })
      }
    })
  },
  {
    title: "follows no redirect",
    law: Effect.fnUntraced(function* ({ transport }) {
      const elsewhere = yield* receiver(answerWith(200))
      for (const status of [301, 302, 303, 307, 308]) {
        const { arrivals, url } = yield* receiver(
          answerWith(status, { Location: elsewhere.url, Refresh: `0; url=${elsewhere.url}` })
        )
        const outcome = yield* transport.send(requestTo(url))
        assert.deepStrictEqual(withoutTime(outcome), { _tag: "Answered", status })
        assert.strictEqual(arrivals.length, 1)
      }
      assert.deepStrictEqual(elsewhere.arrivals, [])
    })
  }
]

/** Nothing of this is ever sent, not even where loopback is. */
const refused = [
  "http://169.254.169.254/latest/meta-data/",
  "http://10.0.0.1/",
  "http://hooks.shop.com.br/",
  "https://127.0.0.1/",
  "https://[::1]/",
  "https://10.0.0.1/",
  "https://[fd00:ec2::254]/",
  "https://localhost/",
  "https://user:word@hooks.shop.com.br/",
  "https://hooks.shop.com.br:22/",
  "ftp://hooks.shop.com.br/",
  "file:///etc/passwd",
  "no address"
]

export const refusalLaws: ReadonlyArray<TransportLaw> = [
  {
    title: "sends nothing to what may not be registered, for the same reason",
    law: Effect.fnUntraced(function* ({ transport }) {
      for (const url of refused) {
        const reason = transport.refusal(url)
        assert.isDefined(reason, url)
        assert.deepStrictEqual(yield* transport.send(requestTo(url)), { _tag: "Blocked", reason })
      }
    })
  },
  {
    title: "lets public https addresses be registered",
    law: ({ transport }) =>
      Effect.sync(() => {
        for (const url of ["https://hooks.shop.com.br/", "https://hooks.shop.com.br:443/a?b=c"]) {
          assert.isUndefined(transport.refusal(url), url)
        }
      })
  }
]
