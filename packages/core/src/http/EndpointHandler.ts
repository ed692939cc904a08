import { Context, Effect, Layer } from "effect"
import type { HttpApi, HttpApiBuilder, HttpApiGroup } from "effect/http-api"

/** What answers the requests of an endpoint, of what was decoded of them, or of the request as it came (raw). */
export interface EndpointHandler {
  readonly answer: (request: object) => Effect.Effect<unknown, unknown>
  readonly isRaw: boolean
}

type Answer = EndpointHandler["answer"]

/** What `HttpApiBuilder.Handlers` is to whoever fills it, as far as our handlers need it. */
class Handlers {
  readonly byEndpoint = new Map<string, EndpointHandler>()

  handle(endpoint: string, answer: Answer, options?: object): this {
    return this.add(endpoint, { answer, isRaw: false }, options)
  }

  handleRaw(endpoint: string, answer: Answer, options?: object): this {
    return this.add(endpoint, { answer, isRaw: true }, options)
  }

  private add(endpoint: string, handler: EndpointHandler, options: object | undefined): this {
    if (options !== undefined) throw new Error(`${endpoint}: nothing here heeds its options.`)
    this.byEndpoint.set(endpoint, handler)
    return this
  }
}

type Build = (handlers: Handlers) => Handlers | Effect.Effect<Handlers, unknown, unknown>

/**
 * The handlers of a group, as `HttpApiBuilder.group` takes them, for `compileApi`. The framework would make routes of them
 * too, with codecs of each endpoint, for every service anew: nobody asks those, and they cost twice what all else of it does.
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
