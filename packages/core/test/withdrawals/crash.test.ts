import { assert, describe, it } from "@effect/vitest"
import type { CrashPoint, Journey, MortalProcess, WithId } from "@pagora/testkit"
import { journey, RecordingTransport, resumed, startMortal, untilDeath } from "@pagora/testkit"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Centavos } from "../../src/kernel/Money.ts"
import type * as Kind from "../../src/units/Kind.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { noon } from "../world/ServiceWorld.test-data.ts"

const key = "saque-0001"
const body = { pixKey: "ana@example.com", pixKeyType: "email", amount: 10 }
const ask = ({ shop }: Journey) =>
  shop.call("POST", "/withdrawals", { body, headers: { "idempotency-key": key } })

type Outcome = "completed" | "failed" | "reversed"

/** What the simulated PSP has in its book, whoever knows of it. */
const PspBook: Kind.ReadableKind<bigint | null> = {
  name: "sandbox_payout",
  table: "operation",
  read: ({ amount, version }) => ({ value: amount, version })
}

const atPsp = Effect.flatMap(Storage, (storage) =>
  Effect.orDie(storage.list(PspBook, { order: "asc", limit: 100 }))
)

const expected = {
  completed: { available: 9_020, promotional: 0, held: 0, total: 9_020 },
  failed: { available: 10_000, promotional: 20, held: 0, total: 10_020 },
  reversed: { available: 10_000, promotional: 20, held: 0, total: 10_020 }
} as const

const events = {
  completed: ["withdrawal_completed"],
  failed: ["withdrawal_failed"],
  reversed: ["withdrawal_completed", "withdrawal_reversed"]
} as const

/** How a withdrawal comes to its outcome. */
type End = (
  story: Journey,
  withdrawal: WithId
) => Effect.Effect<{ readonly status: string }, unknown>

const told =
  (outcome: Outcome): End =>
  (story, withdrawal) =>
    story.settleWithdrawal(withdrawal, outcome)

/** It comes back, and the PSP forgets to tell: the first late look finds it. */
const reversedUntold: End = Effect.fnUntraced(function* (story: Journey, withdrawal: WithId) {
  const look = Effect.map(
    story.shop.call("GET", `/withdrawals/${withdrawal.id}`),
    ({ json }) => json
  )
  const status = (yield* look).status
  if (status !== "completed" && status !== "reversed")
    yield* story.settleWithdrawal(withdrawal, "completed")
  yield* story.faults({ operation: "notify", kind: "forget" })
  yield* story.settleWithdrawal(withdrawal, "reversed")
  yield* story.faults()
  yield* story.advance("1 hour")
  return yield* look
})

/** The caller repeats its request, leases of the dead end, and the PSP comes to its end. */
const recover = Effect.fnUntraced(function* (story: Journey, outcome: Outcome, end: End) {
  const answer = yield* ask(story)
  assert.strictEqual(answer.status, 201, answer.text)
  for (let round = 0; round < 3; round++) {
    yield* TestClock.adjust("61 seconds")
    yield* story.advance("1 minute")
  }
  const settled = yield* end(story, answer.json)
  assert.strictEqual(settled.status, outcome)
  yield* TestClock.adjust("61 seconds")
  yield* story.advance("1 minute")
  return answer.json
})

/** Lets a withdrawal happen in a process that dies at a point, and its restart at another; then all must be right. */
const crashAt = Effect.fnUntraced(function* (
  outcome: Outcome,
  points: { readonly first?: CrashPoint; readonly second?: CrashPoint } = {},
  end: End = told(outcome)
) {
  const storage = yield* Layer.build(Layer.fresh(layerMemory))
  const driver = Context.get(storage, StorageDriver)
  const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
  const first = yield* startMortal(driver, transport)
  const story = yield* Effect.provideContext(
    journey({ fees: { withdrawal: { fixed: Centavos.make(50n) } } }),
    first.services
  )
  yield* story.endpoint()
  yield* story.fund(100)
  yield* story.adjust({ amount: 0.2, bucket: "promotional", reason: "gift" })

  yield* first.arm(points.first)
  const acknowledged: Array<WithId> = []
  const life = Effect.gen(function* () {
    const { json } = yield* ask(story)
    if (!first.isDead()) {
      acknowledged.push(json)
      first.seen()
    }
    yield* story.drain
    yield* end(story, json)
    yield* story.drain
  })
  yield* untilDeath(first, life)
  const [calls, distinct] = [yield* first.calls, yield* first.points]

  const again = (process: MortalProcess) =>
    Effect.gen(function* () {
      return yield* recover(yield* resumed(story.shop), outcome, end)
    }).pipe((effect) => untilDeath(process, effect))
  let last = yield* startMortal(driver, transport)
  yield* last.arm(points.second)
  let withdrawal = yield* again(last)
  const diedAgain = last.isDead()
  if (withdrawal === undefined) {
    last = yield* startMortal(driver, transport)
    withdrawal = yield* again(last)
  }

  yield* Effect.gen(function* () {
    const after = yield* resumed(story.shop)
    for (const { id } of acknowledged) assert.strictEqual(withdrawal?.id, id)
    assert.deepStrictEqual(yield* after.figures, expected[outcome], "the balance")
    assert.deepStrictEqual(
      (yield* atPsp).map(({ value }) => value),
      [950n],
      "payouts at the PSP"
    )
    const told = yield* after.events()
    const kinds = [...new Set(told.map(({ event }) => event))].toSorted()
    assert.deepStrictEqual(kinds, [...events[outcome]], "the events")
    const ids = new Set(told.map(({ eventId }) => eventId))
    assert.strictEqual(ids.size, kinds.length, "each event is told under one id")
    const looks = yield* (yield* Storage).nextDue(["reconciliation"])
    if (outcome !== "reversed") assert.isDefined(looks, "it is looked at again")
    yield* after.audit
  }).pipe(Effect.provideContext(last.services))
  return { calls, points: distinct, died: first.isDead(), diedAgain }
})

describe.each(["completed", "failed", "reversed"] as const)(
  "a withdrawal that ends %s",
  { timeout: 120_000 },
  (outcome) => {
    it.effect("is one payout with one outcome wherever the process dies", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const whole = yield* crashAt(outcome)
        assert.isFalse(whole.died)
        // At least: acceptance, claim, intent, PSP, its answer, its end, notice, claim, settlement, delivery.
        assert.isAtLeast(whole.calls, 10)
        for (const first of whole.points) {
          const { died } = yield* crashAt(outcome, { first })
          assert.isTrue(died, `${first.side} ${first.call}`)
        }
      })
    )

    it.effect("and wherever the restart dies as well", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const { calls } = yield* crashAt(outcome)
        let twice = 0
        for (let call = 0; call < calls; call++) {
          const first = { call, side: call % 2 === 0 ? "before" : "after" } as const
          // Another part of the recovery each time, so that all of them together cover it.
          const second = { call: (call * 5) % 14, side: "after" } as const
          if ((yield* crashAt(outcome, { first, second })).diedAgain) twice++
        }
        assert.isAbove(twice, calls / 2)
      })
    )
  }
)

describe("a withdrawal that comes back and the PSP says nothing", { timeout: 240_000 }, () => {
  it.effect("is reversed once wherever the process dies", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { points } = yield* crashAt("reversed", {}, reversedUntold)
      for (const first of points) {
        const { died } = yield* crashAt("reversed", { first }, reversedUntold)
        assert.isTrue(died, `${first.side} ${first.call}`)
      }
    })
  )
})
