import { Context, Effect, Layer, Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { refuse, Unauthorized } from "../http/ErrorEnvelope.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"

/** The key that opens the operator and sandbox APIs. */
export class OperatorKey extends Context.Service<OperatorKey, Redacted.Redacted>()(
  "@pagora/core/admission/OperatorKey"
) {}

/** Lets only the operator through. */
export class OperatorAuthorization extends HttpApiMiddleware.Service<OperatorAuthorization>()(
  "@pagora/core/admission/OperatorAuthorization",
  { error: [Unauthorized], security: { bearer: HttpApiSecurity.bearer }, requiredForClient: true }
) {
  static readonly layer: Layer.Layer<
    OperatorAuthorization,
    never,
    OperatorKey | Secrets | ServiceTime
  > = Layer.effect(
    OperatorAuthorization,
    Effect.gen(function* () {
      const key = yield* OperatorKey
      const secrets = yield* Secrets
      const time = yield* ServiceTime
      // Compared as keyed digests, so that the time it takes says nothing about the key.
      const expected = yield* secrets.pepper(key)
      return OperatorAuthorization.of({
        bearer: (httpEffect, { credential }) =>
          Effect.gen(function* () {
            // Whoever sends no key has an empty one: it opens nothing, whatever the deployment's is.
            const isGiven = Redacted.value(credential) !== ""
            if (isGiven && (yield* secrets.matchesPepper(credential, expected)))
              return yield* httpEffect
            return yield* refuse(Unauthorized, {
              message:
                "The operator key is missing or wrong. Send Authorization: Bearer <operator key>.",
              code: "OPERATOR_KEY_INVALID"
            })
          }).pipe(Effect.provideService(ServiceTime, time))
      })
    })
  )
}
