import { assert, describe, it } from "@effect/vitest"
import { HealthChecks, PspDirectory, ServiceClock, StorageDriver } from "@pagora/core"
import type { PspShape } from "@pagora/core"
import type { Answer } from "@pagora/testkit"
import { expecting, RecordingTransport, TestPagora } from "@pagora/testkit"
import { DateTime, Deferred, Duration, Effect, Fiber, Layer, Logger, References } from "effect"
import { postgres } from "../src/index.ts"
import { aDatabase } from "./FreshDatabase.test-data.ts"
import { inBoth, processOver } from "./Processes.test-data.ts"
import { twoClocks } from "./TwoClocks.test-data.ts"

const test = (title: string, run: () => Effect.Effect<void, unknown, never>) =>
  it.live(
    title,
    () => Effect.suspend(run).pipe(Effect.provideService(References.MinimumLogLevel, "Error")),
    60_000
  )

type Clocks = Effect.Success<ReturnType<typeof twoClocks>>
type Story = Clocks["stories"][0]

const millisUntil = (instant: unknown) => Date.parse(String(instant)) - Date.now()

/** Holds every call of this until it is let go. */
const held = Effect.fnUntraced(function* (name: "sendPayout" | "refund") {
  const directory = yield* PspDirectory
  const psp = directory.find(directory.default) as PspShape
  const [begun, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const call = psp[name] as (input: never) => Effect.Effect<unknown>
  Object.assign(psp, {
    [name]: (input: never) =>
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Deferred.await(gate)),
        Effect.andThen(call(input))
      )
  })
  return { begun: Deferred.await(begun), letGo: Deferred.succeed(gate, undefined) }
})

/** Still to be paid, with about the hour left that they were given, whoever's clock gave it. */
const haveTheirHour = Effect.fnUntraced(function* (
  story: Story,
  charges: ReadonlyArray<Readonly<Record<string, unknown>>>
) {
  for (const { id } of charges) {
    const charge = yield* story.transaction(String(id))
    assert.strictEqual(charge.status, "pending")
    const left = millisUntil(charge.expiresAt)
    assert.isTrue(left > 3_300_000 && left <= 3_605_000, String(left))
  }
})

/** Counts what is asked or told of payouts and refunds. */
const counted = Effect.gen(function* () {
  const directory = yield* PspDirectory
  const psp = directory.find(directory.default) as PspShape
  const calls: Array<string> = []
  for (const name of ["sendPayout", "findPayout", "refund", "findRefund"] as const) {
    const call = psp[name] as (input: never) => Effect.Effect<unknown>
    Object.assign(psp, {
      [name]: (input: never) =>
        Effect.andThen(
          Effect.sync(() => calls.push(name)),
          call(input)
        )
    })
  }
  return calls
})

/** What the one is about to tell its PSP when the other looks is neither told nor asked about by the other. */
const isLeftAlone = Effect.fnUntraced(function* <A, E>(
  { inOther, inRight, stories: [here, there] }: Clocks,
  call: "sendPayout" | "refund",
  order: Effect.Effect<A, E>
) {
  const sending = yield* inRight(held(call))
  const calls = yield* inOther(counted)
  yield* order
  const working = yield* Effect.forkChild(here.drain)
  yield* sending.begun
  yield* inOther(there.drain)
  yield* sending.letGo
  yield* Fiber.join(working)
  assert.deepStrictEqual(calls, [])
})

describe("two processes on one PostgreSQL, the clock of one 25 hours ahead", () => {
  test("a key that lives keeps its answer, and the client's retry pays once", () =>
    Effect.gen(function* () {
      const { inOther, stories } = yield* twoClocks("25 hours")
      const [story, there] = stories
      yield* story.fund(100)
      const pay = story.shop.call("POST", "/withdrawals", {
        headers: { "idempotency-key": "pay-once-0001" },
        body: { amount: 10, pixKey: "ana@example.com", pixKeyType: "email" }
      })
      const first = yield* pay
      assert.strictEqual(first.status, 201)
      yield* inOther(there.drain)
      const second = yield* pay
      assert.strictEqual(second.text, first.text)
      assert.strictEqual((yield* story.figures).held, 1_000)
    }).pipe(Effect.scoped))

  test("a charge with an hour left is not ended, whoever made it", () =>
    Effect.gen(function* () {
      const { inOther, stories } = yield* twoClocks("25 hours")
      const [here, there] = stories
      const body = { expiresIn: 3_600 }
      const charges = [yield* here.charge(body), yield* inOther(there.charge(body))]
      yield* inOther(there.drain)
      yield* here.drain
      yield* haveTheirHour(here, charges)
    }).pipe(Effect.scoped))
})

describe("two processes on one PostgreSQL, the clock of one 2 minutes ahead", () => {
  test("a payout that is being sent is left alone", () =>
    Effect.gen(function* () {
      const clocks = yield* twoClocks("2 minutes")
      const { stories } = clocks
      yield* stories[0].fund(100)
      yield* isLeftAlone(clocks, "sendPayout", stories[0].withdraw())
    }).pipe(Effect.scoped))

  test("a return that is being asked for is left alone", () =>
    Effect.gen(function* () {
      const clocks = yield* twoClocks("2 minutes")
      const { stories } = clocks
      const charge = yield* stories[0].charge()
      yield* stories[0].pay(charge)
      yield* isLeftAlone(clocks, "refund", stories[0].refund(charge))
    }).pipe(Effect.scoped))

  test("a delivery that is being sent is left alone", () =>
    Effect.gen(function* () {
      const { inOther, inRight, stories } = yield* twoClocks("2 minutes")
      const [here, there] = stories
      const transport = yield* inRight(RecordingTransport)
      const [begun, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* transport.answerBy(() =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Deferred.await(gate)),
          Effect.andThen(RecordingTransport.answered(200))
        )
      )
      yield* here.endpoint()
      const charge = yield* here.charge()
      yield* here.payAtBank(charge)
      const working = yield* Effect.forkChild(here.drain)
      yield* Deferred.await(begun)
      yield* inOther(there.drain)
      const sent = yield* Effect.flatMap(inOther(RecordingTransport), ({ requests }) => requests)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(working)
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.scoped))
})

describe("two processes on one PostgreSQL, the clock of one 25 hours behind", () => {
  test("each takes the other's tokens, and what the other made ends when it should", () =>
    Effect.gen(function* () {
      const { inOther, inRight, stories } = yield* twoClocks("-25 hours")
      const [here, there] = stories
      const { clientId, clientSecret } = here.shop
      const body = { client_id: clientId, client_secret: clientSecret }
      const [right, other] = [yield* inRight(TestPagora), yield* inOther(TestPagora)]
      const tokenOf = ({ json }: Answer<{ readonly access_token: string }>) => ({
        headers: { authorization: `Bearer ${json.access_token}` }
      })
      const ours = tokenOf(yield* inRight(right.api("POST", "/auth", { body })))
      const theirs = tokenOf(yield* inOther(other.api("POST", "/auth", { body })))
      yield* Effect.flatMap(inOther(other.api("GET", "/account", ours)), expecting(200))
      yield* Effect.flatMap(inRight(right.api("GET", "/account", theirs)), expecting(200))
      const charges = [
        yield* here.charge({ expiresIn: 3_600 }),
        yield* inOther(there.charge({ expiresIn: 3_600 }))
      ]
      yield* here.drain
      yield* haveTheirHour(here, charges)
    }).pipe(Effect.scoped))
})

/** A process over a PostgreSQL whose clock the test sets. */
const processBy = (url: string, ahead: () => Duration.Duration) =>
  processOver(
    Layer.effect(
      StorageDriver,
      Effect.map(StorageDriver, (driver) => ({
        ...driver,
        clock: Effect.map(driver.clock, (told) => DateTime.addDuration(told, ahead()))
      }))
    ).pipe(Layer.provide(postgres({ url, poolMax: 4 })))
  )

describe("two processes on one PostgreSQL, whose clock is 25 hours off for a while", () => {
  for (const [way, hours] of [
    ["ahead", 25],
    ["behind", -25]
  ] as const) {
    test(`${way}: the client's retry at the other one pays once`, () =>
      Effect.gen(function* () {
        let ahead = Duration.zero
        const { url } = yield* aDatabase
        const here = yield* processBy(url, () => ahead)
        const there = yield* processBy(url, () => ahead)
        const [story, other] = yield* inBoth(here, there)
        const set = (to: number) =>
          Effect.gen(function* () {
            ahead = Duration.hours(to)
            for (const service of [here, there])
              yield* Effect.provideContext(
                Effect.flatMap(ServiceClock, ({ follow }) => follow),
                service
              )
          })
        yield* Effect.provideContext(story.fund(100), here)
        const payment = {
          headers: { "idempotency-key": "pay-once-0001" },
          body: { amount: 10, pixKey: "ana@example.com", pixKeyType: "email" }
        }
        if (way === "behind") yield* set(hours)
        const first = yield* Effect.provideContext(
          story.shop.call("POST", "/withdrawals", payment),
          here
        )
        assert.strictEqual(first.status, 201)
        yield* set(way === "behind" ? 0 : hours)
        const second = yield* Effect.provideContext(
          other.shop.call("POST", "/withdrawals", payment),
          there
        )
        assert.strictEqual(second.text, first.text)
        const { held } = yield* Effect.provideContext(story.figures, here)
        assert.strictEqual(held, 1_000)
      }).pipe(Effect.scoped))
  }
})

describe("a process whose clock goes wrong while it runs", () => {
  test("is not ready and takes no work, says so once, serves, and goes on when it is right again", () =>
    Effect.gen(function* () {
      const { inOther, stories, wrong } = yield* twoClocks(0)
      const [here, there] = stories
      yield* here.fund(100)
      const lines: Array<string> = []
      const logger = Logger.make((options) => void lines.push(Logger.formatJson.log(options)))
      const { start } = yield* inOther(ServiceClock)
      yield* Effect.provide(
        start,
        Layer.mergeAll(
          wrong.layer,
          Logger.layer([logger]),
          Layer.succeed(References.MinimumLogLevel, "Info")
        )
      )
      const health = inOther(Effect.flatMap(HealthChecks, ({ check }) => check))
      const reported = (clock: string, words: string) =>
        Effect.repeat(Effect.delay(health, "100 millis"), {
          until: ({ checks, reasons }) => checks.clock === clock && reasons.join().includes(words)
        }).pipe(Effect.timeout("20 seconds"))
      assert.isTrue((yield* health).ready)
      const calls = yield* inOther(counted)
      yield* here.withdraw()
      for (const [ahead, words] of [
        ["10 minutes", "is 600 s ahead of the storage's"],
        ["-10 minutes", "is 600 s behind the storage's"]
      ] as const) {
        yield* wrong.set(ahead)
        assert.isFalse((yield* reported("failed", words)).ready)
        yield* inOther(there.drain)
        assert.deepStrictEqual(calls, [])
        const { expiresAt } = yield* inOther(there.charge({ expiresIn: 3_600 }))
        assert.isBelow(Math.abs(millisUntil(expiresAt) - 3_600_000), 300_000)
      }
      yield* wrong.set(0)
      assert.isTrue((yield* reported("ok", "")).ready)
      yield* inOther(there.drain)
      assert.include(calls, "sendPayout")
      const told = Effect.sync(() =>
        lines
          .filter((line) => line.includes("The clock of this machine"))
          .map((line) => (JSON.parse(line) as { readonly level: string }).level.toUpperCase())
      )
      const levels = yield* Effect.repeat(Effect.delay(told, "100 millis"), {
        until: ({ length }) => length >= 2
      }).pipe(Effect.timeout("20 seconds"))
      assert.deepStrictEqual(levels, ["ERROR", "WARN"])
    }).pipe(Effect.scoped))
})
