import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey, layerPagora, RecordingTransport, TestPagora } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
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
const switchedOver = () => {
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

const paidCharge = (story: Journey) =>
  Effect.gen(function* () {
    const charge = yield* story.charge()
    yield* story.pay(charge)
    return charge
  })

describe("a former primary that goes on, and answers what is read", () => {
  it.effect("drops no job of what it does not know", () => {
    const { former, leave, service, waiting } = switchedOver()
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const charge = yield* paidCharge(story)
      yield* leave
      const withdrawal = yield* story.withdraw()
      yield* story.refund(charge)
      yield* story.charge()
      const before = yield* waiting
      // A withdrawal, a return and a charge.
      assert.lengthOf(before, 3)

      former.answers = () => true
      yield* story.drain
      yield* TestClock.adjust("2 hours")
      yield* story.drain
      former.answers = () => false
      assert.includeMembers(yield* waiting, before)

      yield* story.advance("1 day")
      yield* story.settleWithdrawal(withdrawal, "completed")
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect("refunds and blocks nothing twice, because it does not know of the first", () => {
    const { former, leave, service } = switchedOver()
    return Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paidCharge(story)
      yield* story.fund(100)
      yield* leave
      yield* story.refund(charge)
      const { operator } = yield* TestPagora
      const again = story.shop.call("POST", `/transactions/${charge.id}/refund`)
      const block = operator("POST", `/accounts/${story.shop.id}/balance-blocks`, {
        body: { transactionId: charge.id, blockType: "med" }
      })
      former.answers = (kind) => kind === "return"
      assert.strictEqual((yield* again).status, 503)
      assert.strictEqual((yield* block).status, 503)
      former.answers = () => false
      assert.strictEqual((yield* again).json.details?.code, "ALREADY_REFUNDED")
      assert.isAtLeast((yield* block).status, 400)
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect("takes off the part of a payment that failed", () => {
    const { former, leave, service } = switchedOver()
    return Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paidCharge(story)
      yield* story.fund(100)
      yield* leave
      const part = yield* story.refund(charge, { amount: 5 })
      former.answers = (kind) => kind === "charge"
      yield* story.settleRefund(part, "error")
      former.answers = () => false
      yield* TestClock.adjust("2 hours")
      yield* story.drain
      const shown = yield* story.transaction(charge.id)
      assert.strictEqual(shown.refundedAmount, 0)
      yield* story.audit
    }).pipe(Effect.provide(service))
  })
})
