import { assert, describe, it } from "@effect/vitest"
import { journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { begin } from "../returns/ReturnStories.test-data.ts"
import { waiting } from "./Reviews.test-data.ts"
import { codeOf, pspThat, world } from "../world/ServiceWorld.test-data.ts"

const outcomes = ["completed", "failed"] as const
const unanswered = Effect.succeed({ _tag: "Unknown", detail: "down" } as const)

/** One of each that the bank tells nothing of, by the call that ends it. */
const stories = {
  withdrawal: Effect.gen(function* () {
    const story = yield* journey()
    yield* story.fund(50)
    yield* pspThat({ sendPayout: () => unanswered, findPayout: () => unanswered })
    const { id } = yield* story.withdraw()
    for (let hour = 0; hour < 25; hour++) yield* story.advance("1 hour")
    return { story, path: `/withdrawals/${id}/resolve`, code: "WITHDRAWAL_NOT_IN_REVIEW" }
  }),
  deposit: Effect.gen(function* () {
    const { bank, current, story } = yield* begin("deposit", ["loses the request"])
    bank.silence(true)
    for (let hour = 0; hour < 25; hour++) yield* story.advance("1 hour")
    const { id } = yield* current
    return { story, path: `/returns/${id}/resolve`, code: "RETURN_NOT_IN_REVIEW" }
  }),
  refund: Effect.gen(function* () {
    const { bank, current, story } = yield* begin("refund", ["loses the request"])
    bank.silence(true)
    for (let hour = 0; hour < 25; hour++) yield* story.advance("1 hour")
    const { id } = yield* current
    return { story, path: `/refunds/${id}/resolve`, code: "RETURN_NOT_IN_REVIEW" }
  })
}

const cases = (["withdrawal", "deposit", "refund"] as const).flatMap((what) =>
  outcomes.map((outcome) => ({ what, outcome }))
)

describe("several persons who decide the same at the same time", () => {
  it.effect.each(cases)("$what, $outcome: one does, the others are told so", ({ outcome, what }) =>
    Effect.gen(function* () {
      const { code, path, story } = yield* stories[what]
      const { operator } = yield* TestPagora
      const body = { outcome, reason: "Looked at the bank." }
      const answers = yield* Effect.forEach(
        [undefined, undefined, "key-of-ana-1", "key-of-rui-1"],
        (key) =>
          operator("POST", path, {
            body,
            headers: key === undefined ? {} : { "idempotency-key": key }
          }),
        { concurrency: "unbounded" }
      )
      assert.sameMembers(
        answers.map((answer) => (answer.status === 200 ? "200" : codeOf(answer))),
        ["200", code, code, code]
      )
      assert.deepStrictEqual(yield* waiting(story), [])
      assert.strictEqual((yield* story.figures).held, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
