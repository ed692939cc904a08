import { assert, describe, it } from "@effect/vitest"
import type { CrashPoint } from "@pagora/testkit"
import { journey, RecordingTransport, resumed, startMortal, untilDeath } from "@pagora/testkit"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { listed } from "../blocks/BalanceBlocks.test-data.ts"
import { noon } from "../world/ServiceWorld.test-data.ts"
import { decideReturn, openReturns } from "./Infractions.test-data.ts"

/** Decides who bears a return in a process that dies at the point, and carries on in the next one where it is undecided. */
const crashAt = Effect.fnUntraced(function* (
  outcome: "charged" | "absorbed",
  point: CrashPoint | undefined
) {
  const driver = Context.get(yield* Layer.build(Layer.fresh(layerMemory)), StorageDriver)
  const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
  const first = yield* startMortal(driver, transport)
  const { before, story } = yield* Effect.provideContext(
    Effect.gen(function* () {
      const story = yield* journey()
      const [endToEndId = ""] = yield* story.payAtBank(yield* story.charge())
      yield* story.drain
      const { available } = yield* story.figures
      yield* story.adjust({ amount: -available / 100, reason: "spent before" })
      const sandbox = yield* SandboxPsp
      yield* sandbox.reportInfraction(endToEndId)
      yield* sandbox.returnPayment(endToEndId)
      yield* story.drain
      yield* story.fund(10)
      return { before: yield* story.figures, story }
    }),
    first.services
  )
  yield* first.arm(point)
  yield* untilDeath(first, decideReturn(story, outcome))
  const calls = yield* first.calls
  const last = first.isDead() ? yield* startMortal(driver, transport) : first
  yield* Effect.provideContext(
    Effect.gen(function* () {
      const next = yield* resumed(story.shop)
      yield* TestClock.adjust("61 seconds")
      const [block] = yield* listed(next)
      const isOpen = (yield* openReturns(next)).length === 1
      // What is claimed for the return is claimed exactly as long as nobody has decided it.
      assert.strictEqual(block?.status === "awaiting_response", isOpen)
      yield* next.audit
      if (isOpen) assert.strictEqual((yield* decideReturn(next, outcome)).status, 200)
      const [end] = yield* listed(next)
      assert.strictEqual(end?.status, outcome === "charged" ? "approved" : "rejected")
      const { held, total } = yield* next.figures
      const borne = outcome === "charged" ? 1_000 : 0
      assert.deepStrictEqual([held, total], [0, before.total - borne])
      yield* next.audit
    }),
    last.services
  )
  return { calls, died: first.isDead() }
})

describe("what a person decides of a return of the PSP", { timeout: 60_000 }, () => {
  it.effect("ends its block in the same commit, wherever the process dies", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      for (const outcome of ["charged", "absorbed"] as const) {
        const { calls, died } = yield* crashAt(outcome, undefined)
        assert.isFalse(died)
        assert.isAtLeast(calls, 1)
        for (let call = 0; call < calls; call++)
          for (const side of ["before", "after"] as const)
            assert.isTrue((yield* crashAt(outcome, { call, side })).died, `${side} ${call}`)
      }
    })
  )
})
