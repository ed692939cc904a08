import type { StorageDriverShape, UnitId } from "@pagora/core"
import { StorageError } from "@pagora/core"
import { Effect } from "effect"

/**
 * What becomes of one write.
 *
 * - `answered`: the storage does it and says so;
 * - `written`: the storage does it, and the connection breaks before the answer;
 * - `dropped`: the connection breaks before the storage has it;
 * - `late`: the connection breaks, and the storage does it just before the next write;
 * - `overtaken`: the connection breaks, and the storage comes to it just after the next write;
 * - `unavailable`: the storage cannot be reached, and it is known that nothing was sent.
 */
export type Fate = "answered" | "written" | "dropped" | "late" | "overtaken" | "unavailable"

/** A driver whose writes meet these fates, one after the other; when they are used up, all are answered. */
export const losingAnswers = (
  driver: StorageDriverShape,
  fates: Iterable<Fate>
): StorageDriverShape => {
  const line = fates[Symbol.iterator]()
  const lost = new StorageError({ reason: "OutcomeUnknown" })
  let before: Effect.Effect<unknown, StorageError> = Effect.void
  let after: Effect.Effect<unknown, StorageError> = Effect.void

  const meet = (fate: Fate, write: ReturnType<StorageDriverShape["write"]>) => {
    switch (fate) {
      case "answered":
        return write
      case "written":
        return Effect.andThen(write, lost)
      case "dropped":
        return lost
      case "late":
        before = write
        return lost
      case "overtaken":
        after = write
        return lost
      case "unavailable":
        return new StorageError({ reason: "Unavailable" })
    }
  }
  return {
    ...driver,
    write: (merged) =>
      Effect.suspend(() => {
        const [early, overtaken] = [before, after]
        before = after = Effect.void
        const met = Effect.suspend(() =>
          meet(line.next().value ?? "answered", driver.write(merged))
        )
        return Effect.andThen(early, Effect.ensuring(met, Effect.ignore(overtaken)))
      })
  }
}

/** A driver that dies of one unit, before anything is written. */
export const poisonedBy = (driver: StorageDriverShape, poison: UnitId): StorageDriverShape => ({
  ...driver,
  write: (merged) =>
    merged.units.some(({ id }) => id === poison)
      ? Effect.die(new Error(`The unit ${poison} cannot be written.`))
      : driver.write(merged)
})
