import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import type { Uuid } from "../../src/kernel/Ids.ts"
import { PspReportKind } from "../../src/psp-reports/PspReport.ts"
import { ReturnKind } from "../../src/returns/Return.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import type { Queue } from "../../src/units/Unit.ts"
import { block, paid, resolve } from "../blocks/BalanceBlocks.test-data.ts"
import { paidShop } from "../psp-reports/Infractions.test-data.ts"
import { leaving, twoProcesses } from "./Meanwhile.test-data.ts"

/** Puts something in line that nobody would any more, as what was put there before may still be. */
const putInLine = Effect.fnUntraced(function* ({ shop }: Journey, queue: Queue, id: string) {
  const [storage, time] = [yield* Storage, yield* ServiceTime]
  const at = yield* time.now
  const job = { _tag: "Schedule", queue, id: id as Uuid, group: shop.id as Uuid, due: at } as const
  yield* storage.commit({ at, jobs: [job] })
})

type Waiting = readonly [id: string, looks: Effect.Effect<unknown, unknown, TestPagora>]

/** What waits in a line, and the look at it by which nothing changes. */
const looks = {
  "a charge that nobody paid": Effect.gen(function* () {
    const story = yield* journey()
    const { id } = yield* story.charge()
    return [id, story.advance("5 minutes")]
  }),
  "a payout under way": Effect.gen(function* () {
    const story = yield* journey()
    yield* story.fund(50)
    const { id } = yield* story.withdraw()
    yield* story.drain
    return [id, story.advance("10 minutes")]
  }),
  "a return under way": Effect.gen(function* () {
    const story = yield* journey()
    const charge = yield* paid(story)
    yield* story.refund(charge)
    yield* story.drain
    const { list } = yield* Storage
    const [refund] = yield* list(ReturnKind, { order: "desc", limit: 1 })
    return [String(refund?.value.id), story.advance("10 minutes")]
  }),
  "a report that its PSP does not show now": Effect.gen(function* () {
    const { endToEndId, sandbox, story } = yield* paidShop
    yield* story.faults({ kind: "notNow", operation: "findInfraction", times: 1_000 })
    yield* sandbox.reportInfraction(endToEndId)
    yield* story.drain
    const { list } = yield* Storage
    const [report] = yield* list(PspReportKind, { order: "desc", limit: 1 })
    return [String(report?.value.id), story.advance("10 minutes")]
  }),
  "an approved block that there is no money for": Effect.gen(function* () {
    const story = yield* journey()
    const charge = yield* paid(story)
    yield* story.adjust({ amount: -10, reason: "spent" })
    const made = yield* block(story, charge)
    yield* resolve(made, "approved")
    return [made.id, story.advance("1 hour")]
  }),
  "an endpoint that has missed nothing": Effect.gen(function* () {
    const story = yield* journey()
    const { id } = yield* story.endpoint()
    yield* putInLine(story, "recovery", id)
    return [id, story.drain]
  }),
  "a block with no answer to its report": Effect.gen(function* () {
    const story = yield* journey()
    const made = yield* block(story, yield* paid(story))
    yield* putInLine(story, "infraction", made.id)
    return [made.id, story.drain]
  }),
  "what cannot change at its PSP any more": Effect.gen(function* () {
    const story = yield* journey()
    const charge = yield* paid(story)
    yield* putInLine(story, "reconciliation", charge.id)
    return [charge.id, story.drain]
  })
} satisfies Record<string, Effect.Effect<Waiting, unknown, unknown>>

describe("what another process changes while a look is about to leave it as it was", () => {
  it.effect.each(Object.keys(looks) as ReadonlyArray<keyof typeof looks>)(
    "is looked at once more: %s",
    (name) => {
      const { meanwhile, refused, service, touch } = twoProcesses()
      return Effect.gen(function* () {
        const [id, look] = yield* looks[name]
        yield* meanwhile(leaving(id), touch(id))
        yield* look
        assert.deepStrictEqual(refused, ["StaleVersion"])
      }).pipe(Effect.provide(service))
    }
  )
})
