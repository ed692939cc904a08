import { assert, describe, it } from "@effect/vitest"
import { Money, PspDirectory, SandboxPsp, Workers } from "@pagora/core"
import type { PspNotice, PspShape } from "@pagora/core"
import type { Journey } from "@pagora/testkit"
import { expecting, TestPagora } from "@pagora/testkit"
import type { Scope } from "effect"
import { Effect, Schedule } from "effect"
import { aDatabase } from "./FreshDatabase.test-data.ts"
import type { Process } from "./Processes.test-data.ts"
import { inBoth, processAt, quietly } from "./Processes.test-data.ts"

const test = (title: string, run: () => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(title, () => Effect.suspend(run).pipe(Effect.scoped, quietly), 60_000)

const twoProcesses = Effect.gen(function* () {
  const { url } = yield* aDatabase
  const here = yield* processAt(url)
  const there = yield* processAt(url)
  const [story] = yield* inBoth(here, there)
  return { story, all: [here, there] as const }
})

const inAll = <A, E>(
  all: ReadonlyArray<Process>,
  effect: Effect.Effect<A, E, TestPagora | PspDirectory | SandboxPsp | Workers>
) =>
  Effect.forEach(all, (process) => Effect.provideContext(effect, process), {
    concurrency: "unbounded"
  })

/** Has the PSP of a process do something else. */
const change = (methods: (psp: PspShape) => Partial<PspShape>) =>
  Effect.map(PspDirectory, (directory) => {
    const psp = directory.find(directory.default) as PspShape
    Object.assign(psp, methods({ ...psp }))
  })

const operatorBlocks = ({ shop }: Journey) =>
  Effect.flatMap(TestPagora, ({ operator }) =>
    Effect.flatMap(operator("GET", `/accounts/${shop.id}/balance-blocks?limit=100`), expecting(200))
  )

const work = Effect.flatMap(Workers, ({ drain }) => drain)

describe("what a PSP names by an id of its own, told to two processes at once", () => {
  test("is booked once: a payment to the key itself, and what the PSP gives back of it", () =>
    Effect.gen(function* () {
      const { all, story } = yield* twoProcesses
      const [here] = all
      const { endToEndId } = yield* Effect.provideContext(
        Effect.flatMap(SandboxPsp, ({ payKey }) => payKey({ amount: Money.Centavos.make(2_500n) })),
        here
      )
      const notice: PspNotice = { _tag: "Payment", endToEndId }
      yield* inAll(
        all,
        change(() => ({ readNotification: () => Effect.succeed([notice]) }))
      )
      const notify = Effect.gen(function* () {
        const { api } = yield* TestPagora
        const { default: psp } = yield* PspDirectory
        const send = Effect.map(api("POST", `/psp/${psp}/webhook`, { body: "{}" }), ({ status }) =>
          assert.strictEqual(status, 200)
        )
        yield* Effect.all([send, send, send, work, work], { concurrency: "unbounded" })
      })
      yield* inAll(all, notify)
      yield* inAll(all, work)
      yield* Effect.provideContext(
        Effect.flatMap(SandboxPsp, ({ returnPayment }) => returnPayment(endToEndId)),
        here
      )
      yield* inAll(all, notify)
      yield* inAll(all, work)
      const line = yield* Effect.provideContext(
        Effect.flatMap(TestPagora, ({ operator }) => operator("GET", "/reviews")).pipe(
          Effect.flatMap(expecting(200))
        ),
        here
      )
      const rows = line["data"] as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>
      assert.deepStrictEqual(
        rows.map(({ amount, reason, type }) => [type, reason, amount]),
        [
          ["deposit_return", "unidentified", 25],
          ["psp_return", "returned_by_psp", 25]
        ]
      )
      yield* Effect.provideContext(story.audit, here)
    }))
})

describe("a PSP that takes one payout at once, told by two processes", () => {
  test("is never told of two at the same time", () =>
    Effect.gen(function* () {
      const { all, story } = yield* twoProcesses
      const [here] = all
      let underWay = 0
      let most = 0
      let sent = 0
      yield* inAll(
        all,
        change((psp) => ({
          capabilities: { ...psp.capabilities, payoutsAtOnce: 1 },
          sendPayout: (payout) =>
            Effect.acquireUseRelease(
              Effect.sync(() => {
                sent++
                most = Math.max(most, ++underWay)
              }),
              () => Effect.delay(psp.sendPayout(payout), "50 millis"),
              () => Effect.sync(() => underWay--)
            )
        }))
      )
      yield* Effect.provideContext(story.fund(1_000), here)
      yield* Effect.forEach(
        Array.from({ length: 12 }, () => story.withdraw()),
        (withdraw) => Effect.provideContext(withdraw, here),
        { concurrency: "unbounded" }
      )
      yield* inAll(all, work).pipe(
        Effect.repeat({ until: () => sent >= 12, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("30 seconds")
      )
      assert.strictEqual(sent, 12)
      assert.strictEqual(most, 1)
      yield* Effect.provideContext(story.audit, here)
    }))
})

describe("a block that one process approves while the other books a return of its PSP", () => {
  test("never gives back more than it claims, and what it has taken is with the payer", () =>
    Effect.gen(function* () {
      const { all, story } = yield* twoProcesses
      const [here, there] = all
      for (let round = 0; round < 8; round++) {
        const taken = yield* Effect.gen(function* () {
          const charge = yield* story.charge()
          const [endToEndId = ""] = yield* story.payAtBank(charge)
          yield* work
          const before = yield* story.figures
          const sandbox = yield* SandboxPsp
          yield* sandbox.reportInfraction(endToEndId)
          yield* work
          const { data } = yield* operatorBlocks(story)
          const [block] = data
          const part = round % 2 === 0 ? 400n : 1_000n
          yield* sandbox.returnPayment(endToEndId, Money.Centavos.make(part))
          const { operator } = yield* TestPagora
          const approve = operator("POST", `/balance-blocks/${block?.id}/resolve`, {
            body: { outcome: "approved" }
          })
          const looks = Effect.provideContext(work, there)
          yield* Effect.all(round % 3 === 0 ? [approve, looks, work] : [looks, approve, work], {
            concurrency: "unbounded"
          })
          yield* work
          yield* looks
          const [after] = (yield* operatorBlocks(story)).data
          assert.isAtMost(after?.returnedAmount ?? 0, 10)
          assert.isAtLeast(after?.returnedAmount ?? 0, Number(part) / 100)
          const { total } = yield* story.figures
          assert.strictEqual(before.total - total, Math.round((after?.returnedAmount ?? 0) * 100))
          yield* story.audit
          const found = yield* sandbox.psp.findPayment?.(endToEndId) ?? Effect.die("left out")
          const payment = found._tag === "Done" ? found.value : undefined
          return (payment?.returns ?? [])
            .filter(({ status }) => status !== "rejected")
            .reduce((sum, { amount }) => sum + amount, 0n)
        }).pipe(Effect.provideContext(here))
        assert.isTrue(taken <= 1_000n, `${taken}`)
      }
    }))
})
