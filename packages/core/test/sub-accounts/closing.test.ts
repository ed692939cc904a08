import { assert, describe, it } from "@effect/vitest"
import type { Journey, ReceivedEvent, WithId } from "@pagora/testkit"
import {
  expecting,
  journey,
  RecordingTransport,
  resumed,
  startMortal,
  TestPagora,
  untilDeath
} from "@pagora/testkit"
import { Context, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChargeId, SubAccountId, UnitId } from "../../src/kernel/Ids.ts"
import { Centavos } from "../../src/kernel/Money.ts"
import { ChargeKind } from "../../src/charges/Charge.ts"
import { Charges } from "../../src/charges/Charges.ts"
import { ChargeWorker } from "../../src/charges/ChargeWorker.ts"
import { Accounts } from "../../src/accounts/Accounts.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { block, resolve } from "../blocks/BalanceBlocks.test-data.ts"
import {
  Written,
  atPsp,
  codeOf,
  noon,
  existing,
  pspThat,
  world
} from "../world/ServiceWorld.test-data.ts"
import {
  as,
  changeSubAccount,
  openSubAccount,
  patchSubAccount
} from "./SubAccountWorld.test-data.ts"

const close = (story: Pick<Journey, "shop">, reference = "loja") =>
  changeSubAccount(story, reference, { status: "closed" })

/** A shop with a sub-account `loja`, and so many open charges of it. */
const withCharges = Effect.fnUntraced(function* (count: number, body = {}) {
  const story = yield* journey({ subAccountAccess: true })
  yield* story.endpoint()
  const subAccount = yield* openSubAccount(story, "loja")
  const charges = yield* Effect.replicateEffect(as(story, "loja").charge(body), count)
  return { story, subAccount, charges }
})

const chargeOf = Effect.fnUntraced(function* (charge: WithId) {
  const found = yield* (yield* Storage).find(ChargeKind, ChargeId.make(charge.id))
  return found?.value
})

const statusOf = (charge: WithId) => Effect.map(chargeOf(charge), (found) => found?.status)

/** What the wallet of a sub-account holds, whatever its status. */
const held = Effect.fnUntraced(function* (subAccount: WithId) {
  const wallet = yield* (yield* Accounts).balance(SubAccountId.make(subAccount.id))
  return wallet.available + wallet.held + wallet.promotional + wallet.lien
})

const kinds = (events: ReadonlyArray<ReceivedEvent>) => events.map(({ event }) => event)

describe("closing a sub-account", () => {
  it.effect("cancels its open charges here and at the PSP, and nobody else's", () =>
    Effect.gen(function* () {
      // More than are put in line at once.
      const { charges, story } = yield* withCharges(101)
      yield* openSubAccount(story, "outra")
      const others = [yield* as(story, "outra").charge(), yield* story.charge()]
      const closed = yield* close(story)
      assert.strictEqual(closed.status, "closed")
      assert.strictEqual(closed.closedAt, "2026-11-21T12:00:00.000Z")
      yield* story.drain
      for (const charge of charges) {
        assert.strictEqual(yield* statusOf(charge), "cancelled")
        assert.strictEqual((yield* atPsp(charge.id))?.status, "removed")
      }
      for (const charge of others) {
        assert.strictEqual(yield* statusOf(charge), "pending")
        assert.strictEqual((yield* atPsp(charge.id))?.status, "active")
      }
      yield* story.advance("3 days")
      assert.deepStrictEqual(kinds(yield* story.events()), ["payment_expired", "payment_expired"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is for ever: it shows as closed, and no request acts as it", () =>
    Effect.gen(function* () {
      const { story } = yield* withCharges(0)
      yield* close(story)
      yield* close(story)
      for (const body of [{ status: "approved" }, { status: "suspended" }, { fees: {} }]) {
        const answer = yield* patchSubAccount(story, "loja", body)
        assert.strictEqual(answer.status, 409)
        assert.deepStrictEqual(answer.json.details, {
          code: "SUB_ACCOUNT_CLOSED",
          resource: "sub-account",
          field: "reference",
          value: "loja",
          status: "closed"
        })
      }
      const before = (yield* Written).units.length
      for (const [method, path] of [
        ["POST", "/pix"],
        ["GET", "/account"],
        ["POST", "/projects"]
      ] as const) {
        const body = method === "POST" ? { amount: 1, name: "x" } : undefined
        const answer = yield* as(story, "loja").call(method, path, body)
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(codeOf(answer), "SUB_ACCOUNT_SUSPENDED")
        assert.include(String(answer.json.message), "closed")
      }
      assert.strictEqual((yield* Written).units.length, before)
      const { json } = yield* story.shop.call("GET", "/sub-accounts")
      assert.strictEqual(json.data[0]?.status, "closed")
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["available", "promotional"] as const)(
    "is refused while there is %s balance",
    (bucket) =>
      Effect.gen(function* () {
        const { charges, story } = yield* withCharges(1)
        const adjust = (amount: number) =>
          story.adjust({ amount, bucket, subAccount: "loja", reason: "test" })
        assert.strictEqual((yield* adjust(0.01)).status, 201)
        const answer = yield* patchSubAccount(story, "loja", { status: "closed" })
        assert.strictEqual(answer.status, 409)
        assert.strictEqual(codeOf(answer), "SUB_ACCOUNT_NOT_EMPTY")
        yield* story.drain
        assert.strictEqual(yield* statusOf(existing(charges[0])), "pending")
        assert.strictEqual((yield* adjust(-0.01)).status, 201)
        yield* close(story)
        const refused = yield* adjust(1)
        assert.strictEqual(refused.status, 409)
        assert.strictEqual(codeOf(refused), "SUB_ACCOUNT_CLOSED")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("does not end what its payers can claim: the main account answers for it", () =>
    Effect.gen(function* () {
      const { charges, story } = yield* withCharges(1)
      const charge = existing(charges[0])
      yield* story.pay(charge)
      const move = { from: "loja", to: "principal", amount: 10 }
      yield* Effect.flatMap(
        story.shop.call("POST", "/internal-transfers", { body: move }),
        expecting(201)
      )
      yield* close(story)
      const before = yield* story.figures
      const claim = yield* block(story, charge)
      assert.strictEqual((yield* story.figures).held, before.held + 1_000)
      yield* resolve(claim, "approved")
      assert.strictEqual((yield* story.figures).total, before.total - 1_000)
      yield* story.drain
      const told = (yield* story.events()).filter(({ event }) => event.includes("block"))
      assert.deepStrictEqual(
        told.map(({ subAccount }) => subAccount as unknown),
        [null, null]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is refused while something of it is blocked", () =>
    Effect.gen(function* () {
      const { story, subAccount } = yield* withCharges(0)
      const storage = yield* Storage
      const at = DateTime.makeUnsafe(noon)
      const lien = (delta: bigint) => ({
        id: UnitId.make(crypto.randomUUID()),
        at,
        liens: [{ wallet: SubAccountId.make(subAccount.id), delta: Centavos.make(delta) }]
      })
      yield* storage.commit(lien(5n))
      const answer = yield* patchSubAccount(story, "loja", { status: "closed" })
      assert.strictEqual(answer.status, 409)
      yield* storage.commit(lien(-5n))
      yield* close(story)
    }).pipe(Effect.provide(world))
  )

  it.effect("returns what is paid to it afterwards, and tells so", () =>
    Effect.gen(function* () {
      const { charges, story, subAccount } = yield* withCharges(2)
      const [late, later] = [existing(charges[0]), existing(charges[1])]
      yield* close(story)
      // Before the charge is cancelled at the PSP, and after.
      yield* story.payAtBank(late)
      yield* story.drain
      assert.strictEqual((yield* atPsp(late.id))?.payments.length, 1)
      assert.strictEqual(yield* held(subAccount), 0n)
      for (const charge of [late, later]) {
        assert.strictEqual(yield* statusOf(charge), "cancelled")
      }
      const [event, ...more] = yield* story.events()
      assert.deepStrictEqual(more, [])
      assert.strictEqual(event?.event, "payment_failed")
      assert.strictEqual(event?.subAccount, "loja")
      const { blockedDeposit } = event?.data ?? {}
      assert.strictEqual(blockedDeposit?.reason, "charge_not_payable")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("goes on until the PSP has answered, and cancels nothing before", () =>
    Effect.gen(function* () {
      const { charges, story } = yield* withCharges(2)
      const before = yield* pspThat({
        cancelCharge: () => Effect.succeed({ _tag: "Unknown", detail: "no answer" })
      })
      yield* close(story)
      yield* story.drain
      yield* story.advance("10 minutes")
      for (const charge of charges) assert.strictEqual(yield* statusOf(charge), "pending")
      yield* pspThat({ cancelCharge: before.cancelCharge })
      yield* story.advance("5 minutes")
      for (const charge of charges) {
        assert.strictEqual(yield* statusOf(charge), "cancelled")
        assert.strictEqual((yield* atPsp(charge.id))?.status, "removed")
      }
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("books a payment that the PSP tells when it is told to cancel", () =>
    Effect.gen(function* () {
      const { charges, story, subAccount } = yield* withCharges(1)
      const charge = existing(charges[0])
      const before = yield* pspThat({})
      const payOnce = yield* Effect.cached(story.payAtBank(charge))
      yield* pspThat({
        cancelCharge: (reference) => Effect.andThen(payOnce, before.cancelCharge(reference))
      })
      yield* close(story)
      yield* story.drain
      yield* story.advance("1 hour")
      assert.strictEqual(yield* statusOf(charge), "cancelled")
      assert.strictEqual(yield* held(subAccount), 0n)
      assert.include(kinds(yield* story.events()), "payment_failed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("meets a charge that the PSP has not answered for yet", () =>
    Effect.gen(function* () {
      const { story } = yield* withCharges(0)
      const before = yield* pspThat({})
      // The sub-account is closed, and its charges are looked for, while the PSP is asked.
      const closing = Effect.andThen(
        Effect.provideService(close(story), TestPagora, yield* TestPagora),
        story.drain
      )
      yield* pspThat({
        createCharge: (charge) => Effect.andThen(closing, before.createCharge(charge))
      })
      const body = { amount: 10, externalReference: "entre" }
      const answer = yield* as(story, "loja").call("POST", "/pix", body)
      assert.strictEqual(answer.status, 201)
      yield* story.advance("10 minutes")
      assert.strictEqual(yield* statusOf(answer.json), "cancelled")
      assert.strictEqual((yield* atPsp(answer.json.id))?.status, "removed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("gives up a charge whose PSP never answered, though somebody has its key", () =>
    Effect.gen(function* () {
      const { story } = yield* withCharges(0)
      yield* pspThat({ createCharge: () => Effect.succeed({ _tag: "Unknown", detail: "lost" }) })
      const headers = { "x-sub-account": "loja", "idempotency-key": "key-12345" }
      const answer = yield* story.shop.call("POST", "/pix", { body: { amount: 10 }, headers })
      assert.strictEqual(answer.status, 500)
      yield* close(story)
      yield* story.advance("10 minutes")
      const charges = yield* (yield* Storage).list(ChargeKind, { order: "asc", limit: 10 })
      assert.deepStrictEqual(
        charges.map(({ value }) => value.status),
        ["cancelled"]
      )
    }).pipe(Effect.provide(world))
  )
})

describe("a request that began before its sub-account was changed", () => {
  it.effect.each(["suspended", "closed"] as const)("opens nothing in one that is %s", (status) =>
    Effect.gen(function* () {
      const { story } = yield* withCharges(0)
      const storage = yield* Storage
      const accounts = yield* Accounts
      const before = (yield* storage.list(ChargeKind, { order: "asc", limit: 10 })).length
      // The moment between the check of X-Sub-Account and the commit.
      const charges = yield* Charges
      const acting = yield* accounts.acting(yield* accounts.find(story.shop.id), "loja")
      yield* changeSubAccount(story, "loja", { status })
      const refused = yield* Effect.flip(charges.create(acting, { amount: Centavos.make(100n) }))
      assert.deepInclude(refused, { _tag: "NotActive", name: "loja", status })
      const after = (yield* storage.list(ChargeKind, { order: "asc", limit: 10 })).length
      assert.strictEqual(after, before)
    }).pipe(Effect.provide(world))
  )

  it.effect("goes on where only its fees were changed", () =>
    Effect.gen(function* () {
      const { story } = yield* withCharges(0)
      const accounts = yield* Accounts
      const charges = yield* Charges
      const account = yield* accounts.find(story.shop.id)
      const acting = yield* accounts.acting(account, "loja")
      yield* changeSubAccount(story, "loja", { fees: { payment: { fixed: 1 } } })
      const charge = yield* charges.create(acting, { amount: Centavos.make(100n) })
      assert.strictEqual(charge.status, "pending")
    }).pipe(Effect.provide(world))
  )
})

describe("closing at the very moment", () => {
  it.effect("that a payment is booked: one of the two comes first, and both agree", () =>
    Effect.gen(function* () {
      const outcomes = new Set<string>()
      for (let round = 0; round < 12; round++) {
        const { charges, story, subAccount } = yield* withCharges(1)
        const charge = existing(charges[0])
        yield* story.payAtBank(charge)
        const worker = yield* ChargeWorker
        const closing = patchSubAccount(story, "loja", { status: "closed" })
        // Now the one has a start, now the other.
        const late = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.andThen(Effect.repeat(Effect.yieldNow, { times: round * 3 }), effect)
        const [, answer] = yield* Effect.all(
          round % 2 === 0 ? [worker.drain, late(closing)] : [late(worker.drain), closing],
          { concurrency: "unbounded" }
        )
        yield* story.drain
        const isPaid = (yield* statusOf(charge)) === "completed"
        assert.strictEqual(answer.status, isPaid ? 409 : 200)
        assert.strictEqual(yield* held(subAccount), isPaid ? 1_000n : 0n)
        if (!isPaid) assert.strictEqual(yield* statusOf(charge), "cancelled")
        outcomes.add(isPaid ? "paid" : "closed")
        yield* story.audit
      }
      assert.deepStrictEqual([...outcomes].toSorted(), ["closed", "paid"])
    }).pipe(Effect.provide(world))
  )

  it.effect("that the operator adjusts it: nothing is left in one that is closed", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        const { story, subAccount } = yield* withCharges(0)
        const adjust = story.adjust({ amount: 1, subAccount: "loja", reason: "test" })
        const closing = patchSubAccount(story, "loja", { status: "closed" })
        const both = round % 2 === 0 ? [adjust, closing] : [closing, adjust]
        const answers = yield* Effect.all(both, { concurrency: "unbounded" })
        const [adjusted, closed] = round % 2 === 0 ? answers : answers.toReversed()
        assert.deepStrictEqual(
          [adjusted?.status, closed?.status],
          adjusted?.status === 201 ? [201, 409] : [409, 200]
        )
        assert.strictEqual(yield* held(subAccount), adjusted?.status === 201 ? 100n : 0n)
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )
})

describe("closing in a process that dies", { timeout: 60_000 }, () => {
  const emptyStorage = Effect.map(Layer.build(Layer.fresh(layerMemory)), (context) =>
    Context.get(context, StorageDriver)
  )

  const run = Effect.fnUntraced(function* (point?: {
    readonly call: number
    readonly side: "before" | "after"
  }) {
    const driver = yield* emptyStorage
    const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
    const first = yield* startMortal(driver, transport)
    const { charges, story } = yield* Effect.provideContext(withCharges(2), first.services)
    const paid = existing(charges[0])
    yield* first.arm(point)
    yield* untilDeath(
      first,
      Effect.gen(function* () {
        yield* close(story)
        yield* story.payAtBank(paid)
        yield* story.drain
        return true
      })
    )
    const calls = yield* first.calls
    const next = first.isDead() ? yield* startMortal(driver, transport) : first
    yield* next.arm(undefined)
    yield* Effect.provideContext(
      Effect.gen(function* () {
        const again = yield* resumed(story.shop)
        // Who was told nothing asks again.
        yield* close(story)
        for (const by of ["1 second", "3 minutes", "15 minutes"] as const) {
          yield* TestClock.adjust("61 seconds")
          yield* again.advance(by)
        }
        for (const charge of charges) {
          assert.strictEqual(yield* statusOf(charge), "cancelled")
          assert.notStrictEqual((yield* atPsp(charge.id))?.status, "active")
        }
        const payments = (yield* atPsp(paid.id))?.payments ?? []
        const told = new Set((yield* again.events()).map(({ eventId }) => eventId))
        assert.strictEqual(told.size, payments.length)
        yield* again.audit
      }),
      next.services
    )
    return { calls, died: first.isDead() }
  })

  it.effect("comes to the same end wherever it dies", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const whole = yield* run()
      assert.isFalse(whole.died)
      // At least: the closing, its claim, the charges in line, two claims, two ends.
      assert.isAtLeast(whole.calls, 7)
      for (let call = 0; call < whole.calls; call++) {
        for (const side of ["before", "after"] as const) {
          const { died } = yield* run({ call, side })
          assert.isTrue(died, `${side} ${call}`)
        }
      }
    })
  )
})

describe("a suspended sub-account", () => {
  it.effect("receives, and comes back with what it received", () =>
    Effect.gen(function* () {
      const { charges, story, subAccount } = yield* withCharges(2)
      yield* changeSubAccount(story, "loja", { status: "suspended" })
      yield* story.pay(existing(charges[0]))
      yield* story.drain
      assert.strictEqual(yield* statusOf(existing(charges[0])), "completed")
      assert.strictEqual(yield* statusOf(existing(charges[1])), "pending")
      assert.strictEqual(yield* held(subAccount), 1_000n)
      assert.deepStrictEqual(kinds(yield* story.events()), ["payment_completed"])
      const adjusted = yield* story.adjust({ amount: 1, subAccount: "loja", reason: "x" })
      assert.strictEqual(adjusted.status, 201)
      const refused = yield* as(story, "loja").call("POST", "/pix", { amount: 1 })
      assert.strictEqual(codeOf(refused), "SUB_ACCOUNT_SUSPENDED")
      const back = yield* changeSubAccount(story, "loja", { status: "approved" })
      assert.strictEqual(back.status, "approved")
      assert.strictEqual(yield* as(story, "loja").available, 1_100)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
