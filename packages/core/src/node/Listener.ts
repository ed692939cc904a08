import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { App } from "../http/App.ts"

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Makes an app into a listener of Node's http server. Requests still running end with the scope. */
export const make = (app: App): Effect.Effect<Listener, never, Scope.Scope> =>
  Effect.flatMap(Effect.scope, (scope) => NodeHttpServer.makeHandler(app, { scope }))

/** What the HTTP framework needs on Node. */
export const services = NodeHttpServer.layerHttpServices
