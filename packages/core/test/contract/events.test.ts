import { assert, describe, it } from "@effect/vitest"
import { eventSchemas, WebhookTransport } from "@pagora/core"
import { hookUrl, journey, layerPagora, RecordingTransport } from "@pagora/testkit"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { eventTypes } from "../../src/webhooks/EventTypes.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

const strict = { onExcessProperty: "error" } as const

describe("event schemas", () => {
  it("has one for every kind of event", () => {
    assert.deepStrictEqual(Object.keys(eventSchemas), [...eventTypes])
  })

  it.effect("describe what goes out, to the last field", () =>
    Effect.gen(function* () {
      const story = yield* journey({ policy: { blockCnpjPayers: true } })
      yield* story.endpoint()
      yield* story.pay(yield* story.charge({ amount: 10.5, metadata: { cart: "7" } }))
      yield* story.expire(yield* story.charge({ externalReference: "late" }))
      yield* story.pay(yield* story.charge(), { payerDocument: "11222333000181" })
      yield* story.drain
      const told = yield* story.events(hookUrl)
      assert.sameMembers(
        told.map(({ event }) => event),
        ["payment_completed", "payment_expired", "payment_failed"]
      )
      for (const event of told) {
        const schema = eventSchemas[event.event as keyof typeof eventSchemas]
        yield* Schema.decodeUnknownEffect(schema as Schema.Codec<unknown>, strict)(event)
      }
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("fail a story that sends anything else", () =>
    Effect.gen(function* () {
      const sending = Effect.flatMap(WebhookTransport, (transport) =>
        transport.send({ url: hookUrl, headers: {}, body: '{"event":"payment_completed"}' })
      ).pipe(
        Effect.provide(layerPagora(Layer.fresh(layerMemory), Layer.fresh(RecordingTransport.layer)))
      )
      const exit = yield* Effect.exit(sending)
      assert.isTrue(Exit.isFailure(exit))
      if (Exit.isFailure(exit)) assert.include(Cause.pretty(exit.cause), "payment_completed")
    })
  )

  const completed = {
    event: "payment_completed",
    eventId: "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071",
    timestamp: "2026-11-21T12:00:00.000Z",
    subAccount: null,
    data: {
      transactionId: "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071",
      environment: "sandbox",
      amount: 19.99,
      feeAmount: 0,
      netAmount: 19.99,
      currency: "BRL",
      paymentMethod: "pix",
      status: "completed",
      completedAt: "2026-11-21T12:00:00.000Z"
    }
  }
  const takes = (data: object, envelope: object = {}) =>
    Schema.is(eventSchemas.payment_completed)({
      ...completed,
      ...envelope,
      data: { ...completed.data, ...data }
    })

  it("refuse thirds of a centavo, null for absent, local times and unknown wallets", () => {
    assert.isTrue(takes({}))
    assert.isTrue(takes({ split: [{ subAccount: "loja-2", amount: 0 }] }, { subAccount: "loja-2" }))
    assert.isFalse(takes({ amount: 19.999 }))
    assert.isFalse(takes({ amount: -1 }))
    assert.isFalse(takes({ amount: "19.99" }))
    assert.isFalse(takes({ externalReference: null }))
    assert.isFalse(takes({ completedAt: "2026-11-21T12:00:00" }))
    assert.isFalse(takes({}, { subAccount: "Loja" }))
  })
})
