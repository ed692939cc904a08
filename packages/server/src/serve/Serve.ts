import type { App } from "@pagora/core"
import { EnvironmentKeeper, HealthChecks, metricsApp, Pagora, Served } from "@pagora/core"
import { Listener, WebhookTransportNode } from "@pagora/core/node"
import { postgres } from "@pagora/postgres"
import { Effect, Layer, Redacted, Scope } from "effect"
import type { ConnectionLimits, Mount } from "../HttpListener.ts"
import { serve } from "../HttpListener.ts"
import { bankProviders } from "./BankProviders.ts"
import type { ServeConfig } from "./ServeConfig.ts"
import { healthMount } from "./HealthListener.ts"
import { Misconfigured } from "./Settings.ts"
import { makeProcessMetrics } from "./ProcessMetrics.ts"
import { sessionsOf } from "./SessionSettings.ts"
import type { Settings } from "./Settings.ts"

/** Where a deployment answers. */
export interface ServeFacts {
  readonly environment: "sandbox" | "production"
  /** The tenants' API; absent where only workers run. */
  readonly baseUrl?: string
  /** The probes, and the operator's API where there is a key for it. */
  readonly operatorUrl: string
}

/** Who calls the probes and the operator's API does not need long. */
const operatorDrainMillis = 2_000

/**
 * Runs the service for real until the scope closes: the tenants' API on one listener, and on another one, which is not
 * for the public, the probes, the metrics and the operator's API. When the scope closes, it first says for a while that it is not
 * ready, so that load balancers look elsewhere; then it takes no new connections, ends the requests that run, and last
 * of all the workers (decision 0045).
 */
export const serveDeployment = Effect.fnUntraced(function* (
  settings: Settings,
  config: ServeConfig
) {
  const context = yield* Layer.build(Pagora.layer(optionsOf(settings, config)))
  return yield* Effect.gen(function* () {
    const served = yield* Served
    const health = yield* HealthChecks
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    let isDraining = false
    // Requests run in a scope that ends after the listeners': it lets them be answered before.
    const requests = yield* Effect.flatMap(Effect.scope, (scope) => Scope.fork(scope))
    const mount = (prefix: string, app: App | undefined) =>
      app === undefined
        ? Effect.succeed<ReadonlyArray<Mount>>([])
        : Effect.map(Scope.provide(Listener.make(app), requests), (listener) => [
            { prefix, listener: leaving(listener, () => isDraining) }
          ])
    const isOpen = settings.operatorKey !== undefined
    const operatorUrl = yield* listen(settings, "operator", [
      healthMount(() => run(health.check)),
      ...(yield* mount("/metrics", Effect.andThen(makeProcessMetrics(), yield* metricsApp))),
      ...(yield* mount("/operator/v1", isOpen ? served.operator : undefined)),
      ...(yield* mount("/sandbox/v1", isOpen ? served.sandbox : undefined))
    ])
    const url = settings.api
      ? yield* listen(settings, "api", yield* mount(settings.basePath, served.tenant))
      : undefined
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        isDraining = true
        yield* health.drain
        yield* Effect.logInfo("Stopping: no longer ready, requests are still answered.")
        yield* Effect.sleep(`${settings.drainSeconds} seconds`)
      })
    )
    return {
      environment: yield* EnvironmentKeeper,
      ...(url === undefined ? {} : { baseUrl: `${url}${settings.basePath}` }),
      operatorUrl
    } satisfies ServeFacts
  }).pipe(Effect.provideContext(context))
})

const optionsOf = (settings: Settings, config: ServeConfig) => ({
  storage: postgres({
    url: settings.databaseUrl,
    schema: settings.schema,
    poolMax: settings.poolSize,
    ...sessionsOf(settings),
    migrate: settings.migrate
  }),
  psp: config.psp,
  pspProviders: { ...bankProviders, ...config.pspProviders },
  pspRules: settings.pspRules,
  secret: Redacted.value(settings.secret),
  formerSecrets: settings.formerSecrets.map((secret) => Redacted.value(secret)),
  transport: config.transport ?? WebhookTransportNode.layer({ ports: settings.webhookPorts }),
  workers: settings.workers,
  rateLimits: settings.rateLimits,
  deliveriesKeptDays: settings.deliveriesKeptDays,
  trustedProxies: settings.trustedProxies,
  clientCertificateHeader: settings.clientCertificateHeader,
  docs: settings.docs,
  ...(settings.operatorKey === undefined
    ? {}
    : { operatorKey: Redacted.value(settings.operatorKey) })
})

const listen = (settings: Settings, which: "api" | "operator", mounts: ReadonlyArray<Mount>) => {
  const [host, port, prefix, drainMillis] =
    which === "api"
      ? ([settings.host, settings.port, "PAGORA", undefined] as const)
      : ([
          settings.operatorHost,
          settings.operatorPort,
          "PAGORA_OPERATOR",
          operatorDrainMillis
        ] as const)
  const limits: ConnectionLimits = {
    maxConnections: settings.connectionsMax,
    headersMillis: settings.headersSeconds * 1_000,
    requestMillis: settings.requestSeconds * 1_000,
    answerMillis: settings.answerSeconds * 1_000
  }
  return serve({
    host,
    port,
    mounts,
    limits,
    ...(drainMillis === undefined ? {} : { drainMillis })
  }).pipe(
    Effect.map((bound) => `http://${host.includes(":") ? `[${host}]` : host}:${bound}`),
    Effect.mapError(
      ({ reason }) =>
        new Misconfigured({
          faults: [
            reason === "EADDRINUSE"
              ? `Port ${port} of ${host} is in use: set ${prefix}_PORT to another one.`
              : `Port ${port} of ${host} cannot be listened on (${reason}): change ${prefix}_HOST or ${prefix}_PORT.`
          ]
        })
    )
  )
}

/** Asks clients to open their next connection anew while the process is going away: somewhere else, that is. */
const leaving =
  (listener: Mount["listener"], isDraining: () => boolean): Mount["listener"] =>
  (request, response) => {
    if (isDraining()) response.shouldKeepAlive = false
    listener(request, response)
  }
