import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { tableIdOf } from "../../src/accounts/RoutingTable.ts"
import type { WalletId } from "../../src/kernel/Ids.ts"
import { block, defend, paid, resolve } from "./BalanceBlocks.test-data.ts"
import { Written, existing, world } from "../world/ServiceWorld.test-data.ts"

const blockEvents = ["balance_block_created", "balance_block_approved", "balance_block_rejected"]

describe("the event", () => {
  it.effect("balance_block_created tells what was blocked, and why", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint({ events: blockEvents })
      const charge = yield* paid(story, 10, { externalReference: "pedido-1" })
      yield* story.advance("1 minute")
      const made = yield* block(story, charge, {
        amount: 4,
        reason: "fraud",
        referenceNumber: "7/2026"
      })
      yield* story.drain
      assert.deepStrictEqual((yield* story.events()) as unknown, [
        {
          event: "balance_block_created",
          eventId: `balance_block_created_${made.id}`,
          timestamp: "2026-11-21T12:01:00.000Z",
          subAccount: null,
          data: {
            balanceBlockId: made.id,
            transactionId: charge.id,
            environment: "sandbox",
            amount: 4,
            currency: "BRL",
            blockType: "med",
            status: "awaiting_response",
            reason: "fraud",
            referenceNumber: "7/2026",
            e2eId: existing((yield* story.transaction(charge.id)).e2eId),
            externalReference: "pedido-1",
            createdAt: "2026-11-21T12:01:00.000Z"
          }
        }
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["approved", "rejected"] as const)(
    "balance_block_%s tells how it was decided; a defence tells nothing",
    (outcome) =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint({ events: blockEvents })
        const charge = yield* paid(story)
        const made = yield* block(story, charge)
        yield* story.advance("1 minute")
        yield* defend(made)
        yield* story.advance("1 minute")
        yield* resolve(made, outcome, "so it is")
        yield* story.drain
        const told = yield* story.events()
        assert.strictEqual(told.length, 2)
        assert.deepStrictEqual(told[1], {
          event: `balance_block_${outcome}`,
          eventId: `balance_block_${outcome}_${made.id}`,
          timestamp: "2026-11-21T12:02:00.000Z",
          subAccount: null,
          data: {
            balanceBlockId: made.id,
            transactionId: charge.id,
            environment: "sandbox",
            amount: 10,
            currency: "BRL",
            blockType: "med",
            status: outcome,
            e2eId: existing((yield* story.transaction(charge.id)).e2eId),
            createdAt: "2026-11-21T12:00:00.000Z",
            defenseSubmittedAt: "2026-11-21T12:01:00.000Z",
            resolvedAt: "2026-11-21T12:02:00.000Z",
            resolutionReason: "so it is"
          }
        })
      }).pipe(Effect.provide(world))
  )

  it.effect("is in the commit that it reports, and the same to the byte for every endpoint", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const urls = ["https://one.example.com/", "https://two.example.com/"]
      for (const url of urls) yield* story.endpoint({ url, events: blockEvents })
      const charge = yield* paid(story)
      const from = (yield* Written).units.length
      yield* block(story, charge)
      const written = (yield* Written).units.slice(from)
      assert.strictEqual(written.length, 1)
      // Where it goes was decided on the wallet's routing table, and on the list of subscribers, as they still are.
      assert.sameMembers(
        written.flatMap(({ expects }) => expects.map(({ id }) => id)),
        [tableIdOf(story.shop.id as WalletId), "00000000-0000-7000-8000-000000000004"]
      )
      const [event] = written.flatMap(({ events }) => events)
      yield* story.drain
      for (const url of urls) {
        const bodies = (yield* story.received(url)).map(({ body }) => body)
        assert.deepStrictEqual(bodies, [event?.body ?? ""])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("of an approval comes once, however many pieces the money goes in", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint({ events: blockEvents })
      const charge = yield* paid(story)
      yield* story.adjust({ amount: -10, reason: "spent before" })
      yield* resolve(yield* block(story, charge), "approved")
      for (let hour = 0; hour < 3; hour++) {
        yield* paid(story, 3)
        yield* story.advance("1 hour")
      }
      yield* story.drain
      const kinds = (yield* story.events()).map(({ event }) => event)
      assert.deepStrictEqual(kinds, ["balance_block_created", "balance_block_approved"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
