import {
  Credentials,
  EnvironmentKeeper,
  KeptPsps,
  Ids,
  operatorApp,
  OperatorKey,
  PspCredentialId,
  RateLimiter,
  Sandbox,
  SandboxRefundControls,
  sandboxApp,
  SandboxDirectory,
  SandboxPsp,
  Services,
  ServiceTime,
  Storage,
  tenantApp,
  Workers
} from "@pagora/core"
import type { App, StorageDriver } from "@pagora/core"
import {
  CertificateReaderNode,
  Listener,
  QrCodeNode,
  SecretsNode,
  WebhookTransportNode
} from "@pagora/core/node"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import type { Mount } from "../HttpListener.ts"
import { serve } from "../HttpListener.ts"
import { rateLimitSetting } from "../RateLimitSetting.ts"
import type { PlayedBank } from "./bank/PlayedBank.ts"
import { demoAccount } from "./DemoAccount.ts"
import type { DevKeys } from "./DevState.ts"

/** What a program needs to know of a running sandbox. The names are fixed: others read them. */
export interface DevFacts {
  readonly baseUrl: string
  readonly operatorUrl: string
  readonly operatorKey: string
  readonly sandboxUrl: string
  readonly accountId: string
  readonly clientId: string
  readonly clientSecret: string
}

/** The one PSP of a sandbox. Fixed, so that charges find their PSP again after a restart. */
const credential = PspCredentialId.make("00000000-0000-7000-8000-00000000005b")

const host = "127.0.0.1"

interface SandboxParts {
  readonly isManual: boolean
  readonly limiter: Layer.Layer<RateLimiter>
  readonly bank: PlayedBank | undefined
}

/** Everything of a sandbox but its HTTP server, over a storage. */
const sandbox = (storage: Layer.Layer<Storage>, keys: DevKeys, options: SandboxParts) => {
  const secret = SecretsNode.sandboxSecret(keys.secret)
  const settleAfter = options.isManual ? "manual" : "1 second"
  const simulated = SandboxPsp.layer({ credential, secret, settleAfter })
  const base = Layer.mergeAll(
    ServiceTime.layer.pipe(Layer.provideMerge(storage)),
    // A key of ours is always long enough.
    Layer.orDie(SecretsNode.layer({ secret: keys.secret })),
    options.limiter,
    WebhookTransportNode.layer({ allowLoopbackHttp: true }),
    QrCodeNode.layer,
    Listener.services,
    CertificateReaderNode.layer,
    Layer.succeed(OperatorKey, keys.operatorKey)
  )
  return Layer.mergeAll(
    Workers.running,
    // Nobody settles anything before there is somebody to tell.
    SandboxDirectory.settling.pipe(Layer.provide(SandboxDirectory.attachInbox(credential)))
  ).pipe(
    Layer.provideMerge(Sandbox.layer),
    Layer.provideMerge(SandboxRefundControls.layer),
    Layer.provideMerge(Services.layer),
    Layer.provideMerge(EnvironmentKeeper.layer),
    Layer.provideMerge(KeptPsps.none),
    Layer.provideMerge(SandboxDirectory.layer(credential)),
    Layer.provideMerge(options.bank?.layer ?? simulated),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(base)
  )
}

const mount = <E, R>(prefix: string, app: Effect.Effect<App, E, R>) =>
  Effect.map(Effect.flatMap(app, Listener.make), (listener): Mount => ({ prefix, listener }))

/**
 * Runs the whole service with the sandbox PSP until the scope closes, and answers what is needed to use it.
 * Each start issues a fresh credential of the demo account.
 */
export const dev = Effect.fnUntraced(function* <E, E2>(options: {
  readonly port: number
  readonly driver: Layer.Layer<StorageDriver, E>
  readonly keys: Effect.Effect<DevKeys, E2, Storage>
  /** Payouts and refunds settle only when the sandbox API says so. */
  readonly isManual: boolean
  /** Plays in the place of the simulated PSP. */
  readonly bank?: PlayedBank
}) {
  const built = yield* Layer.build(Storage.layer().pipe(Layer.provide(options.driver)))
  const storage = Layer.succeedContext(built)
  // Keys are written to a database of the sandbox only: whose this one is comes first.
  const at = yield* Context.get(built, Storage).clock.now
  yield* Effect.provide(EnvironmentKeeper.keep("sandbox", at), storage)
  const keys = yield* Effect.provide(options.keys, storage)
  const rateLimits = yield* rateLimitSetting
  const limiter = rateLimits === false ? RateLimiter.layerOff : RateLimiter.layerMemory(rateLimits)
  const { bank, isManual } = options
  const context = yield* Layer.build(sandbox(storage, keys, { isManual, limiter, bank }))

  return yield* Effect.gen(function* () {
    // Requests run in a scope that ends after the server's: it lets them be answered before.
    const requests = yield* Effect.flatMap(Effect.scope, (scope) => Scope.fork(scope))
    const mounts = yield* Effect.all([
      mount("/v2", tenantApp),
      mount("/operator/v1", operatorApp),
      mount("/sandbox/v1", sandboxApp)
    ]).pipe(Scope.provide(requests))
    const port = yield* serve({ host, port: options.port, mounts })
    if (bank !== undefined) yield* bank.callBack(credential, mounts[0].listener)
    const account = yield* demoAccount
    const credentials = yield* Credentials
    const issued = yield* credentials.issue(account, {
      permissions: ["FULL_ACCESS"],
      subAccountAccess: true
    })
    const url = `http://${host}:${port}`
    return {
      baseUrl: `${url}/v2`,
      operatorUrl: `${url}/operator/v1`,
      operatorKey: Redacted.value(keys.operatorKey),
      sandboxUrl: `${url}/sandbox/v1`,
      accountId: account.id,
      clientId: issued.credential.id,
      clientSecret: Redacted.value(issued.secret)
    } satisfies DevFacts
  }).pipe(Effect.provideContext(context))
})
