import { layerPagora, RecordingTransport } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import type { Question } from "../../src/ports/StorageDriver.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { makeDriver } from "../../src/storage-memory/StorageMemory.ts"
import { readsOf } from "../../src/storage-memory/StorageMemoryReads.ts"
import type { MemoryState } from "../../src/storage-memory/StorageMemoryState.ts"
import { emptyState } from "../../src/storage-memory/StorageMemoryState.ts"
import { workQueues } from "../../src/units/Unit.ts"

const copyOf = (state: MemoryState): MemoryState => ({
  rows: new Map(state.rows),
  keys: new Map(state.keys),
  idempotency: new Map(state.idempotency),
  jobs: new Map(state.jobs),
  events: new Map(state.events),
  eventNames: new Set(state.eventNames),
  deliveries: new Map(state.deliveries),
  attempts: new Map(state.attempts),
  ledger: new Map(state.ledger),
  ledgerNames: new Set(state.ledgerNames),
  counters: new Map(state.counters),
  wallets: new Map(state.wallets),
  writes: new Map(state.writes),
  proved: new Map(state.proved)
})

/**
 * A storage whose former primary goes on, and that tells no epoch: of the entities of kinds which that `answers`, what is read is as it
 * was at `leave`.
 */
export const switchedOver = () => {
  const state = emptyState()
  const now = makeDriver(state)
  const former = { state, answers: (_: string): boolean => false }
  const askedOf = (kind: string | undefined) =>
    readsOf(kind !== undefined && former.answers(kind) ? former.state : state)
  const kindOf = (question: Question) =>
    question._tag === "Row" ? state.rows.get(question.id)?.row.kind : undefined
  const driver = Layer.succeed(
    StorageDriver,
    StorageDriver.of({
      ...now,
      look: (questions) =>
        Effect.map(
          Effect.forEach(questions, (one) => askedOf(kindOf(one)).look([one])),
          (answers) => answers.flat()
        ),
      list: (query) => askedOf(query.kind).list(query)
    })
  )
  return {
    former,
    leave: Effect.sync(() => {
      former.state = copyOf(state)
    }),
    waiting: Effect.map(
      Effect.forEach(workQueues, (queue) => now.jobs({ queue, limit: 100 })),
      (all) => all.flat().map(({ id }) => id)
    ),
    service: layerPagora(driver, RecordingTransport.layer).pipe(
      Layer.provideMerge(RecordingTransport.layer)
    )
  }
}
