import type { LookedKept } from "@pagora/core"
import { keptFindings, knowsSecret, lookAtKept, Storage } from "@pagora/core"
import { SecretsNode } from "@pagora/core/node"
import { postgres } from "@pagora/postgres"
import { Effect, Layer } from "effect"
import type { ConfiguredPsp } from "../psp/ConfiguredPsps.ts"
import type { Finding } from "../psp/Findings.ts"
import { unlooked } from "../psp/Findings.ts"
import { wantedAt } from "../psp/PublicUrl.ts"
import { bankProviders } from "../serve/BankProviders.ts"
import type { ServeConfig } from "../serve/ServeConfig.ts"
import { sessionsOf } from "../serve/SessionSettings.ts"
import type { Settings } from "../serve/Settings.ts"

/** The PSPs that are kept in the database, as a start with this configuration would make them. */
export const keptIn = (
  settings: Settings,
  config: ServeConfig,
  psps: ReadonlyArray<ConfiguredPsp>
) => {
  return lookAtKept({
    providers: { ...bankProviders, ...config.pspProviders },
    // Where nothing is configured but sandbox(), what is kept plays, too.
    environment: psps.find(({ isDefault }) => isDefault)?.psp.environment ?? "sandbox",
    configured: psps
  }).pipe(Effect.provide(deploymentOf(settings)))
}

/** What is stored and what opens it, as a start with these settings would have them. */
const deploymentOf = (settings: Settings) => {
  const { databaseUrl: url, formerSecrets: former, schema, secret } = settings
  const driver = postgres({ url, schema, ...sessionsOf(settings), migrate: false, poolMax: 1 })
  return Layer.merge(
    Storage.layer().pipe(Layer.provide(driver)),
    SecretsNode.layer({ secret, former })
  )
}

/** Whether the master secret opens what is in the database. */
export const secretFinding = (settings: Settings): Effect.Effect<Finding> =>
  knowsSecret.pipe(
    Effect.provide(deploymentOf(settings)),
    Effect.match({
      onSuccess: (): Finding => ({
        part: "database",
        name: "secret",
        state: "ok",
        message: "PAGORA_SECRET opens what is stored."
      }),
      onFailure: ({ message }): Finding => ({
        part: "database",
        name: "secret",
        state: "failed",
        message
      })
    })
  )

/** What each of them finds of itself, or why it cannot be made. */
export const examinedKept = (
  all: ReadonlyArray<LookedKept>,
  publicUrl: string | undefined
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(
    Effect.forEach(all, (one) => foundOf(one, publicUrl), { concurrency: "unbounded" }),
    (found) => found.flat()
  )

const foundOf = Effect.fnUntraced(function* (
  { id: part, label, made, provider }: LookedKept,
  publicUrl: string | undefined
): Effect.fn.Return<ReadonlyArray<Finding>> {
  const name = "credentials"
  if (typeof made === "string") return [{ part, name, state: "failed", message: made }]
  const what = label === undefined ? provider : `${provider}, ${label}`
  const kept: Finding = {
    part,
    name,
    state: "ok",
    message: `They are kept in the service (${what}), and open.`
  }
  const own = yield* keptFindings(made, wantedAt(publicUrl, part))
  return [kept, ...(own.length === 0 ? [unlooked(part)] : own.map((one) => ({ part, ...one })))]
})
