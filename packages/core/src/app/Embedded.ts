import {
  Context,
  Duration,
  Effect,
  Layer,
  Logger,
  Metric,
  Redacted,
  References,
  Result
} from "effect"
import { DefaultPspRules } from "../accounts/DefaultPspRules.ts"
import { HttpServer } from "effect/http"
import type { App } from "../http/App.ts"
import { TrustedProxies } from "../http/ClientAddress.ts"
import { ContractApi } from "../contract/ContractApi.ts"
import { Unserved } from "../http/Paths.ts"
import { CertificateHeader } from "../http/Sender.ts"
import { OperatorKey } from "../admission/OperatorAuthorization.ts"
import { inProcessApp, operatorApp, sandboxApp, tenantApp } from "./Routes.ts"
import { PspCredentialId } from "../kernel/Ids.ts"
import type { Listener } from "../node/Listener.ts"
import { EnvironmentKeeper } from "../operator/EnvironmentKeeper.ts"
import { tellLostPsps } from "../operator/LostPsps.ts"
import { measureCertificates, tellPspFindings } from "../operator/PspChecks.ts"
import { PagoraError } from "./PagoraError.ts"
import type { LogEntry, PagoraOptions } from "./PagoraOptions.ts"
import { faultOf } from "./PagoraOptions.ts"
import { offering } from "./Offering.ts"
import { KeptPsps } from "../psp-vault/KeptPsps.ts"
import { pspsOf } from "./PspsOf.ts"
import { isSandbox } from "./PspOptions.ts"
import { readPspRules } from "./PspRuleOptions.ts"
import { Ids } from "../time/Ids.ts"
import { defaultRateLimits, RateLimiter } from "../http/RateLimiter.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { StorageDriver } from "../ports/StorageDriver.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import type { SandboxSetup } from "../sandbox/index.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as SandboxDirectory from "../sandbox/SandboxDirectory.ts"
import { SandboxPsp } from "../sandbox-psp/SandboxPsp.ts"
import { SandboxRefundControls } from "../sandbox/SandboxRefundControls.ts"
import * as Services from "./Services.ts"
import { guardedLogger, hostLogger } from "../telemetry/LogGuarder.ts"
import { DeliveriesKept, deliveriesKeptDays } from "../workers/DeliveriesKept.ts"
import { ServiceClock } from "../workers/ServiceClock.ts"
import { Workers } from "../workers/Workers.ts"

/** The APIs of a service, ready to answer. */
export class Served extends Context.Service<
  Served,
  {
    readonly tenant: App
    readonly inProcess: App
    readonly operator: App
    /** Only with the sandbox PSP. */
    readonly sandbox: App | undefined
    /** What the operator's API is opened with. */
    readonly operatorKey: Redacted.Redacted
    /** Only where `@effect/platform-node` is installed. */
    readonly listener: Listener | undefined
  }
>()("@pagora/core/app/Served") {}

/** What can be reached of a service that is embedded. */
export type Embedded = Services.Services | Services.Ports | Served | EnvironmentKeeper

/** The one PSP of a sandbox. Fixed, so that charges find their PSP again after a restart. */
const sandboxCredential = PspCredentialId.make("00000000-0000-7000-8000-00000000005b")

/** What can be reached beside it with `psp: sandbox()`: the hands of the payer and of the bank. */
export type Simulated = Sandbox | SandboxPsp | SandboxRefundControls

/** With `psp: sandbox()`, the service and the simulated world around it. */
export interface MakeLayer {
  (
    options: PagoraOptions & { readonly psp: SandboxSetup }
  ): Layer.Layer<Embedded | Simulated, PagoraError>
  (options: PagoraOptions): Layer.Layer<Embedded, PagoraError>
}

/** The whole service by options; workers run from the layer's start to its end, unless they are off. */
export const layer: MakeLayer = (options: PagoraOptions) => {
  const fault = faultOf(options)
  const made =
    fault === undefined
      ? Layer.unwrap(Effect.map(nodeParts, (parts) => assemble(options, parts)))
      : failing(new PagoraError("INVALID_CONFIGURATION", fault))
  // Which of the two it is, the options say.
  return made as Layer.Layer<Embedded | Simulated, PagoraError>
}

/** Loaded when a service starts, so that the rest of the package runs where Node does not. */
const nodeParts = Effect.gen(function* () {
  const { runningNodeFault } = yield* Effect.promise(() => import("../node/NodeVersion.ts"))
  const tooOld = runningNodeFault()
  if (tooOld !== undefined) return yield* Effect.fail(new PagoraError("CANNOT_START", tooOld))
  return yield* Effect.promise(loadNodeParts)
})

const loadNodeParts = async () => {
  const [secrets, qrCode, transport, certificates] = await Promise.all([
    import("../node/SecretsNode.ts"),
    import("../node/QrCodeNode.ts"),
    import("../node/WebhookTransportNode.ts"),
    import("../node/CertificateReaderNode.ts")
  ])
  // Its optional peer may not be there; hosts that speak fetch do without.
  const listener = await import("../node/Listener.ts").catch(() => undefined)
  return { secrets, qrCode, transport, certificates, listener }
}
type NodeParts = Effect.Success<typeof nodeParts>

const assemble = (options: PagoraOptions, parts: NodeParts) => {
  const { psp, pspProviders = {}, workers = true } = options
  const kept = KeptPsps.layer(pspProviders)
  const telling = Layer.mergeAll(
    Layer.effectDiscard(tellLostPsps),
    Layer.effectDiscard(tellPspFindings),
    Layer.effectDiscard(measureCertificates)
  )
  const running = workers
    ? Layer.merge(Workers.running, telling)
    : Layer.merge(ServiceClock.following, telling)
  const whole = isSandbox(psp)
    ? Layer.mergeAll(served(parts, sandboxApp), running, workers ? settling : inbox).pipe(
        Layer.provideMerge(Layer.mergeAll(Sandbox.layer, SandboxRefundControls.layer)),
        Layer.provideMerge(Services.layer),
        Layer.provideMerge(EnvironmentKeeper.layer),
        Layer.provideMerge(kept),
        Layer.provide(SandboxDirectory.layer(sandboxCredential)),
        Layer.provideMerge(simulatedPsp(options, parts, psp))
      )
    : Layer.mergeAll(served(parts, undefined), running).pipe(
        Layer.provideMerge(Services.layer),
        Layer.provideMerge(EnvironmentKeeper.layer),
        Layer.provideMerge(kept),
        Layer.provide(pspsOf(psp))
      )
  const complete: Layer.Layer<Embedded, unknown> = whole.pipe(
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(portsOf(options, parts))
  )
  return Layer.catch(complete, (error) => failing(cannotStart(error)))
}

const failing = (error: PagoraError): Layer.Layer<Embedded, PagoraError> =>
  Layer.effectContext(Effect.fail(error))

/** Whatever went wrong at the start, as what a host is told. */
export const cannotStart = (error: unknown): PagoraError =>
  error instanceof PagoraError
    ? error
    : new PagoraError(
        "CANNOT_START",
        error instanceof Error ? error.message : String(error),
        {},
        { cause: error }
      )

const inbox = SandboxDirectory.attachInbox(sandboxCredential)
/** Nobody settles anything before there is somebody to tell. */
const settling = SandboxDirectory.settling.pipe(Layer.provide(inbox))

const secretOf = ({ secret }: PagoraOptions, { secrets }: NodeParts) =>
  secret === undefined || secret === ""
    ? secrets.freshSecret
    : Effect.succeed(Redacted.make(secret))

const simulatedPsp = (options: PagoraOptions, parts: NodeParts, setup: SandboxSetup) =>
  Layer.unwrap(
    Effect.map(secretOf(options, parts), (secret) =>
      SandboxPsp.layer({
        credential: sandboxCredential,
        secret: parts.secrets.sandboxSecret(secret),
        settleAfter: setup.settleAfter
      })
    )
  )

const portsOf = (options: PagoraOptions, parts: NodeParts) => {
  const { formerSecrets = [], operatorKey, rateLimits = defaultRateLimits } = options
  const secrets = Layer.unwrap(
    Effect.map(secretOf(options, parts), (secret) =>
      parts.secrets.layer({ secret, former: formerSecrets.map((former) => Redacted.make(former)) })
    )
  )
  return Layer.mergeAll(
    ServiceTime.layer.pipe(
      Layer.provideMerge(Storage.layer()),
      Layer.provide(offering(StorageDriver, options.storage, "storage", "StorageDriver"))
    ),
    secrets,
    rateLimits === false ? RateLimiter.layerOff : RateLimiter.layerMemory(rateLimits),
    offering(
      WebhookTransport,
      options.transport ?? parts.transport.layer(),
      "transport",
      "WebhookTransport"
    ),
    parts.qrCode.layer,
    HttpServer.layerServices,
    Layer.succeed(TrustedProxies, options.trustedProxies ?? []),
    Layer.succeed(CertificateHeader, options.clientCertificateHeader),
    parts.certificates.layer,
    Layer.succeed(
      DeliveriesKept,
      Duration.days(options.deliveriesKeptDays ?? deliveriesKeptDays.default)
    ),
    Layer.succeed(
      DefaultPspRules,
      Result.getOrElse(readPspRules(options.pspRules ?? []), () => [])
    ),
    Layer.succeed(Unserved, new Set(options.docs === false ? [ContractApi.identifier] : [])),
    Layer.effect(
      OperatorKey,
      operatorKey === undefined
        ? parts.secrets.freshSecret
        : Effect.succeed(Redacted.make(operatorKey))
    )
  )
}

/** `simulated` is the sandbox's API, or nothing. */
const served = <E = never, R = never>(
  { listener }: NodeParts,
  simulated: Effect.Effect<App, E, R> | undefined
) =>
  Layer.effect(
    Served,
    Effect.gen(function* () {
      const tenant = yield* tenantApp
      return Served.of({
        tenant,
        inProcess: yield* inProcessApp,
        operator: yield* operatorApp,
        sandbox: simulated === undefined ? undefined : yield* simulated,
        operatorKey: yield* OperatorKey,
        listener: listener === undefined ? undefined : yield* listener.make(tenant)
      })
    })
  )

/** Where log entries of an embedded service go. Effect users bring their own loggers. */
const loggerOf = ({ logger }: PagoraOptions): Layer.Layer<never> => {
  if (logger === false) return Logger.layer([])
  if (logger === undefined)
    return Layer.merge(
      Logger.layer([guardedLogger(Logger.withConsoleError(Logger.formatJson))]),
      Layer.succeed(References.MinimumLogLevel, "Warn")
    )
  const toEntries = Logger.map(
    Logger.formatStructured,
    ({ annotations, cause, level, message, timestamp }) => {
      const entry: LogEntry = { level, message, timestamp, annotations, cause }
      logger(entry)
    }
  )
  return Logger.layer([hostLogger(toEntries)])
}

/**
 * What a service that is started by itself is observed by: its logger, its exports, and metrics of its own, so that two
 * services in one process are told apart.
 */
export const observing = (options: PagoraOptions): Layer.Layer<never, PagoraError> =>
  (options.telemetry?.layer ?? Layer.empty).pipe(
    Layer.provideMerge(
      Layer.merge(loggerOf(options), Layer.succeed(Metric.MetricRegistry, new Map()))
    )
  )
