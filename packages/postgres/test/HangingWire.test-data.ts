import type { MergedUnit, StorageDriverShape } from "@pagora/core"
import { present, StorageError } from "@pagora/core"
import { Deferred, Effect } from "effect"

/** What becomes of a write that a wire takes: done later, or never, or done at once and not answered. */
export type Fate = "held" | "lost" | "unanswered"

/**
 * A storage at the end of a wire that a test can let hang: one process's, while those of others go on. What hangs ends
 * when the wire is mended: held writes are done then, and of the others the process learns that the connection broke.
 */
export const hangingWire = (driver: StorageDriverShape) => {
  const broken = new StorageError({ reason: "OutcomeUnknown" })
  let fateOf: (merged: MergedUnit.MergedUnit) => Fate | undefined = () => undefined
  let mended = Deferred.makeUnsafe<void>()
  let underWay = 0
  let calls = 0
  const hanging: Array<MergedUnit.MergedUnit> = []

  const counted = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      calls++
      underWay++
      return Effect.ensuring(
        effect,
        Effect.sync(() => underWay--)
      )
    })
  const write: StorageDriverShape["write"] = (merged) =>
    Effect.suspend(() => {
      const fate = fateOf(merged)
      const writing = counted(driver.write(merged))
      if (fate === undefined) return writing
      hanging.push(merged)
      const until = Deferred.await(mended)
      if (fate === "held") return Effect.andThen(until, writing)
      const before = fate === "unanswered" ? Effect.asVoid(writing) : Effect.void
      return Effect.andThen(Effect.andThen(before, until), broken)
    })
  const through = Object.fromEntries(
    Object.entries(driver).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...args: ReadonlyArray<never>) =>
            counted((member as (...args: ReadonlyArray<never>) => Effect.Effect<unknown>)(...args))
        : counted(member as Effect.Effect<unknown>)
    ])
  ) as unknown as StorageDriverShape

  /**
   * Until nothing is asked of the storage any more but what hangs: whoever goes on has come to the write door. Where the
   * machine has no time for us, it looks again.
   */
  const quiet = Effect.gen(function* () {
    for (let turns = 0; turns < 3; turns++) {
      const [seen, begun] = [calls, Date.now()]
      yield* Effect.sleep("150 millis")
      if (calls !== seen || underWay > 0 || Date.now() - begun > 250) turns = -1
    }
  })
  /** Until a write hangs. */
  const hung = Effect.repeat(Effect.sleep("20 millis"), {
    until: () => hanging.length > 0
  })
  const hang = (fate: (merged: MergedUnit.MergedUnit) => Fate | undefined) =>
    Effect.sync(() => {
      fateOf = fate
      mended = Deferred.makeUnsafe()
      hanging.length = 0
    })
  const mend = Effect.suspend(() => {
    fateOf = () => undefined
    return Deferred.succeed(mended, undefined)
  })
  const { epoch } = driver
  return {
    driver: { ...through, ...present({ epoch }), write },
    hang,
    mend,
    quiet,
    hung,
    hanging: () => [...hanging]
  }
}
