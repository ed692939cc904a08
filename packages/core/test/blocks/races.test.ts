import { assert, describe, it } from "@effect/vitest"
import type { Answer, Journey, WithId } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import type { ChargeId } from "../../src/kernel/Ids.ts"
import { Charge, ChargeKind } from "../../src/charges/Charge.ts"
import type { Kind } from "../../src/units/Kind.ts"
import { Storage } from "../../src/storage/Storage.ts"
import {
  askBlock,
  askResolve,
  block,
  chargebacks,
  defend,
  operatorBlock,
  operatorBlocks,
  paid,
  resolve,
  returns,
  spendable
} from "./BalanceBlocks.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

const atOnce = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

const statusesOf = (answers: ReadonlyArray<Answer<unknown>>) =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other)

const total = (amounts: ReadonlyArray<{ readonly amount: bigint }>) =>
  Number(amounts.reduce((sum, { amount }) => sum + amount, 0n))

/** What went back is what left the wallet, and what the block and the charge say. */
const verify = Effect.fnUntraced(function* (story: Journey, charge: WithId, made: WithId) {
  const returned = Math.round((yield* operatorBlock(story, made)).returnedAmount * 100)
  const pieces = yield* chargebacks(story)
  assert.strictEqual(total(pieces), returned)
  assert.strictEqual(total(yield* returns(story)), returned)
  const storage = yield* Storage
  const stored = yield* storage.find(ChargeKind as Kind<Charge>, charge.id as ChargeId)
  assert.strictEqual(Number(stored?.value.chargedBack ?? 0n), returned)
  yield* story.audit
  return returned
})

describe("at once with a block", () => {
  it.effect("a hundred spends take what is not claimed, and nothing goes below zero", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const spends = Array.from({ length: 50 }, () => story.adjust({ amount: -0.15, reason: "x" }))
      const answers = yield* atOnce<Answer<unknown>, never, TestPagora>([
        ...spends,
        askBlock(story, charge),
        ...spends
      ])
      assert.strictEqual(answers[spends.length]?.status, 201)
      const spent = (answers.filter(({ status }) => status === 201).length - 1) * 15
      assert.isBelow(spent, 1_000)
      assert.deepStrictEqual(yield* spendable(story), [0, 1_000 - spent])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("the same block is made once of what there is to block", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const all = yield* atOnce(Array.from({ length: 8 }, () => askBlock(story, charge)))
      assert.deepStrictEqual(statusesOf(all), [201, 400, 400, 400, 400, 400, 400, 400])
      const parts = yield* paid(story)
      const some = yield* atOnce(
        Array.from({ length: 6 }, () => askBlock(story, parts, { amount: 3 }))
      )
      assert.deepStrictEqual(statusesOf(some), [201, 201, 201, 400, 400, 400])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("two decisions make one: the other one is told what it came to", () =>
    Effect.gen(function* () {
      for (const outcomes of [
        ["approved", "approved"],
        ["approved", "rejected"],
        ["rejected", "approved"],
        ["rejected", "rejected"]
      ] as const) {
        const story = yield* journey()
        const charge = yield* paid(story)
        const made = yield* block(story, charge)
        const answers = yield* atOnce(outcomes.map((outcome) => askResolve(made, outcome)))
        assert.deepStrictEqual(statusesOf(answers), [200, 409])
        const status = (yield* operatorBlock(story, made)).status
        const refused = answers.find((answer) => answer.status === 409)
        assert.strictEqual(refused?.json.details?.["value"], status)
        const returned = yield* verify(story, charge, made)
        assert.strictEqual(returned, status === "approved" ? 1_000 : 0)
        assert.deepStrictEqual(yield* spendable(story), [1_000 - returned, 0])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("its approval and fifty payments: what is missing comes later, to the centavo", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story, 20)
      yield* story.adjust({ amount: -20, reason: "spent before" })
      const made = yield* block(story, charge)
      const charges = yield* atOnce(Array.from({ length: 50 }, () => story.charge({ amount: 0.3 })))
      const [, approved] = yield* Effect.all(
        [
          atOnce(charges.slice(0, 25).map((one) => story.pay(one))),
          resolve(made, "approved"),
          atOnce(charges.slice(25).map((one) => story.pay(one)))
        ],
        { concurrency: "unbounded" }
      )
      assert.isAtMost(approved.returnedAmount, 15)
      yield* story.advance("1 hour")
      assert.strictEqual(yield* verify(story, charge, made), 1_500)
      assert.deepStrictEqual(yield* spendable(story), [0, 0])
      yield* paid(story, 7)
      yield* story.advance("1 hour")
      assert.strictEqual(yield* verify(story, charge, made), 2_000)
      assert.deepStrictEqual(yield* spendable(story), [200, 0])
    }).pipe(Effect.provide(world))
  )

  it.effect("approvals of all blocks of a wallet take no more than there is, each its own", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charges = []
      for (let count = 0; count < 8; count++) charges.push(yield* paid(story, 5))
      yield* story.adjust({ amount: -22, reason: "spent before" })
      const blocks: Array<WithId> = []
      for (const charge of charges) blocks.push(yield* block(story, charge))
      yield* atOnce<Answer<unknown>, never, TestPagora>([
        ...blocks.toReversed().map((made) => askResolve(made, "approved")),
        ...Array.from({ length: 20 }, () => story.adjust({ amount: -1, reason: "x" }))
      ])
      yield* story.advance("1 hour")
      const got = Effect.map(operatorBlocks(story), (all) =>
        all.toReversed().map(({ returnedAmount }) => returnedAmount)
      )
      assert.deepStrictEqual(yield* got, [5, 5, 5, 3, 0, 0, 0, 0])
      assert.deepStrictEqual(yield* spendable(story), [0, 0])
      yield* paid(story, 30)
      for (let hour = 0; hour < 3; hour++) yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* got, [5, 5, 5, 5, 5, 5, 5, 5])
      assert.deepStrictEqual(yield* spendable(story), [800, 0])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

/** A generator of numbers that a seed repeats (mulberry32). */
const dice = (seed: number) => {
  let state = seed
  return (sides: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

interface ModelBlock {
  readonly made: WithId
  readonly payment: { left: number }
  status: "awaiting_response" | "defended" | "approved" | "rejected"
  amount: number
  returned: number
}

const owedOf = (one: ModelBlock) => (one.status === "rejected" ? 0 : one.amount - one.returned)

/** A wallet with blocks as one would keep it on paper. */
class PaperWallet {
  available = 0
  readonly payments: Array<{ readonly charge: WithId; left: number }> = []
  readonly blocks: Array<ModelBlock> = []

  get lien() {
    return this.blocks.reduce((sum, one) => sum + owedOf(one), 0)
  }
  get shown() {
    const held = Math.min(this.available, this.lien)
    return [this.available - held, held]
  }
  /** Pays what approved blocks are owed, oldest claims first. */
  collect(only?: ModelBlock) {
    let left = this.available
    for (const one of this.blocks) {
      const part = Math.min(owedOf(one), left)
      left -= part
      if (one.status !== "approved" || (only !== undefined && one !== only)) continue
      one.returned += part
      this.available -= part
    }
  }
}

const pick = <A>(roll: (sides: number) => number, all: ReadonlyArray<A>): A | undefined =>
  all.length === 0 ? undefined : all[roll(all.length)]

/** One random step, taken on paper and in the service. */
const step = Effect.fnUntraced(function* (
  story: Journey,
  paper: PaperWallet,
  roll: (sides: number) => number
) {
  const open = paper.blocks.filter(({ status }) => status !== "approved" && status !== "rejected")
  switch (roll(8)) {
    case 0:
    case 1: {
      const amount = 1 + roll(2_000)
      paper.payments.push({ charge: yield* paid(story, amount / 100), left: amount })
      paper.available += amount
      return
    }
    case 2:
    case 3: {
      const amount = 1 + roll(1_500)
      const { status } = yield* story.adjust({ amount: -amount / 100, reason: "spend" })
      const fits = amount <= paper.available - paper.lien
      assert.strictEqual(status, fits ? 201 : 400, `spend ${amount}`)
      if (fits) paper.available -= amount
      return
    }
    case 4: {
      const payment = pick(roll, paper.payments)
      if (payment === undefined) return
      const amount = 1 + roll(2_000)
      const answer = yield* askBlock(story, payment.charge, { amount: amount / 100 })
      assert.strictEqual(answer.status, amount <= payment.left ? 201 : 400, `block ${amount}`)
      if (amount > payment.left) return
      payment.left -= amount
      const made = answer.json
      paper.blocks.push({ made, payment, status: "awaiting_response", amount, returned: 0 })
      return
    }
    case 5: {
      const one = pick(roll, open)
      if (one === undefined || one.status === "defended") return
      yield* defend(one.made)
      one.status = "defended"
      return
    }
    case 6: {
      const one = pick(roll, open)
      if (one === undefined) return
      one.status = roll(3) === 0 ? "rejected" : "approved"
      yield* resolve(one.made, one.status)
      if (one.status === "rejected") one.payment.left += one.amount
      else paper.collect(one)
      return
    }
    default: {
      // Those that look side by side may leave some for the next look.
      for (let looks = 0; looks < 3; looks++) yield* story.advance("1 hour")
      paper.collect()
    }
  }
})

describe("any life of a wallet with blocks", () => {
  it.effect.each(Array.from({ length: 12 }, (_, seed) => seed))(
    "comes out as on paper (seed %i)",
    (seed) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const paper = new PaperWallet()
        const roll = dice(seed)
        for (let steps = 0; steps < 40; steps++) {
          yield* step(story, paper, roll)
          assert.deepStrictEqual(yield* spendable(story), paper.shown, `after step ${steps}`)
          yield* story.audit
        }
        const shown = (yield* operatorBlocks(story)).toReversed()
        assert.deepStrictEqual(
          shown.map(({ returnedAmount, status }) => [status, Math.round(returnedAmount * 100)]),
          paper.blocks.map(({ returned, status }) => [status, returned])
        )
        const returned = paper.blocks.reduce((sum, one) => sum + one.returned, 0)
        assert.strictEqual(total(yield* returns(story)), returned)
        assert.strictEqual(total(yield* chargebacks(story)), returned)
      }).pipe(Effect.provide(world))
  )
})
