import type { Schema, SchemaAST } from "effect"
import { Context, Effect, Option, Schema as Schemas } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup, HttpApiSecurity } from "effect/http-api"
import {
  HttpApi,
  HttpApiBuilder,
  HttpApiError,
  HttpApiMiddleware,
  HttpApiSchema
} from "effect/http-api"
import { Recent } from "../kernel/Recent.ts"
import type { EndpointHandler } from "./EndpointHandler.ts"
import { handlerIn } from "./EndpointHandler.ts"
import { unknownField } from "./Invalid.ts"

/** What the router found in the address of a request. */
export class RouteFound extends Context.Service<
  RouteFound,
  {
    readonly params: Readonly<Record<string, string | undefined>>
    readonly searchParams: Readonly<Record<string, string | ReadonlyArray<string>>>
  }
>()("@pagora/core/http/RouteFound") {}

type Answer = HttpServerResponse.HttpServerResponse

/** What answers the requests of an endpoint: its middlewares, its handler, and what encodes what comes out of them. */
export type Answering = Effect.Effect<
  Answer,
  unknown,
  HttpServerRequest.HttpServerRequest | RouteFound
>

/** What comes after an endpoint, as an effect that is made once. */
export type Ending = (answering: Answering, endpoint: HttpApiEndpoint.Top) => Answering

interface Place {
  readonly group: HttpApiGroup.Top
  readonly endpoint: HttpApiEndpoint.Top
}
type Inner = Effect.Effect<unknown, unknown>
type Wrap = (inner: Inner, options: Place & { readonly credential?: unknown }) => Inner

/**
 * The endpoints of an API as effects that are made once: what `HttpApiBuilder.layer` makes, without a router of its own
 * and without putting two contexts together for each request (decision 0086). It knows what our contracts use:
 * parameters, queries, JSON, answers without content, and raw handlers. What else an endpoint declares ends the start.
 *
 * @param ending What is done with the answers of an endpoint before they go out.
 */
export const compileApi = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  services: Context.Context<never>,
  ending: Ending = (answering) => answering
): ReadonlyMap<HttpApiEndpoint.Top, Answering> =>
  new Map(
    codecsOf(api).map((codecs) => {
      const { errors, middleware, place } = codecs
      const encodeError = encoderOf(errors)
      const { endpoint } = place
      const { answer, isRaw } = handlerOf(place, services)
      if (endpoint.headers !== undefined || (endpoint.payload.size > 0 && !isRaw))
        throw new Error(`${endpoint.identifier}: nothing here decodes its headers or payload.`)
      const answering = wrapped(handled(codecs, answer), place, middleware, services).pipe(
        Effect.withErrorReporting,
        Effect.catch((error) =>
          HttpApiError.HttpApiSchemaError.is(error)
            ? Effect.die(error)
            : Effect.orDie(encodeError(error))
        )
      )
      return [endpoint, ending(answering as Answering, endpoint)]
    })
  )

/** What an endpoint says of itself, whoever answers it. */
interface Codecs {
  readonly place: Place
  readonly middleware: ReadonlySet<HttpApiMiddleware.AnyService>
  readonly decodeParams: Decoder
  readonly decodeQuery: Decoder
  readonly successes: ReadonlyArray<Encoder>
  readonly errors: ReadonlyArray<Encoder>
}

const known = new WeakMap<object, ReadonlyArray<Codecs>>()

/** Made once for an API, however many services of a process answer it. */
const codecsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Codecs> => {
  const before = known.get(api)
  if (before !== undefined) return before
  const made: Array<Codecs> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, errors, group, mergedAnnotations, middleware, successes }) => {
      const { params, query } = endpoint
      const options = Option.getOrUndefined(
        Context.getOption(mergedAnnotations, HttpApi.ParseOptions)
      )
      made.push({
        place: { endpoint, group },
        middleware,
        decodeParams: decoderOf("Params", params),
        decodeQuery: decoderOf(
          "Query",
          query ? Schemas.toCodecArrayFromSingle(query) : takesNothing(options),
          options
        ),
        successes: encodersOf(successes),
        errors: encodersOf(errors)
      })
    }
  })
  known.set(api, made)
  return made
}

const handlerOf = ({ endpoint, group }: Place, services: Context.Context<never>) => {
  const handler = handlerIn(services, group.key, endpoint.identifier)
  if (handler === undefined) throw new Error(`${endpoint.identifier}: nothing here answers it.`)
  return handler
}

/** The handler between what it is given and what is made of its answer. */
const handled = (
  { decodeParams, decodeQuery, place, successes }: Codecs,
  answering: EndpointHandler["answer"]
): Inner => {
  const encode = encoderOf(successes)
  const answer = (value: unknown): Inner =>
    HttpServerResponse.isHttpServerResponse(value)
      ? Effect.succeed(value)
      : Effect.mapErrorEager(encode(value), (cause) => schemaError("Body", cause))
  return Effect.withFiber((fiber) => {
    const context = fiber.context as Context.Context<
      HttpServerRequest.HttpServerRequest | RouteFound
    >
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const found = Context.get(context, RouteFound)
    const given = Effect.flatMapEager(decodeParams(found.params), (decoded) =>
      Effect.mapEager(decodeQuery(found.searchParams), (asked) => ({
        ...place,
        request,
        params: decoded,
        query: asked
      }))
    )
    return Effect.flatMap(Effect.flatMapEager(given, answering), answer)
  })
}

const wrapped = (
  inner: Inner,
  place: Place,
  middlewares: ReadonlySet<HttpApiMiddleware.AnyService>,
  services: Context.Context<never>
): Inner =>
  [...middlewares].reduce((within, key) => {
    const service: unknown = Context.getUnsafe(services as Context.Context<unknown>, key)
    if (!HttpApiMiddleware.isSecurity(key)) return (service as Wrap)(within, place)
    const [entry, ...others] = Object.entries(key.security)
    if (entry === undefined || others.length > 0)
      throw new Error(`${key.key}: one way to prove who calls is known here, not several.`)
    const [name, scheme] = entry
    const secure = (service as Readonly<Record<string, Wrap>>)[name] as Wrap
    return Effect.flatMap(credentialOf(scheme), (credential) =>
      secure(within, { ...place, credential })
    ) as Inner
  }, inner)

/** Headers of which is remembered what they prove: to hide a text costs more than to find it again. */
const provedMax = 1_000
const provedLengthMax = 1_024

/** What a request proves who calls with, made of the same header once. */
const credentialOf = (scheme: HttpApiSecurity.HttpApiSecurity): Inner => {
  const decode: Effect.Effect<unknown, unknown, unknown> = HttpApiBuilder.securityDecode(scheme)
  if (scheme._tag !== "Http") return decode as Inner
  const proved = new Recent<string, unknown>(provedMax)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { authorization } }) => {
    if (authorization === undefined || authorization.length > provedLengthMax) return decode
    const known = proved.get(authorization)
    return known === undefined
      ? Effect.tap(decode, (credential) => Effect.sync(() => proved.set(authorization, credential)))
      : Effect.succeed(known)
  }) as Inner
}

const schemaError = (
  kind: HttpApiError.HttpApiSchemaError["kind"],
  cause: Schema.SchemaError
): HttpApiError.HttpApiSchemaError => new HttpApiError.HttpApiSchemaError({ kind, cause })

const nothing = () => Effect.undefined

/** The query of an endpoint that has none, where nothing unknown is taken; elsewhere nobody looks at it. */
const takesNothing = (options: SchemaAST.ParseOptions | undefined): Schema.Top | undefined =>
  options?.onExcessProperty === "error" ? noQuery : undefined

const noQuery = Schemas.Record(Schemas.String, Schemas.Unknown).check(
  Schemas.makeFilter((query: Readonly<Record<string, unknown>>) => {
    const [first] = Object.keys(query)
    return first === undefined ? undefined : { path: [first], issue: unknownField([]) }
  })
)

type Decoder = (input: unknown) => Inner

const decoderOf = (
  kind: "Params" | "Query",
  schema: Schema.Top | undefined,
  options?: SchemaAST.ParseOptions
): Decoder => {
  if (schema === undefined) return nothing
  const decode = Schemas.decodeUnknownEffect(schema as Schema.Codec<unknown, unknown>, options)
  return (input) => Effect.mapErrorEager(decode(input), (cause) => schemaError(kind, cause))
}

type Encoder = (value: unknown) => Effect.Effect<Answer, Schema.SchemaError>
type ByStatus = ReadonlyMap<number, ReadonlyArray<Schema.Top>>

const encodersOf = (schemas: ByStatus): ReadonlyArray<Encoder> =>
  [...schemas].flatMap(([status, all]) => all.map((schema) => encoderOfOne(status, schema)))

/**
 * Makes a value into an answer by the first of the schemas that takes it. Values of a class stay with the schema that took
 * the first of them, so that not every error asks the schemas of all errors before its own. Each service learns that by
 * itself: what one has answered changes no step of another, and a simulated seed is the same whatever ran before it.
 */
const encoderOf = (encoders: ReadonlyArray<Encoder>): Encoder => {
  const known = new Map<unknown, Encoder>()
  const tried = (value: unknown, kind: unknown, index: number): ReturnType<Encoder> => {
    const encode = encoders[index]
    if (encode === undefined) return Effect.die(new Error("No schema takes this answer."))
    return Effect.matchEffect(encode(value), {
      onSuccess: (answer) => {
        if (kind !== undefined) known.set(kind, encode)
        return Effect.succeed(answer)
      },
      onFailure: (error) =>
        index + 1 < encoders.length ? tried(value, kind, index + 1) : Effect.fail(error)
    })
  }
  const [only] = encoders
  if (only !== undefined && encoders.length === 1) return only
  return (value) => {
    const kind = classOf(value)
    return known.get(kind)?.(value) ?? tried(value, kind, 0)
  }
}

/** The class of a value, where it has one of its own. */
const classOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return undefined
  const { constructor } = value
  return constructor === Object || constructor === Array ? undefined : constructor
}

const encoderOfOne = (status: number, schema: Schema.Top): Encoder => {
  const encode = Schemas.encodeUnknownEffect(schema as Schema.Codec<unknown, unknown>)
  const empty = HttpServerResponse.empty({ status })
  const isEmpty = HttpApiSchema.isNoContent(schema.ast)
  return (value) =>
    Effect.mapEager(encode(value), (body) =>
      isEmpty || body === undefined
        ? empty
        : HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json" })
    )
}
