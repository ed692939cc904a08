import { assert, describe, it } from "@effect/vitest"
import type { Answer, Journey } from "@pagora/testkit"
import { expecting } from "@pagora/testkit"
import type { MergedUnit } from "@pagora/core"
import { ChargeWorker, StorageDriver, WebhookDispatcher } from "@pagora/core"
import { Clock, Context, Duration, Effect, Fiber, Layer } from "effect"
import { aDatabase, sqlOn } from "./FreshDatabase.test-data.ts"
import { hangingWire } from "./HangingWire.test-data.ts"
import { driverOf, inBoth, processAt, processOver } from "./Processes.test-data.ts"

/** Two processes over one PostgreSQL, and the wire of the first. */
const twoProcesses = Effect.gen(function* () {
  const { url } = yield* aDatabase
  const wire = hangingWire(yield* driverOf({ url, poolMax: 4 }))
  const here = yield* processOver(Layer.succeed(StorageDriver, wire.driver))
  const there = yield* processAt(url)
  const [first, second] = yield* inBoth(here, there)
  return { url, wire, here, there, first, second }
})

/** A call that may take as long as the machine needs: its deadline is not what is looked at. */
const patiently = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const clock = yield* Clock.clockWith(Effect.succeed)
    const patient: Clock.Clock = Object.assign(Object.create(clock), {
      sleep: (duration: Duration.Duration) =>
        Duration.toSeconds(duration) < 10 ? clock.sleep(duration) : Effect.never
    })
    return yield* Effect.provideService(call, Clock.Clock, patient)
  })

const hasAttempt = ({ attempts }: MergedUnit.MergedUnit) => attempts.length > 0
const hasRow =
  (kind: string) =>
  ({ inserts }: MergedUnit.MergedUnit): boolean =>
    inserts.some(({ row }) => row.kind === kind)

/**
 * The connection of the first process breaks while it writes the attempt of a webhook and what a request asks for as
 * one group, which never reaches the database. Until it learns of that, the other one has taken the delivery over.
 */
const cutOffWith = Effect.fnUntraced(function* <Body>(
  kind: string,
  ask: (story: Journey) => Effect.Effect<Answer<Body>>
) {
  const { first, here, second, there, url, wire } = yield* twoProcesses
  yield* first.fund(100)
  yield* first.endpoint()
  yield* first.payAtBank(yield* first.charge())
  yield* Context.get(here, ChargeWorker).drain

  yield* wire.hang(() => "held")
  const before = yield* Effect.forkChild(
    patiently(first.shop.call("POST", "/projects", { body: { name: "a" } }))
  )
  yield* wire.hung
  const sending = yield* Effect.forkChild(Context.get(here, WebhookDispatcher).drain)
  const asking = yield* Effect.forkChild(patiently(ask(first)))
  yield* wire.quiet
  const [held] = wire.hanging()
  assert.isDefined(held)
  yield* wire.mend
  yield* wire.hang((merged) => (merged === held ? undefined : "lost"))
  yield* Fiber.join(before)
  yield* wire.hung
  const [lost] = wire.hanging()
  assert.isTrue(lost !== undefined && hasAttempt(lost) && hasRow(kind)(lost))

  // The lease of the first one ends, and the second one delivers.
  yield* sqlOn(url, "update pagora.job set leased_until = 'epoch' where queue = 'webhook'")
  yield* Context.get(there, WebhookDispatcher).drain
  const [delivery] = yield* second.deliveries
  assert.strictEqual(delivery?.status, "delivered")

  yield* wire.mend
  const answer = yield* Fiber.join(asking)
  yield* Fiber.join(sending)
  return { answer, first, second }
})

describe("what is acknowledged after a connection broke is stored", () => {
  it.live(
    "a withdrawal, though another process has written what was to be written with it",
    () =>
      Effect.gen(function* () {
        const body = { amount: 10, pixKey: "ana@example.com", pixKeyType: "email" }
        const { answer, second } = yield* cutOffWith("withdrawal", ({ shop }) =>
          shop.call("POST", "/withdrawals", { body })
        )
        const { id } = yield* expecting(201)(answer)
        const shown = yield* second.transaction(id)
        assert.strictEqual(shown.id, id)
        assert.strictEqual((yield* second.figures).held, 1_000)
        yield* second.audit
      }),
    120_000
  )

  it.live(
    "the intent of a charge, before its PSP is asked",
    () =>
      Effect.gen(function* () {
        const { answer, second } = yield* cutOffWith("charge", ({ shop }) =>
          shop.call("POST", "/pix", { body: { amount: 10 } })
        )
        const charge = yield* expecting(201)(answer)
        assert.strictEqual((yield* second.transaction(charge.id)).status, "pending")
        yield* second.pay(charge)
        assert.strictEqual((yield* second.transaction(charge.id)).status, "completed")
        yield* second.audit
      }),
    120_000
  )
})

describe("a refusal that is told after a connection broke stays true", () => {
  it.live(
    "though what was sent before arrives when it could be done",
    () =>
      Effect.gen(function* () {
        const { first, second, url, wire } = yield* twoProcesses
        const body = { amount: 10, pixKey: "ana@example.com", pixKeyType: "email" }
        yield* first.fund(10)
        yield* wire.hang((merged) => (hasRow("withdrawal")(merged) ? "lost" : undefined))
        const asking = yield* Effect.forkChild(
          patiently(first.shop.call("POST", "/withdrawals", { body }))
        )
        yield* wire.hung
        const [lost] = wire.hanging()
        assert.isDefined(lost)
        // Meanwhile the money goes out by another process.
        yield* second.withdraw()
        yield* wire.mend
        const answer = yield* Fiber.join(asking)
        assert.strictEqual(answer.status, 400, answer.text)
        assert.strictEqual(answer.json.details?.code, "INSUFFICIENT_BALANCE")

        yield* second.fund(100)
        const late = yield* driverOf({ url })
        yield* late.write(lost)
        const { available, held } = yield* second.figures
        assert.deepStrictEqual([available, held], [10_000, 1_000])
        yield* second.audit
      }),
    120_000
  )
})
