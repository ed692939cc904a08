import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { PspOutcome } from "../ports/Psp.ts"
import { another, failed, onceTaken, orFail, outcomeOf, unlessThere, whereThere } from "./Asked.ts"
import type { Fields } from "./Fields.ts"
import { jsonApi } from "./JsonHttp.ts"
import type { Exchanged, HttpRequest } from "./Transport.ts"

/** An API that answers so. */
const answering = (exchanged: Exchanged, asked: Array<HttpRequest> = []) =>
  jsonApi({
    url: "https://psp.example/v1/",
    headers: ({ method }) => Effect.succeed({ "x-signed": method }),
    readError: (error) => {
      const code = error.text("code")
      return { code, message: "No.", isPause: code === "LIMIT" }
    },
    transport: (request) => {
      asked.push(request)
      return Effect.succeed(exchanged)
    }
  })
const status = (status: number, text: string, retryAfter?: string): Exchanged => ({
  _tag: "Answered",
  status,
  retryAfter,
  text
})
const answers: ReadonlyArray<readonly [what: string, answer: Exchanged, outcome: string]> = [
  ["its words and a refusing status", status(404, '{"code":"NOT_FOUND"}'), "Rejected"],
  ["a refusing status without its words", status(404, "<h1>404</h1>"), "Unknown"],
  ["a conflict with what may be the same", status(409, '{"code":"DUPLICATE"}'), "Unknown"],
  ["a failure in its words", status(500, '{"code":"OOPS"}'), "Unknown"],
  ["a status that refuses nothing", status(418, '{"code":"TEA"}'), "Unknown"],
  ["a limit in its words", status(400, '{"code":"LIMIT"}'), "NotNow"],
  ["too many", status(429, ""), "NotNow"],
  ["that it does not know us", status(401, '{"code":"WHO"}'), "NotNow"],
  ["somebody before it that does not", status(403, "no"), "Unknown"],
  ["yes, in another form", status(200, '{"name":1}'), "Unknown"],
  ["yes, and nothing", status(204, ""), "Unknown"],
  ["yes", status(201, '{"name":"a"}'), "Done"],
  ["nothing, for nobody listens", { _tag: "NotSent", detail: "ECONNREFUSED" }, "NotSent"],
  ["nothing that arrives", { _tag: "Lost", detail: "ECONNRESET" }, "Unknown"]
]

describe("what is known after an order that is answered by", () => {
  it.effect.each(answers)("%s", ([, exchanged, outcome]) =>
    Effect.gen(function* () {
      const { order } = answering(exchanged)
      const told = yield* outcomeOf(order((answer) => answer.text("name"), "PUT", "/a", {}))
      assert.strictEqual(told._tag, outcome)
    })
  )

  it.effect("nothing at all is done where a 204 says so and nothing of it is read", () =>
    Effect.gen(function* () {
      const reading = <A>(exchanged: Exchanged, read: (answer: Fields) => A) =>
        Effect.map(outcomeOf(answering(exchanged).order(read, "DELETE", "/a")), ({ _tag }) => _tag)
      assert.strictEqual(yield* reading(status(204, ""), () => true), "Done")
      for (const text of ["", "<h1>OK</h1>"])
        assert.strictEqual(yield* reading(status(200, text), () => true), "Unknown")
      const list = (answer: Fields) => answer.list("payments")
      assert.strictEqual(yield* reading(status(204, ""), list), "Unknown")
    })
  )

  it.effect("a pause is how long it is left alone, an hour at most", () =>
    Effect.gen(function* () {
      for (const [retryAfter, seconds] of [
        ["90", 90],
        ["999999", 3_600],
        ["soon", 300]
      ] as const) {
        const { order } = answering(status(429, "", retryAfter))
        const told = yield* Effect.flip(order(() => 1, "PUT", "/a"))
        assert.strictEqual(told._tag === "NotNow" && Duration.toSeconds(told.after), seconds)
      }
    })
  )

  it.effect("nobody in time is unknown", () =>
    Effect.gen(function* () {
      const slow = jsonApi({
        url: "https://psp.example",
        headers: () => Effect.succeed({}),
        readError: () => undefined,
        transport: () => Effect.never
      })
      const fiber = yield* Effect.forkChild(outcomeOf(slow.order(() => 1, "PUT", "/a")))
      yield* TestClock.adjust("7 seconds")
      const told = yield* Fiber.join(fiber)
      assert.deepStrictEqual(told, PspOutcome.unknown("no answer in time"))
    })
  )
})

describe("a question", () => {
  const refusal = status(404, '{"code":"NOT_FOUND"}')

  it.effect("by a name is answered with nothing by the PSP's own words alone", () =>
    Effect.gen(function* () {
      const { ask, find } = answering(refusal)
      const read = () => 1
      const missing = yield* outcomeOf(find(read, "/a", ({ code }) => code === "NOT_FOUND"))
      assert.deepStrictEqual(missing, { _tag: "Done", value: undefined })
      assert.strictEqual((yield* outcomeOf(find(read, "/a", () => false)))._tag, "Unknown")
      assert.strictEqual((yield* outcomeOf(ask(read, "/a")))._tag, "Unknown")
    })
  )

  it.effect("goes out as it was written, with what proves who we are", () =>
    Effect.gen(function* () {
      const asked: Array<HttpRequest> = []
      const { ask, order } = answering(status(200, "{}"), asked)
      yield* ask(() => 1, "/a?b=c")
      yield* order(() => 1, "POST", "/d", { e: 1 })
      const headers = (method: string) => ({
        "content-type": "application/json",
        "x-signed": method
      })
      assert.deepStrictEqual(asked, [
        {
          method: "GET",
          url: "https://psp.example/v1/a?b=c",
          headers: headers("GET"),
          body: undefined
        },
        {
          method: "POST",
          url: "https://psp.example/v1/d",
          headers: headers("POST"),
          body: '{"e":1}'
        }
      ])
    })
  )
})

describe("a PSP that knows us by a key alone", () => {
  it.effect(
    "is told it with each request, and an error that is none of its own refuses nothing",
    () =>
      Effect.gen(function* () {
        const asked: Array<HttpRequest> = []
        const { order } = jsonApi({
          url: "https://psp.example",
          headers: { authorization: "key" },
          readError: () => undefined,
          transport: (request) => {
            asked.push(request)
            return Effect.succeed(status(400, '{"code":"NO"}'))
          }
        })
        const told = yield* outcomeOf(order(() => 1, "POST", "/a", {}))
        assert.strictEqual(told._tag, "Unknown")
        assert.deepStrictEqual(asked[0]?.headers, {
          "content-type": "application/json",
          authorization: "key"
        })
      })
  )
})

describe("a refusal", () => {
  const refused = failed(PspOutcome.rejected("DUPLICATE", "It is there."))

  it.effect("is believed once the look-up finds nothing", () =>
    Effect.gen(function* () {
      const nothing = yield* outcomeOf(unlessThere(refused, Effect.undefined))
      assert.strictEqual(nothing._tag, "Rejected")
      assert.strictEqual(yield* unlessThere(refused, Effect.succeed(1)), 1)
      const away = failed(PspOutcome.notSent("ECONNREFUSED"))
      assert.strictEqual((yield* outcomeOf(unlessThere(refused, away)))._tag, "Unknown")
      assert.strictEqual((yield* outcomeOf(unlessThere(away, Effect.succeed(1))))._tag, "NotSent")
    })
  )

  it.effect("of what follows an order that was taken leaves it unknown", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* onceTaken(Effect.succeed(1)), 1)
      const lost = PspOutcome.unknown("lost")
      assert.deepStrictEqual(yield* outcomeOf(onceTaken(failed(lost))), lost)
      for (const look of [refused, failed(PspOutcome.notSent("ECONNREFUSED"))])
        assert.strictEqual((yield* outcomeOf(onceTaken(look)))._tag, "Unknown")
      const later = failed(PspOutcome.notNow("too many", "1 minute"))
      const told = [onceTaken(later), unlessThere(refused, later)]
      for (const { _tag, ...outcome } of yield* Effect.forEach(told, outcomeOf))
        assert.deepInclude({ _tag, ...outcome }, { _tag: "Unknown", after: Duration.minutes(1) })
    })
  )

  it.effect("ends what follows, and nothing is gone on with where nothing is there", () =>
    Effect.gen(function* () {
      const next = (there: number) => Effect.succeed(there + 1)
      assert.strictEqual(yield* whereThere(Effect.succeed(1), next), 2)
      assert.isUndefined(yield* whereThere(Effect.undefined, next))
      assert.strictEqual(yield* orFail(Effect.succeed(1), another), 1)
      assert.deepStrictEqual(yield* outcomeOf(orFail(Effect.undefined, another)), another)
    })
  )
})
