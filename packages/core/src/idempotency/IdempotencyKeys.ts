import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { canonical } from "../kernel/CanonicalJson.ts"
import type { Uuid } from "../kernel/Ids.ts"
import type { JsonValue } from "../kernel/StrictJson.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import type { StorageError } from "../units/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { IdempotencyRecord } from "../ports/StorageDriver.ts"
import type { IdempotencyScope } from "../units/Unit.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"
import type { WorkingKeys } from "./WorkingKeys.ts"
import { makeWorkingKeys } from "./WorkingKeys.ts"

/** How long a repeat is answered with the first outcome, by the clocks of storage and machine (spec, Limits; decision 0064). */
export const idempotencyWindow = Duration.hours(24)

/**
 * What is known of a key when a request comes with it.
 *
 * - `Fresh`: nobody has used it within the window;
 * - `Answered`: the same request was made before, and this came of it, and will have come of it whatever fails;
 * - `InProgress`: the same request is being worked on, or its process died over it;
 * - `Reused`: it was used for another request.
 */
export type KeyState =
  | { readonly _tag: "Fresh"; readonly key: IdempotencyKey }
  | { readonly _tag: "Answered"; readonly snapshot: string }
  | { readonly _tag: "InProgress"; readonly entity: Uuid }
  | { readonly _tag: "Reused" }

/** Tells what became of the requests that carried an Idempotency-Key. */
export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  WorkingKeys & {
    /** The fingerprint covers the whole body, fields that mean nothing included; an absent body is `{}`. */
    readonly look: (
      scope: IdempotencyScope,
      body: JsonValue | undefined,
      record?: Effect.Effect<IdempotencyRecord | undefined, StorageError>
    ) => Effect.Effect<KeyState, StorageError>
    /** Asks for the record of a key now, to be looked at later. */
    readonly begin: (
      scope: IdempotencyScope
    ) => Effect.Effect<Effect.Effect<IdempotencyRecord | undefined, StorageError>>
  }
>()("@pagora/core/idempotency/IdempotencyKeys") {
  static readonly layer: Layer.Layer<IdempotencyKeys, never, Storage | Secrets | ServiceTime> =
    Layer.effect(
      IdempotencyKeys,
      Effect.gen(function* () {
        const storage = yield* Storage
        const secrets = yield* Secrets
        const time = yield* ServiceTime

        const look = spannedFn("IdempotencyKeys.look")(function* (
          scope: IdempotencyScope,
          body: JsonValue | undefined,
          begun?: Effect.Effect<IdempotencyRecord | undefined, StorageError>
        ): Effect.fn.Return<KeyState, StorageError> {
          const fingerprint = yield* secrets.digest(canonical(body ?? {}))
          const { earliest, latest } = yield* time.bounds
          const record = yield* begun ?? storage.idempotency(scope)
          if (record === undefined || DateTime.isLessThanOrEqualTo(record.expiresAt, earliest)) {
            const expiresAt = DateTime.addDuration(latest, idempotencyWindow)
            return { _tag: "Fresh", key: { scope, fingerprint, expiresAt, asOf: earliest } }
          }
          if (record.fingerprint !== fingerprint) return { _tag: "Reused" }
          if (record.snapshot === null) return { _tag: "InProgress", entity: record.entity }
          if (storage.sync !== undefined) yield* storage.sync
          return { _tag: "Answered", snapshot: record.snapshot }
        })
        const { ended, working } = makeWorkingKeys()
        return IdempotencyKeys.of({ look, begin: storage.beginIdempotency, working, ended })
      })
    )
}
