import { Context, Effect, Layer, Schema } from "effect"
import { Uuid } from "../kernel/Ids.ts"
import type { UnitId } from "../kernel/Ids.ts"
import { refusedFor } from "../ports/DecideAgain.ts"
import { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"

const Environment = Schema.Literals(["sandbox", "production"])
type Environment = typeof Environment.Type

const Deployment = Schema.Struct({ environment: Environment })

/** A deployment is in one environment, so its row has a fixed id: 4 is the list of subscriptions. */
const deploymentId = Uuid.make("00000000-0000-7000-8000-000000000005")

const DeploymentKind: Kind.Kind<typeof Deployment.Type> = Kind.make({
  name: "deployment",
  table: "registry",
  schema: Deployment,
  columns: () => ({ id: deploymentId, account: deploymentId, wallet: null, status: "kept" })
})

/** What is stored belongs to the other environment. */
export class EnvironmentMismatch extends Schema.TaggedError<EnvironmentMismatch>()(
  "EnvironmentMismatch",
  { stored: Environment, configured: Environment }
) {
  override get message(): string {
    return `This database belongs to a ${this.stored} deployment and the PSP is a ${this.configured} one: give each environment a database of its own, so that play money and real money never meet.`
  }
}

/**
 * Keeps play money and real money apart: the environment of the first PSP that ran on a storage is the storage's for
 * good. A start with the other one fails, before any worker runs.
 */
export class EnvironmentKeeper extends Context.Service<EnvironmentKeeper, Environment>()(
  "@pagora/core/operator/EnvironmentKeeper"
) {
  static readonly layer: Layer.Layer<
    EnvironmentKeeper,
    EnvironmentMismatch | StorageError,
    Storage | PspDirectory | Ids | ServiceTime
  > = Layer.effect(
    EnvironmentKeeper,
    Effect.gen(function* () {
      const storage = yield* Storage
      const directory = yield* PspDirectory
      const ids = yield* Ids
      const time = yield* ServiceTime
      const configured = directory.find(directory.default)?.environment ?? "production"

      const find = storage.find(DeploymentKind, deploymentId)
      if ((yield* find) === undefined) {
        yield* storage
          .commit({
            id: yield* ids.next<UnitId>(),
            at: yield* time.now,
            inserts: [DeploymentKind.row({ environment: configured })]
          })
          .pipe(
            refusedFor("DuplicateKey"),
            // Another process was first: its environment is everybody's.
            Effect.catchTag("DuplicateKey", () => Effect.void)
          )
      }
      const stored = (yield* find)?.value.environment ?? configured
      if (stored !== configured) return yield* new EnvironmentMismatch({ stored, configured })
      return stored
    })
  )
}
