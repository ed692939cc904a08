import { Context, DateTime, Effect, Layer, Random } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { Secrets } from "./Secrets.ts"
import { ServiceTime } from "./ServiceTime.ts"

/**
 * Makes the ids of new things. Each is a version 7 UUID (RFC 9562) of the business time, and ids made by one
 * process come in the order they were made, also within a millisecond and when the clock steps back: the
 * twelve bits after the time count, the rest is random.
 */
export class Ids extends Context.Service<
  Ids,
  {
    readonly next: <Id extends Uuid>() => Effect.Effect<Id>
  }
>()("@pagora/core/ports/Ids") {
  /** Random bits from the system's secure source. */
  static readonly layer: Layer.Layer<Ids, never, ServiceTime | Secrets> = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const time = yield* ServiceTime
      const secrets = yield* Secrets
      return Ids.of(make(time.now, secrets.random(8)))
    })
  )

  /** Random bits from Effect's `Random`, so that one seed gives the same ids again. For tests only. */
  static readonly layerSeeded: Layer.Layer<Ids, never, ServiceTime> = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const time = yield* ServiceTime
      return Ids.of(make(time.now, randomBytes))
    })
  )
}

const randomBytes = Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, 255), 8), (bytes) =>
  Uint8Array.from(bytes)
)

/** Ids for names that only the storage sees: by the process's clock, and not from a secure source. */
export const madeOfRandom = (): Ids["Service"] => make(DateTime.now, randomBytes)

const make = (
  now: Effect.Effect<DateTime.Utc>,
  random: Effect.Effect<Uint8Array>
): Ids["Service"] => {
  let millis = 0
  let count = 0
  const next = <Id extends Uuid>(): Effect.Effect<Id> =>
    Effect.zipWith(now, random, (instant, bytes) => {
      const current = DateTime.toEpochMillis(instant)
      if (current > millis) {
        millis = current
        count = 0
      } else if (++count > 0xfff) {
        millis++
        count = 0
      }
      return uuidV7(millis, count, bytes) as Id
    })
  return { next }
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

const uuidV7 = (millis: number, count: number, bytes: Uint8Array): string => {
  const time = hex(millis, 12)
  const tail = Array.from(bytes, (byte, index) =>
    hex(index === 0 ? (byte & 0x3f) | 0x80 : byte, 2)
  ).join("")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(count, 3)}-${tail.slice(0, 4)}-${tail.slice(4)}`
}
