import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { givingWayAt, stepsMax } from "../kernel/GivingWay.test-data.ts"
import { WalletId } from "../kernel/Ids.ts"
import { makeWorkingKeys } from "./WorkingKeys.ts"

const scope = {
  wallet: WalletId.make("00000000-0000-7000-8000-0000000000aa"),
  route: "POST /pix",
  key: "a-key-of-somebody"
}

describe("the keys at work in a process", () => {
  it.effect("others wait for the end of the first, and for nothing after it", () =>
    Effect.gen(function* () {
      const { ended, working } = makeWorkingKeys()
      const first = yield* Effect.forkChild(working(scope, Effect.never), {
        startImmediately: true
      })
      const waiting = yield* Effect.forkChild(ended(scope) ?? Effect.die("nobody is at it"))
      assert.strictEqual(yield* working(scope, Effect.succeed("twin")), "twin")
      assert.isUndefined(waiting.pollUnsafe())
      assert.isUndefined(ended({ ...scope, key: "another-key" }))
      yield* Fiber.interrupt(first)
      yield* Fiber.join(waiting)
      assert.isUndefined(ended(scope))
    })
  )

  it.effect("a caller that is cut off at any step leaves nobody waiting", () =>
    Effect.gen(function* () {
      for (let step = 1; step < stepsMax; step++) {
        const { ended, working } = makeWorkingKeys()
        const caller = yield* Effect.forkChild(givingWayAt(step)(working(scope, Effect.never)), {
          startImmediately: true
        })
        yield* Fiber.interrupt(caller)
        assert.isUndefined(ended(scope), `before step ${step}`)
      }
    })
  )
})
