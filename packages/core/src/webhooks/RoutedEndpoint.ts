import { Schema } from "effect"
import type { Route } from "../accounts/RoutingTable.ts"
import { Endpoint } from "./Endpoint.ts"
import { present } from "../kernel/Present.ts"

/** An endpoint, and which events the account sends there; absent: all. */
export const RoutedEndpoint = Schema.Struct({
  endpoint: Endpoint,
  events: Schema.optionalKey(Schema.Array(Schema.String))
})
export type RoutedEndpoint = typeof RoutedEndpoint.Type

export const routed = (
  endpoint: Endpoint,
  route: Pick<Route, "events"> | undefined
): RoutedEndpoint => ({ endpoint, ...present({ events: route?.events }) })

const codec = Schema.fromJsonString(Schema.toCodecJson(RoutedEndpoint))

/** As text, to be answered again. Its secret is sealed in it. */
export const snapshotOf = Schema.encodeSync(codec)
export const fromSnapshot = Schema.decodeUnknownSync(codec)
