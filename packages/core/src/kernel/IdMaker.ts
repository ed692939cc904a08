import { DateTime, Effect, Random } from "effect"
import type { Uuid } from "./Ids.ts"

export interface IdMaker {
  readonly next: <Id extends Uuid>() => Effect.Effect<Id>
}

/** How many random bytes an id has. */
export const bytesOfId = 8

/** Bits from Effect's `Random`. */
export const randomBytes: Effect.Effect<Uint8Array> = Effect.map(Random.Random, (random) =>
  Uint8Array.from({ length: bytesOfId }, () => Math.floor(random.nextDoubleUnsafe() * 256))
)

/** Ids for names that only the storage sees: by the process's clock, and not from a secure source. */
export const madeOfRandom = (): IdMaker => makeIds(DateTime.now, randomBytes)

/** Ids by a clock, in the order they are made. `random` gives the bytes of one id or of several. */
export const makeIds = (
  now: Effect.Effect<DateTime.Utc>,
  random: Effect.Effect<Uint8Array>
): IdMaker => {
  let millis = 0
  let count = 0
  let reserve: Uint8Array = new Uint8Array(0)
  let used = 0
  const make = (instant: DateTime.Utc): string => {
    const current = DateTime.toEpochMillis(instant)
    if (current > millis) {
      millis = current
      count = 0
    } else if (++count > 0xfff) {
      millis++
      count = 0
    }
    used += bytesOfId
    return uuidV7(millis, count, reserve, used - bytesOfId)
  }
  const made = Effect.flatMap(now, (instant) =>
    used < reserve.length
      ? Effect.succeed(make(instant))
      : Effect.map(random, (bytes) => {
          reserve = bytes
          used = 0
          return make(instant)
        })
  )
  return { next: <Id extends Uuid>() => made as Effect.Effect<Id> }
}

const pairs: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0")
)

const uuidV7 = (millis: number, count: number, bytes: Uint8Array, from: number): string => {
  const time = millis.toString(16).padStart(12, "0")
  const pair = (index: number): string => pairs[bytes[from + index] ?? 0] ?? ""
  const variant = pairs[((bytes[from] ?? 0) & 0x3f) | 0x80] ?? ""
  const first = `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}-`
  return `${first}${variant}${pair(1)}-${pair(2)}${pair(3)}${pair(4)}${pair(5)}${pair(6)}${pair(7)}`
}
