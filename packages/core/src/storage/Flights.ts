import { Effect, Exit, Latch } from "effect"
import type { ContendedLane } from "./ContendedLane.ts"
import type { Picked, Touched } from "./Group.ts"
import type { makeWriter, Waiting } from "./GroupWriter.ts"

/** A group that is being written. */
type Flight = Pick<Picked<Waiting>, "group" | "touched" | "isAlone">

/** So many have to wait for a second group to go beside the first: it costs another call, and another flush of the log. */
export const secondMin = 16

/**
 * The groups that are being written: one, or two where the storage gains by it and all goes well (decision 0091). They meet in
 * wallets, in counters and in what both only rest on.
 */
export const makeFlights = (options: {
  readonly writer: ReturnType<typeof makeWriter>
  readonly contended: ContendedLane
  readonly atOnce: number
  readonly groupMax: number
}) => {
  const { atOnce, contended, groupMax, writer } = options
  const flights = new Set<Flight>()
  const wake = Latch.makeUnsafe(false)
  let broken: Exit.Failure<void, never> | undefined

  const fly = (flight: Flight) =>
    writer.answer(flight.group, contended.lockWait()).pipe(
      Effect.flatMap(contended.take),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          // Who is not answered then is answered when the lane is given up.
          if (Exit.isFailure(exit)) broken = exit
          else flights.delete(flight)
          wake.openUnsafe()
        })
      )
    )

  return {
    isNone: () => flights.size === 0,
    entries: (): ReadonlyArray<Waiting> => [...flights].flatMap(({ group }) => group),
    touched: (): ReadonlyArray<Touched> => [...flights].map(({ touched }) => touched),
    /** How many of so many who wait may go now. */
    mostNow: (waiting: number): number => {
      const isSecond = flights.size > 0
      const most = atOnce > 1 && writer.isHopeful() && contended.isEmpty() ? 2 : 1
      if (flights.size >= most || (isSecond && waiting < secondMin)) return 0
      if ([...flights].some(({ isAlone }) => isAlone)) return 0
      return isSecond || most === 1 || waiting < 2 * secondMin
        ? groupMax
        : Math.min(groupMax, Math.ceil(waiting / 2))
    },
    /** Begins to write a group, for as long as the fiber that asks for it lasts. */
    begin: ({ group, isAlone, touched }: Flight) =>
      Effect.suspend(() => {
        const flight: Flight = { group, isAlone, touched }
        flights.add(flight)
        return Effect.asVoid(Effect.forkChild(fly(flight), { startImmediately: true }))
      }),
    /** Completes when one has ended, or when somebody wakes who waits here. */
    ended: Effect.suspend(() => {
      wake.closeUnsafe()
      return wake.await
    }),
    wake: () => {
      wake.openUnsafe()
    },
    /** Fails as the writer has: that is a mistake of the program. */
    sound: Effect.suspend(() => broken ?? Effect.void)
  }
}
