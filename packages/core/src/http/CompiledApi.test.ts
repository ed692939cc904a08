import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Layer, Redacted, Schema } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import {
  HttpApi,
  HttpApiBuilder,
  HttpApiEndpoint,
  HttpApiError,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity
} from "effect/http-api"
import { compileApi, RouteFound } from "./CompiledApi.ts"
import { handlersOf } from "./EndpointHandler.ts"
import { pathsOf } from "./Paths.ts"

class Gone extends Schema.Error<Gone>("Gone")({ why: Schema.String }, { httpApiStatus: 410 }) {}
class Taken extends Schema.Error<Taken>("Taken")({ by: Schema.String }, { httpApiStatus: 409 }) {}
class Stranger extends Schema.Error<Stranger>("Stranger")(
  { token: Schema.String },
  { httpApiStatus: 401 }
) {}
class Wrong extends Schema.Error<Wrong>("Wrong")({ kind: Schema.String }, { httpApiStatus: 400 }) {}

class Who extends Context.Service<Who, string>()("test/Who") {}

class Door extends HttpApiMiddleware.Service<Door, { provides: Who }>()("test/Door", {
  error: Stranger,
  security: { bearer: HttpApiSecurity.bearer },
  requiredForClient: true
}) {
  static readonly layer = Layer.succeed(
    Door,
    Door.of({
      bearer: (inner, { credential, endpoint }) => {
        const token = Redacted.value(credential)
        return token === ""
          ? Effect.fail(new Stranger({ token }))
          : Effect.provideService(inner, Who, `${token} at ${endpoint.identifier}`)
      }
    })
  )
}

const undecodable = (error: HttpApiError.HttpApiSchemaError): Effect.Effect<never, Wrong> =>
  error.kind === "Body" ? Effect.die(error) : Effect.fail(new Wrong({ kind: error.kind }))

class Plain extends HttpApiMiddleware.Service<Plain>()("test/Plain", { error: Wrong }) {
  static readonly layer = Layer.succeed(
    Plain,
    Plain.of((inner) =>
      // The type of a middleware's inner effect does not name this error.
      Effect.catch(
        inner as Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>,
        (error) =>
          HttpApiError.HttpApiSchemaError.is(error)
            ? undecodable(error)
            : Effect.fail(error as Wrong)
      )
    )
  )
}

const Count = Schema.Int.check(Schema.isGreaterThan(0))
const things = HttpApiGroup.make("things")
  .add(
    HttpApiEndpoint.get("one", "/things/:id", {
      params: { id: Schema.String },
      query: {
        times: Schema.optionalKey(Schema.NumberFromString),
        tag: Schema.Array(Schema.String)
      },
      success: Schema.Struct({ id: Schema.String, who: Schema.String, when: Schema.Date }),
      error: [Gone, Taken]
    }),
    HttpApiEndpoint.post("made", "/things", {
      success: Schema.Struct({ count: Count }).pipe(HttpApiSchema.status(201))
    }),
    HttpApiEndpoint.delete("removed", "/things/:id", {
      params: { id: Schema.String },
      success: HttpApiSchema.NoContent
    }),
    HttpApiEndpoint.get("own", "/own")
  )
  .middleware(Door)
  .middleware(Plain)
const Api = HttpApi.make("test").add(things)

/** The same handlers, for the framework's builder and for ours. */
const handlersBy = (group: typeof HttpApiBuilder.group) =>
  group(Api, "things", (all) =>
    all
      .handle("one", ({ params, query }) =>
        params.id === "gone"
          ? Effect.fail(new Gone({ why: "used up" }))
          : params.id === "taken"
            ? Effect.fail(new Taken({ by: "somebody" }))
            : params.id === "broken"
              ? Effect.die(new Error("broken"))
              : Effect.map(Who, (who) => ({
                  id: `${params.id} ${query.times} ${query.tag.join("+")}`,
                  who,
                  when: new Date(0)
                }))
      )
      .handle("made", () =>
        Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => ({
          count: Number(headers["x-count"] ?? 1)
        }))
      )
      .handle("removed", () => Effect.void)
      .handleRaw("own", () =>
        Effect.succeed(HttpServerResponse.text("own", { status: 418, headers: { "x-own": "1" } }))
      )
  ).pipe(Layer.provideMerge(Layer.mergeAll(Door.layer, Plain.layer)))

const asked = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
  HttpServerRequest.fromWeb(new Request(`http://localhost${path}`, { method, headers }))

const told = <R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>) =>
  Effect.matchCauseEffect(answer, {
    onFailure: (cause) => Effect.succeed({ died: cause.reasons.map(({ _tag }) => _tag) }),
    onSuccess: (response) =>
      Effect.promise(async () => ({
        status: response.status,
        headers: { ...response.headers },
        text: await HttpServerResponse.toWeb(response).text()
      }))
  })

/** What the framework's own builder answers, and what is compiled. */
const both = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const request = asked(method, path, headers)
    const routed = yield* HttpRouter.toHttpEffect(
      HttpApiBuilder.layer(Api).pipe(Layer.provide(handlersBy(HttpApiBuilder.group)))
    ).pipe(Effect.provide(HttpServer.layerServices))
    const theirs = yield* told(
      Effect.provideService(routed, HttpServerRequest.HttpServerRequest, request)
    )
    const services = yield* Layer.build(handlersBy(handlersOf))
    const paths = pathsOf(Api, new Set(), compileApi(Api, services))
    const found = paths.find(method, request.url)
    if (found === undefined) return { theirs, ours: undefined }
    const answer = paths
      .answering(found.handler)
      .pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.provideService(RouteFound, found),
        Effect.provideContext(services),
        told
      )
    const ours = yield* answer
    assert.deepStrictEqual(yield* answer, ours)
    return { theirs, ours }
  })

const token = { authorization: "Bearer me" }

describe("a compiled API", () => {
  const requests = [
    ["decodes what the address says", "GET", "/things/a%20b?times=2&tag=x&tag=y", token, 200],
    ["decodes one of many", "GET", "/things/a?tag=x", token, 200],
    [
      "hands a query that does not decode to its middleware",
      "GET",
      "/things/a?times=x",
      token,
      400
    ],
    ["answers an error of the endpoint", "GET", "/things/gone?tag=x", token, 410],
    ["answers another error of it", "GET", "/things/taken?tag=x", token, 409],
    ["answers the error of a middleware", "GET", "/things/a?tag=x", {}, 401],
    ["answers with a status of its own", "POST", "/things", token, 201],
    ["answers nothing", "DELETE", "/things/a", token, 204],
    ["leaves a raw answer as it is", "GET", "/own", token, 418],
    ["dies of an answer that does not encode", "POST", "/things", { ...token, "x-count": "0" }, 0],
    ["dies of what a handler dies of", "GET", "/things/broken?tag=x", token, 0]
  ] as const
  for (const [name, method, path, headers, status] of requests)
    it.effect(`${name}, as the framework's does`, () =>
      Effect.gen(function* () {
        const { ours, theirs } = yield* both(method, path, headers)
        assert.deepStrictEqual(ours, theirs)
        assert.strictEqual("status" in theirs ? theirs.status : 0, status)
      })
    )

  it.effect("does not start with what it could not decode", () =>
    Effect.gen(function* () {
      const Headed = HttpApi.make("test").add(
        HttpApiGroup.make("headed").add(
          HttpApiEndpoint.get("one", "/", { headers: { "x-one": Schema.String } })
        )
      )
      const headed = handlersOf(Headed, "headed", (all) => all.handle("one", () => Effect.void))
      const services = yield* Layer.build(headed)
      assert.throws(() => compileApi(Headed, services), /one: nothing here decodes its headers/)
      assert.throws(() => compileApi(Headed, Context.empty()), /one: nothing here answers it/)
      const told = handlersOf(Headed, "headed", (all) =>
        all.handle("one", () => Effect.void, { uninterruptible: true })
      )
      const cause = yield* Effect.flip(Effect.sandbox(Layer.build(told)))
      assert.match(Cause.pretty(cause), /one: nothing here heeds its options/)
    })
  )
})
