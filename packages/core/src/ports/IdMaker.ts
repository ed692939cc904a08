import { DateTime, Effect, Random } from "effect"
import type { Uuid } from "../kernel/Ids.ts"

export interface IdMaker {
  readonly next: <Id extends Uuid>() => Effect.Effect<Id>
}

/** Bits from Effect's `Random`. */
export const randomBytes = Effect.map(
  Effect.replicateEffect(Random.nextIntBetween(0, 255), 8),
  (bytes) => Uint8Array.from(bytes)
)

/** Ids for names that only the storage sees: by the process's clock, and not from a secure source. */
export const madeOfRandom = (): IdMaker => makeIds(DateTime.now, randomBytes)

/** Ids by a clock, in the order they are made. */
export const makeIds = (
  now: Effect.Effect<DateTime.Utc>,
  random: Effect.Effect<Uint8Array>
): IdMaker => {
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
