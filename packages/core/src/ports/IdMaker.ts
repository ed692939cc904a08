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
  const make = (instant: DateTime.Utc, bytes: Uint8Array): string => {
    const current = DateTime.toEpochMillis(instant)
    if (current > millis) {
      millis = current
      count = 0
    } else if (++count > 0xfff) {
      millis++
      count = 0
    }
    return uuidV7(millis, count, bytes)
  }
  const made = Effect.flatMap(now, (instant) => Effect.map(random, (bytes) => make(instant, bytes)))
  return { next: <Id extends Uuid>() => made as Effect.Effect<Id> }
}

const pairs: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0")
)

const uuidV7 = (millis: number, count: number, bytes: Uint8Array): string => {
  const time = millis.toString(16).padStart(12, "0")
  const pair = (index: number): string => pairs[bytes[index] ?? 0] ?? ""
  const variant = pairs[((bytes[0] ?? 0) & 0x3f) | 0x80] ?? ""
  const first = `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}-`
  return `${first}${variant}${pair(1)}-${pair(2)}${pair(3)}${pair(4)}${pair(5)}${pair(6)}${pair(7)}`
}
