import { Clock, Effect } from "effect"

/** A machine in the time of the test, whose clock somebody sets: what goes by no date goes on steadily. */
export const aMachine = Effect.map(Clock.Clock, (clock) => {
  let aheadMillis = 0
  const millis = () => clock.currentTimeMillisUnsafe() + aheadMillis
  const nanos = () => BigInt(millis()) * 1_000_000n
  const machine: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeNanosUnsafe: nanos,
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
  return {
    setAhead: (byMillis: number) => {
      aheadMillis = byMillis
    },
    on: Effect.provideService(Clock.Clock, machine)
  }
})

export const aDay = 86_400_000
