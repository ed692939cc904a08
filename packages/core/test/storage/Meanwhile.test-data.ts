import { layerPagora, RecordingTransport } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import type { Uuid } from "../../src/kernel/Ids.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { makeDriver } from "../../src/storage-memory/StorageMemory.ts"
import { emptyState } from "../../src/storage-memory/StorageMemoryState.ts"
import type { MergedUnit } from "../../src/units/MergedUnit.ts"

type IsAt = (write: MergedUnit) => boolean

/** Inserts something of a kind. */
export const making =
  (kind: string): IsAt =>
  ({ inserts }) =>
    inserts.some(({ row }) => row.kind === kind)

/** Books transactions of a kind. */
export const booking =
  (kind: string): IsAt =>
  ({ ledger }) =>
    ledger.some((tx) => tx.kind === kind)

/** Changes something of a kind. */
export const changing =
  (kind: string): IsAt =>
  ({ updates }) =>
    updates.some(({ row }) => row.kind === kind)

/** Puts deliveries in line. */
export const delivering: IsAt = ({ deliveries }) => deliveries.length > 0

/** Ends a job, or puts it off, and changes nothing else. */
export const leaving =
  (id: string): IsAt =>
  ({ inserts, jobs, updates }) =>
    inserts.length + updates.length === 0 &&
    jobs.some((job) => job.id === id && (job.op === "Finish" || job.op === "Retry"))

/**
 * Two processes over one memory. What is told to `meanwhile` is done by the second one when the first is about to write what
 * `isAt` says, once; `refused` has what became of those writes of the first.
 */
export const twoProcesses = () => {
  const state = emptyState()
  const shared = makeDriver(state)
  const told: Array<{ readonly isAt: IsAt; readonly change: Effect.Effect<unknown> }> = []
  const refused: Array<string | undefined> = []
  const first = StorageDriver.of({
    ...shared,
    write: (merged) =>
      Effect.suspend(() => {
        const at = told.findIndex(({ isAt }) => isAt(merged))
        const [found] = at < 0 ? [] : told.splice(at, 1)
        if (found === undefined) return shared.write(merged)
        return Effect.andThen(found.change, shared.write(merged)).pipe(
          Effect.tap((answer) =>
            Effect.sync(() => {
              const isRefused = answer !== null && "expectation" in answer
              refused.push(isRefused ? answer.expectation : undefined)
            })
          )
        )
      })
  })
  const processOver = (driver: StorageDriver["Service"]) =>
    Layer.fresh(
      layerPagora(Layer.succeed(StorageDriver, driver), RecordingTransport.layer).pipe(
        Layer.provideMerge(RecordingTransport.layer)
      )
    )
  const meanwhile = Effect.fnUntraced(function* <R>(
    isAt: IsAt,
    change: Effect.Effect<unknown, unknown, R>
  ) {
    const second = yield* Layer.build(processOver(shared))
    const apart = Effect.provide(change, second) as Effect.Effect<unknown>
    told.push({ isAt, change: Effect.orDie(apart) })
  })
  return {
    meanwhile,
    refused,
    service: processOver(first),
    /** The same as before, in a newer version. */
    touch: (id: string) =>
      Effect.sync(() => {
        const stored = state.rows.get(id as Uuid)
        if (stored === undefined) throw new Error(`There is no row ${id}.`)
        const row = { ...stored.row, version: stored.row.version + 1 }
        state.rows.set(id as Uuid, { ...stored, row })
      })
  }
}
