import { Context, Effect, Layer } from "effect"
import type { HttpApi, HttpApiBuilder, HttpApiGroup } from "effect/http-api"

/** What answers the requests of an endpoint, of what was decoded of them, or of the request as it came (raw). */
export interface EndpointHandler {
  readonly answer: (request: object) => Effect.Effect<unknown, unknown>
  readonly isRaw: boolean
}

/** What `HttpApiBuilder.Handlers` is to whoever fills it, and nothing besides. */
class Handlers {
  readonly byEndpoint = new Map<string, EndpointHandler>()

  handle(endpoint: string, answer: EndpointHandler["answer"]): this {
    this.byEndpoint.set(endpoint, { answer, isRaw: false })
    return this
  }

  handleRaw(endpoint: string, answer: EndpointHandler["answer"]): this {
    this.byEndpoint.set(endpoint, { answer, isRaw: true })
    return this
  }
}

type Build = (handlers: Handlers) => Handlers | Effect.Effect<Handlers, unknown, unknown>

/**
 * The handlers of a group, as `HttpApiBuilder.group` takes them, for `compileApi`. The framework would make routes of them
 * too, with codecs of each endpoint, for every service anew: nobody asks those, and they are a third of what a start costs.
 */
export const handlersOf = ((
  api: HttpApi.HttpApi<string, HttpApiGroup.Constraint>,
  identifier: string,
  build: Build
) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const built = build(new Handlers())
      const { byEndpoint } = Effect.isEffect(built) ? yield* built : built
      const key = Context.Service<ReadonlyMap<string, EndpointHandler>>(
        (api.groups[identifier] as HttpApiGroup.Top).key
      )
      return Context.make(key, byEndpoint)
    })
  )) as unknown as typeof HttpApiBuilder.group

/** What `handlersOf` has left for an endpoint; undefined where nothing answers it. */
export const handlerIn = (
  services: Context.Context<never>,
  group: string,
  endpoint: string
): EndpointHandler | undefined =>
  (services.mapUnsafe.get(group) as ReadonlyMap<string, EndpointHandler> | undefined)?.get(endpoint)
