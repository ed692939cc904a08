import { HttpApi } from "effect/http-api"
import type { PlacesOf } from "./PromiseCall.ts"

/** Where each endpoint of an API is, as its value tells it. */
export const placesOf = <A extends HttpApi.Constraint>(api: A): PlacesOf<A> => {
  const places: Record<string, Record<string, string>> = {}
  HttpApi.reflect(api as unknown as HttpApi.Top, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => {
      const endpoints = (places[group.identifier] ??= {})
      endpoints[endpoint.identifier] = `${endpoint.method} ${endpoint.path}`
    }
  })
  return places as PlacesOf<A>
}
