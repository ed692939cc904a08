import type { Chance } from "../fuzz/Chance.ts"
import type { Machine } from "./Machine.ts"
import type { Engine } from "./Engine.ts"
import type { Store } from "./Store.ts"

/** Something that goes wrong at an instant, as data: a simulation can be run without it. */
export type Fault = { readonly atMillis: number } & (
  | { readonly kind: "crash"; readonly machine: number; readonly againAfter: number }
  | {
      /** It dies at what it asks of the outside next, or just after that was done, so many calls from now. */
      readonly kind: "crash at a call"
      readonly machine: number
      readonly calls: number
      readonly side: "before" | "after"
      readonly againAfter: number
    }
  | {
      /** It stands still with a write under way, so many writes from now, and the others go on for as long. */
      readonly kind: "pause at a write"
      readonly machine: number
      readonly writes: number
      readonly millis: number
    }
  | { readonly kind: "pause"; readonly machine: number; readonly millis: number }
  | { readonly kind: "swallow"; readonly machine: number; readonly millis: number }
  | { readonly kind: "clock"; readonly machine: number; readonly byMillis: number }
  | {
      /** It is away for so long. With `writes` it goes just after it has done so many more, before it has said so. */
      readonly kind: "store restart"
      readonly writes?: number
      readonly awayMillis: number
    }
  | { readonly kind: "store clock"; readonly byMillis: number }
  | { readonly kind: "standby away"; readonly millis: number }
  /** Another server takes its place, and for so long it answers what is read all the same. */
  | { readonly kind: "former primary"; readonly millis: number }
  /** Everything stands still for hours, and the world goes on. */
  | { readonly kind: "night"; readonly millis: number }
)

type Kind = Fault["kind"]

const kinds: ReadonlyArray<readonly [Kind, number]> = [
  ["crash", 4],
  ["crash at a call", 10],
  ["pause", 4],
  ["pause at a write", 6],
  ["swallow", 4],
  ["clock", 3],
  ["store restart", 6],
  ["store clock", 1],
  ["standby away", 3],
  ["former primary", 3],
  ["night", 2]
]

const hour = 3_600_000
/** Past a lease, and past what a bank calls final. */
const pauses = [120_000, 120_000, hour / 2]

const drawKind = (chance: Chance): Kind => {
  let left = chance.below(kinds.reduce((sum, [_, weight]) => sum + weight, 0))
  for (const [kind, weight] of kinds) {
    left -= weight
    if (left < 0) return kind
  }
  return "crash"
}

/** Some milliseconds, more often few than many. */
const duration = (chance: Chance, max: number): number =>
  Math.floor(max * (chance.below(1_000) / 1_000) ** 3) + 1

const drawFault = (chance: Chance, atMillis: number, machines: number): Fault => {
  const kind = drawKind(chance)
  const machine = chance.below(machines)
  switch (kind) {
    case "crash":
      return { atMillis, kind, machine, againAfter: duration(chance, 90_000) }
    case "crash at a call":
      return {
        atMillis,
        kind,
        machine,
        calls: chance.below(40),
        side: chance.pick(["before", "after"]),
        againAfter: duration(chance, 90_000)
      }
    case "pause at a write":
      return {
        atMillis,
        kind,
        machine,
        writes: chance.below(12),
        millis: chance.pick([8_000, 90_000, 800_000])
      }
    case "pause":
      return { atMillis, kind, machine, millis: duration(chance, chance.pick(pauses)) }
    case "swallow":
      return { atMillis, kind, machine, millis: duration(chance, 40_000) }
    case "clock": {
      const size = chance.pick([4_000, 60_000, hour, 25 * hour])
      return { atMillis, kind, machine, byMillis: chance.pick([-1, 1]) * duration(chance, size) }
    }
    case "store restart":
      return {
        atMillis,
        kind,
        ...(chance.happens(0.7) ? { writes: 1 + chance.below(6) } : {}),
        awayMillis: chance.pick([500, 6_000, 20_000])
      }
    case "store clock":
      return { atMillis, kind, byMillis: chance.pick([-1, 1]) * duration(chance, 10_000) }
    case "standby away":
      return { atMillis, kind, millis: chance.pick([3_000, 15_000, 60_000]) }
    case "former primary":
      return { atMillis, kind, millis: chance.pick([3_000, 30_000, 200_000]) }
    case "night":
      return { atMillis, kind, millis: chance.pick([hour / 2, 2 * hour, 8 * hour]) }
  }
}

/** At least five faults over the first so many milliseconds, in the order of time. */
export const drawFaults = (
  chance: Chance,
  withinMillis: number,
  machines: number
): ReadonlyArray<Fault> => {
  const count = 5 + chance.below(12)
  return Array.from({ length: count }, () =>
    drawFault(chance, chance.below(withinMillis), machines)
  ).toSorted((one, other) => one.atMillis - other.atMillis)
}

/** What faults happen to. */
interface Befallen {
  readonly engine: Engine
  readonly store: Store
  readonly machines: ReadonlyArray<Machine>
  /** The faults are not over before an instant of true time. */
  readonly until: (millis: number) => void
}

/** Lets a fault happen now. */
export const befall = (fault: Fault, { engine, machines, store, until }: Befallen): void => {
  const machine = "machine" in fault ? machines[fault.machine] : undefined
  switch (fault.kind) {
    case "crash":
      return machine?.crash(fault.againAfter)
    case "crash at a call":
      return machine?.crashAtCall(fault.calls, fault.side, fault.againAfter)
    case "pause at a write":
      return machine?.pauseAtWrite(fault.writes, fault.millis, () =>
        until(engine.now() + fault.millis)
      )
    case "pause":
      engine.reached("fault: pause")
      return machine?.pause(fault.millis)
    case "swallow":
      return machine?.swallow(fault.millis)
    case "clock":
      engine.reached(`fault: clock ${fault.byMillis > 0 ? "ahead" : "back"}`)
      return machine?.clock.set(fault.byMillis)
    case "store restart":
      return fault.writes === undefined
        ? store.restart(fault.awayMillis)
        : store.restartAfter(fault.writes, fault.awayMillis)
    case "store clock":
      engine.reached(`fault: storage clock ${fault.byMillis > 0 ? "ahead" : "back"}`)
      return store.clock.set(fault.byMillis)
    case "standby away":
      return store.standAlone(fault.millis)
    case "former primary":
      return store.switchOver(fault.millis)
    case "night":
      engine.reached("fault: night")
      until(engine.now() + fault.millis)
      for (const one of machines) one.pause(fault.millis)
  }
}
