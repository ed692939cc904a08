import { assert, it } from "@effect/vitest"
import { Endpoints, memory, Sandbox, Transactions, Workers } from "@pagora/core"
import type { Charge } from "@pagora/core"
import { layerPagora, RecordingTransport } from "@pagora/testkit"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Tickets } from "../src/Tickets.ts"

// The whole service over memory, on the test clock. Nothing runs by itself: `drain` works off what is due.
const world = Tickets.layer.pipe(
  Layer.provideMerge(layerPagora(memory(), RecordingTransport.layer)),
  Layer.provideMerge(RecordingTransport.layer)
)

/** From now on somebody listens to what becomes of the ticket. */
const listens = ({ account, wallet }: Charge) =>
  Effect.flatMap(Endpoints, (endpoints) =>
    endpoints.create(account, { url: "https://festival.example/hook", wallet })
  )

const told = Effect.gen(function* () {
  yield* (yield* Workers).drain
  const requests = yield* (yield* RecordingTransport).requests
  return requests.map(({ body }) => (JSON.parse(body) as { readonly event: string }).event)
})

it.effect("a ticket that nobody pays is free again after half an hour, and not before", () =>
  Effect.gen(function* () {
    const ticket = yield* (yield* Tickets).reserve("row-7-seat-12")
    yield* listens(ticket)
    const status = Effect.gen(function* () {
      const transactions = yield* Transactions
      return (yield* transactions.find(ticket.account, "row-7-seat-12")).status
    })

    yield* TestClock.adjust(Duration.seconds(30 * 60 - 1))
    assert.deepStrictEqual([yield* told, yield* status], [[], "pending"])
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual([yield* told, yield* status], [["payment_expired"], "cancelled"])
  }).pipe(Effect.provide(world))
)

it.effect("a ticket that is paid in its last second is sold", () =>
  Effect.gen(function* () {
    const ticket = yield* (yield* Tickets).reserve("row-7-seat-12")
    yield* listens(ticket)
    yield* TestClock.adjust(Duration.seconds(30 * 60 - 1))
    yield* (yield* Sandbox).pay(ticket.id, {})
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(yield* told, ["payment_completed"])
  }).pipe(Effect.provide(world))
)
