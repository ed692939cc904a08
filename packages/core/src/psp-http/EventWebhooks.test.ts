import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PspOutcome } from "../ports/Psp.ts"
import type { NotDone } from "./Asked.ts"
import { failed } from "./Asked.ts"
import type { EventWebhook } from "./EventWebhooks.ts"
import { eventWebhooks } from "./EventWebhooks.ts"

const webhookUrl = "https://pay.example/webhook"

/** A PSP that tells of two events, as far as it is told where; or that fails so. */
const telling = (failing: { readonly list?: NotDone; readonly register?: NotDone } = {}) => {
  const registered: Array<EventWebhook> = []
  const webhooks = eventWebhooks({
    provider: "Banco",
    credential: "the key",
    newCredential: "make another one",
    events: ["PAID", "SENT"],
    list: () => (failing.list ? failed(failing.list) : Effect.succeed([...registered])),
    register: (webhook) =>
      failing.register ? failed(failing.register) : Effect.sync(() => void registered.push(webhook))
  })
  return { registered, webhooks }
}

describe("the webhooks of a PSP that is told an address for each event", () => {
  it.effect("are registered once, at each address", () =>
    Effect.gen(function* () {
      const { registered, webhooks } = telling()
      const before = yield* webhooks.check()
      assert.deepStrictEqual(
        before.map(({ name, state }) => [name, state]),
        [
          ["credential", "ok"],
          ["webhook", "warning"]
        ]
      )
      assert.include(before[1]?.message, "No webhook for PAID, SENT: prepare the PSP")
      registered.push({ event: "SENT", url: webhookUrl })
      for (const _ of [1, 2])
        assert.deepStrictEqual(yield* webhooks.prepare({ webhookUrl }), [
          { name: "webhook", state: "ok", message: `2 events are told to ${webhookUrl}.` }
        ])
      assert.deepStrictEqual(
        registered.map(({ event }) => event),
        ["SENT", "PAID"]
      )
      const after = yield* webhooks.check()
      assert.deepStrictEqual(
        after.map(({ message }) => message),
        ["Banco takes the key.", "Banco tells of all that Pagora asks about."]
      )
      // Others are told of too, though one address was asked about.
      yield* webhooks.prepare({ webhookUrl: `${webhookUrl}/other` })
      assert.strictEqual(registered.length, 4)
    })
  )

  it.effect("that nobody tells say why, and what to do", () =>
    Effect.gen(function* () {
      const { webhooks } = telling({ list: PspOutcome.notNow("status 401", 1) as NotDone })
      assert.deepStrictEqual(yield* webhooks.check(), [
        {
          name: "credential",
          state: "failed",
          message: "Banco does not take the key (status 401): make another one."
        }
      ])
    })
  )

  it.effect("that are not taken say so in the PSP's words", () =>
    Effect.gen(function* () {
      const register = PspOutcome.rejected("BAD_URL", "No such host.") as NotDone
      const [only] = yield* telling({ register }).webhooks.prepare({ webhookUrl })
      assert.strictEqual(only?.state, "failed")
      assert.include(
        only?.message,
        "Banco did not take a webhook (No such host.): Banco must reach"
      )
    })
  )
})
