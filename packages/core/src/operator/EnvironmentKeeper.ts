import type { DateTime } from "effect"
import { Context, Effect, Layer, Schema } from "effect"
import { Uuid } from "../kernel/Ids.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import * as Kind from "../units/Kind.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Secrets } from "../ports/Secrets.ts"
import type { SecretMismatch } from "./SecretKeeper.ts"
import { keepSecret } from "./SecretKeeper.ts"

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

/** Some of the configured PSPs play, and some move money. */
export class EnvironmentsMixed extends Schema.TaggedError<EnvironmentsMixed>()(
  "EnvironmentsMixed",
  { sandbox: Schema.Array(Schema.String), production: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const { production, sandbox } = this
    return `psp has sandbox and production PSPs: ${sandbox.join(", ")} against ${production.join(", ")}. Give each environment a deployment and a database of its own, so that play money never becomes real money.`
  }
}

/** The one environment of all of them. */
const environmentOf = (
  directory: PspDirectory["Service"]
): Effect.Effect<Environment, EnvironmentsMixed> => {
  const of = (environment: Environment) =>
    directory.all.filter((id) => directory.find(id)?.environment === environment)
  const sandbox = of("sandbox")
  const production = of("production")
  if (sandbox.length > 0 && production.length > 0)
    return Effect.fail(new EnvironmentsMixed({ sandbox, production }))
  return Effect.succeed(sandbox.length > 0 ? "sandbox" : "production")
}

/**
 * Keeps play money and real money apart: all PSPs of a deployment are of one environment, and that of the first one that
 * ran on a storage is the storage's for good. Any other start fails, before any worker runs; so does one whose master secret
 * does not open what is stored.
 */
export class EnvironmentKeeper extends Context.Service<EnvironmentKeeper, Environment>()(
  "@pagora/core/operator/EnvironmentKeeper"
) {
  /**
   * Makes the environment that of the storage, if it has none; the first thing that a start writes. Fails where the storage
   * belongs to the other one, and writes nothing.
   */
  static readonly keep = Effect.fnUntraced(function* (
    configured: Environment,
    at: DateTime.Utc
  ): Effect.fn.Return<Environment, EnvironmentMismatch | StorageError, Storage> {
    const storage = yield* Storage
    const find = storage.find(DeploymentKind, deploymentId)
    if ((yield* find) === undefined) {
      yield* storage
        .commit({ at, inserts: [DeploymentKind.row({ environment: configured })] })
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

  static readonly layer: Layer.Layer<
    EnvironmentKeeper,
    EnvironmentMismatch | EnvironmentsMixed | SecretMismatch | StorageError,
    Secrets | Storage | PspDirectory | ServiceTime
  > = Layer.effect(
    EnvironmentKeeper,
    Effect.gen(function* () {
      const configured = yield* environmentOf(yield* PspDirectory)
      const at = yield* (yield* ServiceTime).now
      const environment = yield* EnvironmentKeeper.keep(configured, at)
      yield* keepSecret(at)
      return environment
    })
  )
}
