import { layerMemory, tenantApp, TrustedProxies } from "@pagora/core"
import { Listener } from "@pagora/core/node"
import type { Mountable } from "@pagora/core/node"
import { Effect, Exit, Layer, Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { RecordingTransport } from "../RecordingTransport.ts"
import { calling } from "../RunningPagora.ts"
import { layerPagora, TestPagora } from "../TestPagora.ts"
import type { TenantOptions } from "../TestPagora.ts"
import type { HostTraits, MountStart, MountUnderTest } from "./MountUnderTest.ts"
import { sendRaw } from "./RawSocket.ts"

/** What a host gets of the service. */
export interface MountablePagora extends Mountable {
  readonly fetch: (request: Request) => Promise<Response>
}

/** The whole service over memory, as a host would hold it. */
const startPagora = async (proxies: ReadonlyArray<string>) => {
  const scope = Scope.makeUnsafe()
  const requests = Scope.forkUnsafe(scope)
  const service = layerPagora(Layer.fresh(layerMemory), Layer.fresh(RecordingTransport.layer)).pipe(
    Layer.provideMerge(Layer.succeed(TrustedProxies, proxies))
  )
  const context = await Effect.runPromise(Layer.buildWithScope(service, scope))
  const run = Effect.runPromiseWith(context)
  const app = await run(Scope.provide(tenantApp, scope))
  const listener = await run(Scope.provide(Listener.make(app), requests))
  const fetch = (request: Request) =>
    run(
      Effect.scoped(
        Effect.map(
          Effect.provideService(
            app,
            HttpServerRequest.HttpServerRequest,
            HttpServerRequest.fromWeb(request)
          ),
          (response) => HttpServerResponse.toWeb(response)
        )
      ),
      { signal: request.signal }
    )
  return {
    pagora: { fetch, listener } satisfies MountablePagora,
    run,
    stopRequests: () => run(Scope.close(requests, Exit.void)),
    stop: () => run(Scope.close(scope, Exit.void))
  }
}

/** Mounts a service of its own in a host. */
export const startMount = async (
  start: MountStart,
  options: {
    readonly traits: HostTraits
    readonly prefix: string
    readonly proxies?: ReadonlyArray<string>
  }
): Promise<MountUnderTest> => {
  const service = await startPagora(options.proxies ?? [])
  const { run } = service
  const host = await start({ prefix: options.prefix, pagora: service.pagora })
  let stopping: Promise<void> | undefined
  const stopHost = () => (stopping ??= host.stop())
  const mount = options.prefix.replace(/\/+$/, "")
  const base = `http://127.0.0.1:${host.port}`
  const pagora = await run(TestPagora)

  const tokenOf = async (pair: { readonly clientId: string; readonly clientSecret: string }) => {
    const body = { client_id: pair.clientId, client_secret: pair.clientSecret }
    const { json } = await run(pagora.api("POST", "/auth", { body }))
    return String(json["access_token"])
  }
  const tenant = async (wanted: TenantOptions = {}) => {
    const made = await run(pagora.tenant(wanted))
    const body = { amount: 100, reason: "funds" }
    await run(pagora.operator("POST", `/accounts/${made.id}/adjustments`, { body }))
    const token = await tokenOf(made)
    return { ...made, token, over: calling(`${base}${mount}`, `Bearer ${token}`) }
  }
  const shop = await tenant()
  return {
    traits: options.traits,
    mount,
    port: host.port,
    host: calling(base),
    api: calling(`${base}${mount}`),
    shop: shop.over,
    token: shop.token,
    tenant,
    raw: (pieces, how) => sendRaw(host.port, pieces, how),
    isThere: async (ref) => (await run(shop.call("GET", `/transactions/${ref}`))).status !== 404,
    audit: async () => {
      const { json, text } = await run(pagora.operator("GET", "/audit"))
      if (String(json["ok"]) !== "true") throw new Error(`The audit failed: ${text}`)
    },
    stopPagora: service.stopRequests,
    stopHost,
    stop: async () => {
      await stopHost()
      await service.stop()
    }
  }
}
