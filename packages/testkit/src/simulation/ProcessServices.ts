import type { StorageDriverShape, WebhookTransport as Transport } from "@pagora/core"
import {
  Ids,
  inProcessApp,
  KeptPsps,
  operatorApp,
  OperatorKey,
  PspDirectory,
  QrCode,
  RateLimiter,
  Services,
  ServiceTime,
  Storage,
  StorageDriver,
  tenantApp,
  WebhookTransport
} from "@pagora/core"
import type { App } from "@pagora/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import type { Chance } from "../fuzz/Chance.ts"
import { simulatedSecrets } from "./SimulatedSecrets.ts"

/** What opens the operator's API of a simulated deployment. */
export const simulatedOperatorKey = "operator-key-of-simulations"

/** What a process of the service is given of what is outside of it. */
export interface Outside {
  readonly driver: StorageDriverShape
  readonly psps: PspDirectory["Service"]
  readonly transport: Transport["Service"]
  readonly chance: Chance
}

/** The APIs of a process. */
export class Apps extends Context.Service<
  Apps,
  {
    readonly tenant: App
    /** Behind the methods of `Pagora.start`, which act for the account that the program names. */
    readonly inProcess: App
    readonly operator: App
  }
>()("@pagora/testkit/simulation/Apps") {}

/** A picture costs more than all else of a charge, and no money hangs on it. */
const noPicture = Layer.succeed(QrCode, { png: () => Effect.succeed("") })

const apps = Layer.effect(
  Apps,
  Effect.gen(function* () {
    return {
      tenant: yield* tenantApp,
      inProcess: yield* inProcessApp,
      operator: yield* operatorApp
    }
  })
)

/** The whole service with what is outside of it; nothing of it works by itself yet. */
export const processServices = ({ chance, driver, psps, transport }: Outside) => {
  const base = Layer.mergeAll(
    ServiceTime.layer.pipe(
      Layer.provideMerge(Storage.layer()),
      Layer.provide(Layer.succeed(StorageDriver, driver))
    ),
    simulatedSecrets(chance),
    RateLimiter.layerOff,
    noPicture,
    HttpServer.layerServices,
    Layer.succeed(PspDirectory, psps),
    Layer.succeed(WebhookTransport, transport),
    Layer.succeed(OperatorKey, Redacted.make(simulatedOperatorKey))
  )
  return apps.pipe(
    Layer.provideMerge(Services.layer),
    Layer.provideMerge(KeptPsps.none),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(base)
  )
}

export type ProcessServices = Layer.Success<ReturnType<typeof processServices>>
