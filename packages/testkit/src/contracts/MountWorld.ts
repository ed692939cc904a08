import { memory, Pagora, PagoraError, StorageDriver } from "@pagora/core"
import type { PagoraInstance, PagoraOptions } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { Effect, Layer } from "effect"
import { calling } from "../RunningPagora.ts"
import type { HostTraits, MountStart, MountUnderTest } from "./MountUnderTest.ts"
import { sendRaw } from "./RawSocket.ts"

const secret = "a master secret that is long enough for every mount"

/** One limit that a law can meet, in the way of none of the others. */
const rateLimits = { endpoints: { "GET /projects": { requests: 1, seconds: 60 } } }

/** One memory for the service that is mounted and for who looks at it from beside, as a database would be. */
const sharedMemory = Effect.map(StorageDriver, (driver) => Layer.succeed(StorageDriver, driver))

/** The service as a host starts it, and a second process that sees the same data whatever happens to the first. */
const startBoth = async (options: Partial<PagoraOptions>) => {
  const storage = await Effect.runPromise(Effect.provide(sharedMemory, Layer.fresh(memory())))
  const common: PagoraOptions = {
    storage,
    secret,
    psp: sandbox({ settleAfter: "manual" }),
    rateLimits,
    logger: false
  }
  return {
    pagora: await Pagora.start({ ...common, ...options }),
    beside: await Pagora.start({ ...common, workers: false })
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
  const { prefix, proxies = [], traits } = options
  const mount = prefix.replace(/\/+$/, "")
  const { beside, pagora } = await startBoth({
    trustedProxies: proxies,
    ...(traits.isPrefixKept === true && mount !== "" ? { basePath: mount } : {})
  })
  const host = await start({ prefix, pagora })
  let stopping: Promise<void> | undefined
  const stopHost = () => (stopping ??= host.stop())
  const base = `http://127.0.0.1:${host.port}`
  const tenant = tenantsOf(beside, `${base}${mount}`)
  const shop = await tenant()
  return {
    traits,
    mount,
    tenant,
    stopHost,
    port: host.port,
    host: calling(base),
    api: calling(`${base}${mount}`),
    shop: shop.over,
    token: shop.token,
    raw: (pieces, how) => sendRaw(host.port, pieces, how),
    isThere: (ref) => isThere(beside, shop.id, ref),
    audit: async () => {
      const { ok, violations } = await beside.audit()
      if (!ok) throw new Error(`The audit failed: ${JSON.stringify(violations)}`)
    },
    stopPagora: pagora.stop,
    stop: async () => {
      await stopHost()
      await pagora.stop()
      await beside.stop()
    }
  }
}

const tenantsOf =
  (pagora: PagoraInstance, url: string): MountUnderTest["tenant"] =>
  async ({ allowedIps = [] } = {}) => {
    const { id } = await pagora.accounts.create({ name: "Loja de teste" })
    await pagora.accounts.adjust(id, { amount: 100, reason: "funds" })
    const { clientId, clientSecret } = await pagora.credentials.issue(id, {
      permissions: ["FULL_ACCESS"],
      allowedIps
    })
    const answer = await pagora.fetch(
      new Request("http://pagora.internal/auth", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ client_id: clientId, client_secret: clientSecret })
      })
    )
    const { access_token: token } = (await answer.json()) as { readonly access_token: string }
    return { id, clientId, clientSecret, token, over: calling(url, `Bearer ${token}`) }
  }

const isThere = async (pagora: PagoraInstance, account: string, ref: string): Promise<boolean> => {
  try {
    await pagora.transactions.find(account, ref)
    return true
  } catch (error) {
    if (error instanceof PagoraError && error.details["status"] === 404) return false
    throw error
  }
}
