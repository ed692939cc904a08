import { Secrets } from "@pagora/core"
import { SecretsNode } from "@pagora/core/node"
import { Effect, Layer, Redacted } from "effect"
import type { Chance } from "../fuzz/Chance.ts"

const master = Redacted.make("a master secret that is long enough for every simulation")

const drawn = (chance: Chance, bytes: number): Uint8Array => {
  const all = new Uint8Array(bytes)
  for (let index = 0; index < bytes; index++) all[index] = chance.below(256)
  return all
}

/** The keys of a deployment; what is random of it comes out alike for the same chance. */
export const simulatedSecrets = (chance: Chance): Layer.Layer<Secrets> =>
  Layer.effect(
    Secrets,
    Effect.map(Secrets, (secrets) => ({
      ...secrets,
      random: (bytes: number) => Effect.sync(() => drawn(chance, bytes)),
      randomText: (bytes: number) =>
        Effect.sync(() => Buffer.from(drawn(chance, bytes)).toString("base64url")),
      webhookSecret: Effect.sync(() => `whsec_${Buffer.from(drawn(chance, 32)).toString("base64")}`)
    }))
  ).pipe(Layer.provide(Layer.orDie(SecretsNode.layer({ secret: master }))))
