import { Context, Effect, Layer } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { bytesOfId, makeIds, randomBytes } from "../kernel/IdMaker.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "./ServiceTime.ts"

/** Random bits are drawn for so many ids at once. */
const idsAtOnce = 64

/**
 * Makes the ids of new things. Each is a version 7 UUID (RFC 9562) of the business time, and ids made by one
 * process come in the order they were made, also within a millisecond and when the clock steps back: the
 * twelve bits after the time count, the rest is random (decision 0014).
 */
export class Ids extends Context.Service<
  Ids,
  {
    readonly next: <Id extends Uuid>() => Effect.Effect<Id>
  }
>()("@pagora/core/time/Ids") {
  /** Random bits from the system's secure source. */
  static readonly layer: Layer.Layer<Ids, never, ServiceTime | Secrets> = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const time = yield* ServiceTime
      const secrets = yield* Secrets
      return Ids.of(makeIds(time.now, secrets.random(idsAtOnce * bytesOfId)))
    })
  )

  /** Random bits from Effect's `Random`, so that one seed gives the same ids again. For tests only. */
  static readonly layerSeeded: Layer.Layer<Ids, never, ServiceTime> = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const time = yield* ServiceTime
      return Ids.of(makeIds(time.now, randomBytes))
    })
  )
}
