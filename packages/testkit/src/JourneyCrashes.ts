import { assert } from "@effect/vitest"
import type { PspPayment, StorageDriver, WebhookTransport } from "@pagora/core"
import type { Charge, Kind } from "@pagora/core"
import { ChargeKind, PspDirectory, Storage } from "@pagora/core"
import type { Context } from "effect"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Journey, RefundReceipt, WithId } from "./Journey.ts"
import { journey, resumed } from "./Journey.ts"
import type { CrashPoint, MortalProcess } from "./JourneyCrash.ts"
import { startMortal, untilDeath } from "./JourneyCrash.ts"
import { returnBookSize, settleRefunds, verifyReturns } from "./JourneyCrashReturns.ts"
import type { ReceivedEvent } from "./ReceivedEvent.ts"
import { RecordingTransport } from "./RecordingTransport.ts"
import type { Tenant } from "./TestPagora.ts"

/** What somebody was told that there is. */
type Acknowledged = WithId | RefundReceipt

const isReceipt = (one: Acknowledged): one is RefundReceipt => "pspRefundTransactionId" in one

/** What happens to one charge; `acknowledge` is called as soon as its creation, or a refund, was answered. */
export interface CrashScenario {
  readonly name: string
  readonly run: (
    story: Journey,
    acknowledge: (created: Acknowledged) => void
  ) => Effect.Effect<unknown>
}

const opened = (
  story: Journey,
  acknowledge: (charge: Acknowledged) => void,
  body: Readonly<Record<string, unknown>> = {}
) => Effect.tap(story.charge(body), (charge) => Effect.sync(() => acknowledge(charge)))

/** The lives of a charge that a crash must not change. */
export const crashScenarios: ReadonlyArray<CrashScenario> = [
  {
    name: "is paid",
    run: (story, acknowledge) =>
      Effect.gen(function* () {
        const charge = yield* opened(story, acknowledge)
        yield* story.payAtBank(charge)
        yield* story.drain
      })
  },
  {
    name: "is paid with a wrong amount, then with the right one, then again",
    run: (story, acknowledge) =>
      Effect.gen(function* () {
        const charge = yield* opened(story, acknowledge)
        yield* story.payAtBank(charge, { amount: 3 })
        yield* story.payAtBank(charge, { times: 2 })
        yield* story.drain
      })
  },
  {
    name: "expires and is paid too late",
    run: (story, acknowledge) =>
      Effect.gen(function* () {
        const charge = yield* opened(story, acknowledge, { expiresIn: 60 })
        yield* story.advance("60 seconds")
        yield* story.payAtBank(charge)
        yield* story.drain
      })
  },
  {
    name: "is paid and refunded",
    run: (story, acknowledge) =>
      Effect.gen(function* () {
        const charge = yield* opened(story, acknowledge)
        yield* story.pay(charge)
        const receipt = yield* story.refund(charge)
        acknowledge(receipt)
        yield* story.drain
        yield* story.settleRefund(receipt, "confirmed")
        yield* story.drain
      })
  },
  {
    name: "is paid and refunded in parts",
    run: (story, acknowledge) =>
      Effect.gen(function* () {
        const charge = yield* opened(story, acknowledge)
        yield* story.pay(charge)
        for (const body of [{ amount: 3 }, {}]) {
          const receipt = yield* story.refund(charge, body)
          acknowledge(receipt)
          yield* story.drain
          yield* story.settleRefund(receipt, "confirmed")
        }
      })
  }
]

const urls = ["https://one.example.com/", "https://two.example.com/"]
const feeCentavos = 50
/** Enough for the fee of a refund, which costs more than the payment has brought. */
const savedCentavos = 100

type Transport = Context.Context<RecordingTransport | WebhookTransport>

/** Leases of the dead end, intents are given up, charges expire, deliveries are repeated. */
const quiesce = (shop: Tenant) =>
  Effect.gen(function* () {
    const story = yield* resumed(shop)
    for (const by of ["1 second", "3 minutes", "15 minutes", "1 day", "1 day"] as const) {
      // Leases go by the real clock, everything else by business time.
      yield* TestClock.adjust("61 seconds")
      yield* story.advance(by)
      yield* settleRefunds(shop)
    }
    yield* story.drain
    return story
  })

/** What the PSP's own book says: the truth of what was paid. */
const atPsp = Effect.fnUntraced(function* (charge: Charge) {
  const directory = yield* PspDirectory
  const psp = directory.find(charge.pspCredentialId)
  const outcome = yield* psp?.findCharge(charge.reference) ?? Effect.die(new Error("No PSP."))
  return outcome._tag === "Done" ? outcome.value : undefined
})

const PspBook: Kind.ReadableKind<string> = {
  name: "sandbox_charge",
  table: "operation",
  read: ({ status, version }) => ({ value: status, version })
}

/** How many charges the PSP has, whoever knows of them. */
const bookSize = Effect.gen(function* () {
  const storage = yield* Storage
  const book = yield* Effect.orDie(storage.list(PspBook, { order: "asc", limit: 10_000 }))
  return book.length
})

const isRight =
  (charge: Charge) =>
  ({ amount, paidAt }: PspPayment): boolean =>
    amount === charge.amount && DateTime.isLessThan(paidAt, charge.expiresAt)

/** What must have been told of a charge, whatever crashed on the way. */
const eventsOf = (charge: Charge, payments: ReadonlyArray<PspPayment>): ReadonlyArray<string> => {
  const isPaid = payments.some(isRight(charge))
  const strays = payments.length - (isPaid ? 1 : 0)
  return [
    ...(isPaid ? ["payment_completed"] : []),
    ...Array.from({ length: strays }, () => "payment_failed"),
    ...(!isPaid && charge.status === "expired" ? ["payment_expired"] : [])
  ]
}

/** Compares what is there with what was acknowledged and what was paid. */
const verify = Effect.fnUntraced(function* (
  shop: Tenant,
  options: {
    readonly acknowledged: ReadonlyArray<Acknowledged>
    readonly bookSize: number
    readonly returnBookSize: number
  }
) {
  const story = yield* resumed(shop)
  const storage = yield* Storage
  const stored = yield* Effect.orDie(
    storage.list(ChargeKind, { account: shop.id, order: "asc", limit: 100 })
  )
  const charges = stored.map(({ value }) => value)
  const ids = new Set<string>(charges.map(({ id }) => id))
  for (const body of options.acknowledged) {
    assert.isTrue(isReceipt(body) || ids.has(body.id), "a charge is lost")
  }

  let credited = BigInt(savedCentavos)
  let strays = 0
  let known = 0
  const expected: Array<string> = []
  for (const charge of charges) {
    const there = yield* atPsp(charge)
    const payments = there?.payments ?? []
    if (there !== undefined) known++
    if (charge.status === "cancelled") assert.notStrictEqual(there?.status, "active")
    const isPaid = payments.some(isRight(charge))
    strays += payments.length - (isPaid ? 1 : 0)
    if (isPaid) credited += charge.amount - BigInt(feeCentavos)
    assert.strictEqual(charge.status === "completed", isPaid, `a paid charge is ${charge.status}`)
    assert.notInclude(["creating", "pending"], charge.status, "a charge never came to its end")
    expected.push(...eventsOf(charge, payments))
  }
  const refunds = yield* verifyReturns(shop, {
    acknowledged: options.acknowledged.filter(isReceipt),
    strays,
    bookSize: options.returnBookSize
  })
  expected.push(...Array.from({ length: refunds.count }, () => "refund_completed"))
  assert.strictEqual((yield* story.figures).total, Number(credited - refunds.cost), "the balance")
  assert.strictEqual((yield* story.figures).held, 0, "the held balance")

  const deliveries = yield* story.deliveries
  const told = deliveries.map(({ event }) => event).toSorted()
  assert.deepStrictEqual(told, expected.flatMap((event) => [event, event]).toSorted(), "the events")
  for (const { status } of deliveries) assert.strictEqual(status, "delivered")
  for (const url of urls) yield* verifyReceived(story, url, expected.length)
  assert.strictEqual(yield* bookSize, options.bookSize + known, "charges at the PSP")
  yield* story.audit
})

/** Repeats are allowed and have the same bytes; nothing is missing. */
const verifyReceived = Effect.fnUntraced(function* (story: Journey, url: string, events: number) {
  const bodies = new Map<string, string>()
  for (const { body } of yield* story.received(url)) {
    const { eventId } = JSON.parse(body) as ReceivedEvent
    const known = bodies.get(eventId) ?? body
    assert.strictEqual(body, known, "one event has two bodies")
    bodies.set(eventId, body)
  }
  assert.strictEqual(bodies.size, events, `the events that ${url} received`)
})

/** Runs in a process; when it dies, goes on in one that lives. */
const surviving = Effect.fnUntraced(function* (
  driver: StorageDriver["Service"],
  transport: Transport,
  process: MortalProcess,
  shop: Tenant
) {
  const ended = yield* untilDeath(process, quiesce(shop))
  if (ended !== undefined) return process
  const next = yield* startMortal(driver, transport)
  yield* untilDeath(next, quiesce(shop))
  return next
})

/**
 * Lets a scenario happen in a process that dies at the first point, and its restart die at the second one;
 * then starts once more, lets everything come to rest, and checks that nothing is lost and nothing is double.
 * Answers how many changes of the storage the scenario made, and the points that are worth trying.
 */
export const crashAt = Effect.fnUntraced(function* (
  driver: StorageDriver["Service"],
  scenario: CrashScenario,
  points: { readonly first?: CrashPoint; readonly second?: CrashPoint } = {}
) {
  const transport: Transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
  const acknowledged: Array<Acknowledged> = []
  const first = yield* startMortal(driver, transport)
  const story = yield* Effect.provideContext(journey(), first.services)
  yield* story.change({
    fees: { payment: { fixed: feeCentavos / 100 }, refund: { fixed: 0.25 } }
  })
  yield* story.adjust({ amount: savedCentavos / 100, reason: "Saldo" })
  for (const url of urls) yield* story.endpoint({ url })

  const booked = yield* Effect.provideContext(bookSize, first.services)
  const returned = yield* Effect.provideContext(returnBookSize, first.services)

  yield* first.arm(points.first)
  const run = scenario.run(story, (charge) => {
    if (first.isDead()) return
    acknowledged.push(charge)
    first.seen()
  })
  yield* untilDeath(first, Effect.as(run, true))
  const [calls, distinct] = [yield* first.calls, yield* first.points]
  const second = first.isDead() ? yield* startMortal(driver, transport) : first
  yield* second.arm(points.second)
  const last = yield* surviving(driver, transport, second, story.shop)
  yield* Effect.provideContext(
    verify(story.shop, { acknowledged, bookSize: booked, returnBookSize: returned }),
    last.services
  )

  // The service is in good health: another charge goes the whole way.
  const after = yield* Effect.provideContext(resumed(story.shop), last.services)
  const before = (yield* after.figures).total
  yield* after.pay(yield* after.charge())
  yield* after.drain
  assert.strictEqual((yield* after.figures).total - before, 1_000 - feeCentavos)
  yield* after.audit
  const diedAgain = second !== first && second.isDead()
  return { calls, points: distinct, died: first.isDead(), diedAgain }
})
