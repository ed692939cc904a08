import { Effect, Random } from "effect"
import type { SandboxFault, SandboxFaultKind, SandboxOperation } from "./SandboxFault.ts"

/** The faults in force. They belong to one process and end with it; what they did to the book stays. */
export interface SandboxFaults {
  /** As they were set, with the `times` that are left. */
  readonly current: Effect.Effect<ReadonlyArray<SandboxFault>>
  readonly set: (faults: ReadonlyArray<SandboxFault>) => Effect.Effect<void>
  /** The first fault of these kinds that strikes here and now, if any does; it is counted. */
  readonly strike: (
    operation: SandboxOperation,
    ...kinds: ReadonlyArray<SandboxFaultKind>
  ) => Effect.Effect<SandboxFault | undefined>
}

/** None at first. Chance is Effect's `Random`, so that one seed strikes alike again. */
export const makeFaults = (): SandboxFaults => {
  let entries: ReadonlyArray<{ readonly fault: SandboxFault; left: number }> = []

  const roll = Effect.fnUntraced(function* (
    operation: SandboxOperation,
    kinds: ReadonlyArray<SandboxFaultKind>
  ) {
    for (const entry of entries) {
      const { kind, operation: only = operation, probability = 1 } = entry.fault
      if (only !== operation || !kinds.includes(kind) || entry.left === 0) continue
      const isStruck = probability === 1 || (yield* Random.next) < probability
      // Looked at again: another fiber may have taken the last one while the die was rolled.
      if (!isStruck || entry.left === 0) continue
      entry.left--
      return entry.fault
    }
    return undefined
  })

  return {
    current: Effect.sync(() =>
      entries.map(({ fault, left }) => (left === Infinity ? fault : { ...fault, times: left }))
    ),
    set: (faults) =>
      Effect.sync(() => {
        entries = faults.map((fault) => ({ fault, left: fault.times ?? Infinity }))
      }),
    strike: (operation, ...kinds) =>
      Effect.suspend(() =>
        entries.length === 0 ? Effect.succeed(undefined) : roll(operation, kinds)
      )
  }
}
