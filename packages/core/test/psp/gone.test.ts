import { assert, describe, it } from "@effect/vitest"
import type { Centavos, LogEntry, PagoraInstance, StorageDriver } from "@pagora/core"
import { Pagora, PspOutcome } from "@pagora/core"
import type { Journey } from "@pagora/testkit"
import { Effect } from "effect"
import type { Layer } from "effect"
import { PspDirectory } from "../../src/ports/Psp.ts"
import { refusalOf, secret, sharedMemory, until } from "../world/Embedding.test-data.ts"
import { bankA, bankB, plainBank } from "./PlainBank.test-data.ts"
import { contradictions, waiting } from "../reviews/Reviews.test-data.ts"
import { begin, notice } from "../returns/ReturnStories.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"
import {
  before,
  holding,
  paid,
  shop,
  statusOf,
  watched
} from "../withdrawals/WithdrawalStories.test-data.ts"

/** The PSP leaves the configuration; the effect brings it back. */
const gone = Effect.map(PspDirectory, (directory) => {
  const { find } = directory
  Object.assign(directory, { find: () => undefined })
  return Effect.sync(() => void Object.assign(directory, { find }))
})

const untilBackAndTold = Effect.fnUntraced(function* (story: Journey) {
  for (let looks = 0; looks < 3; looks++) yield* story.advance("5 minutes")
})

describe("what was begun at a PSP that is not configured any more", () => {
  it.effect(
    "a payout that it was told of waits, held; after a day it is a person's, and its word still decides",
    () =>
      Effect.gen(function* () {
        const story = yield* shop
        const made = yield* story.withdraw()
        yield* story.drain
        const back = yield* gone
        yield* story.advance("1 minute")
        yield* story.advance("23 hours")
        assert.deepStrictEqual(yield* waiting(story), [])
        yield* story.advance("2 hours")
        assert.strictEqual(yield* statusOf(story, made), "processing")
        assert.deepStrictEqual(yield* story.figures, holding)
        assert.deepStrictEqual(yield* waiting(story), ["withdrawal unanswered"])
        yield* back
        yield* untilBackAndTold(story)
        yield* story.settleWithdrawal(made, "completed")
        assert.deepStrictEqual(yield* story.figures, paid)
        assert.deepStrictEqual(yield* waiting(story), [])
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("a payout that nobody told it of waits, held, and goes out once when it is back", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const sent = yield* watched
      const made = yield* story.withdraw()
      const back = yield* gone
      yield* story.advance("3 days")
      assert.strictEqual(yield* statusOf(story, made), "pending")
      assert.deepStrictEqual(yield* story.figures, holding)
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* back
      yield* untilBackAndTold(story)
      assert.lengthOf(sent, 1)
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
    }).pipe(Effect.provide(world))
  )

  it.effect("a late look waits, and finds what happened meanwhile", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      yield* story.faults({ operation: "notify", kind: "forget", times: 1 })
      yield* story.settleWithdrawal(made, "reversed")
      const back = yield* gone
      yield* story.advance("2 hours")
      assert.strictEqual(yield* statusOf(story, made), "completed")
      yield* back
      yield* story.advance("2 hours")
      assert.strictEqual(yield* statusOf(story, made), "reversed")
      assert.deepStrictEqual(yield* story.figures, before)
    }).pipe(Effect.provide(world))
  )

  it.effect("a notice about a return that is over is not lost", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin("refund", ["confirms"])
      yield* story.drain
      yield* story.advance("8 days")
      assert.deepStrictEqual(yield* contradictions(story), [])
      const money = yield* current
      bank.ends(money.reference, { status: "rejected" })
      const back = yield* gone
      yield* notice(money)
      yield* back
      yield* story.advance("7 days")
      assert.lengthOf(yield* contradictions(story), 1)
    }).pipe(Effect.provide(world))
  )
})

const body = { amount: 5, pixKey: "ana@example.com", pixKeyType: "email" } as const

/** A service with these banks, the first its default, and what it logs. */
const start = async (
  storage: Layer.Layer<StorageDriver>,
  ...banks: ReadonlyArray<readonly [string, ReturnType<typeof plainBank>]>
) => {
  const entries: Array<LogEntry> = []
  const pagora = await Pagora.start({
    storage,
    secret,
    logger: (entry) => void entries.push(entry),
    psp: {
      default: String(banks[0]?.[0]),
      psps: Object.fromEntries(banks.map(([id, { psp }]) => [id, psp]))
    }
  })
  return { pagora, entries }
}

const heldOf = async (pagora: PagoraInstance, account: string) => {
  const { available, held } = await pagora.balances.get(account)
  return [available.amount, held.amount]
}

describe("an account whose default PSP is not configured any more", () => {
  it("is told at the start; its charges and withdrawals are refused with a code, and nothing is written", async () => {
    const storage = await sharedMemory()
    const [a, b] = [plainBank({ provider: "a" }), plainBank({ provider: "b" })]
    const first = await start(storage, [bankA, a], [bankB, b])
    const { id } = await first.pagora.accounts.create({ name: "Loja", psps: { default: bankB } })
    const other = await first.pagora.accounts.create({ name: "Outra" })
    for (const account of [id, other.id])
      await first.pagora.accounts.adjust(account, { amount: 100, reason: "funds" })
    await first.pagora.stop()
    assert.notInclude(JSON.stringify(first.entries), "not configured")

    const { entries, pagora } = await start(storage, [bankA, a])
    try {
      const isTold = () => entries.some(({ message }) => String(message).includes("not configured"))
      await until(isTold)
      const told = JSON.stringify(entries)
      assert.include(told, id)
      assert.include(told, bankB)
      assert.notInclude(told, other.id)
      const figures = await heldOf(pagora, id)
      for (const ask of [
        () => pagora.withdrawals.create(id, body),
        () => pagora.charges.create(id, { amount: 10 })
      ]) {
        const refusal = await refusalOf(ask())
        assert.strictEqual(refusal.code, "PSP_UNAVAILABLE")
        assert.strictEqual(refusal.details["status"], 500)
        assert.include(refusal.message, "is not configured any more")
      }
      assert.deepStrictEqual(await heldOf(pagora, id), figures)
      // The adjustment alone.
      assert.lengthOf((await pagora.transactions.list(id)).data, 1)
      // What the operator does about it.
      await pagora.accounts.change(id, { psps: { default: bankA } })
      await pagora.withdrawals.create(id, body)
      await until(() => a.payouts.size === 1)
    } finally {
      await pagora.stop()
    }
  })

  it("what a person decides of it is told as of the environment of the deployment", async () => {
    const storage = await sharedMemory()
    const empty = { available: 0n as Centavos, blocked: 0n as Centavos }
    const a = plainBank({ provider: "a", environment: "sandbox" })
    const b = plainBank({
      provider: "b",
      environment: "sandbox",
      balance: () => Effect.succeed(PspOutcome.done(empty))
    })
    const first = await start(storage, [bankA, a], [bankB, b])
    const { id } = await first.pagora.accounts.create({ name: "Loja", psps: { default: bankB } })
    await first.pagora.accounts.adjust(id, { amount: 100, reason: "funds" })
    const withdrawal = await first.pagora.withdrawals.create(id, body)
    let waits = 0
    const look = async () => {
      waits = (await first.pagora.reviews.list()).data.length
    }
    await until(() => {
      void look()
      return waits === 1
    })
    await first.pagora.stop()

    const { pagora } = await start(storage, [bankA, a])
    try {
      const told: Array<string> = []
      await pagora.on("withdrawal_failed", { name: "books" }, ({ data: { environment } }) => {
        told.push(environment)
      })
      await pagora.withdrawals.resolve(withdrawal.id, { outcome: "failed", reason: "It is gone." })
      await until(() => told.length > 0)
      assert.deepStrictEqual(told, ["sandbox"])
    } finally {
      await pagora.stop()
    }
  })
})
