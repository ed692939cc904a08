import { assert, describe, it } from "@effect/vitest"
import { StorageDriver } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { pglite } from "@pagora/postgres/pglite"
import { crashAt, crashScenarios } from "@pagora/testkit"
import type { CrashScenario } from "@pagora/testkit"
import { freshDatabase } from "@pagora/testkit/postgres"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const postgresDriver = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(Effect.promise(freshDatabase), ({ drop }) => Effect.promise(drop)),
    ({ url }) => postgres({ url, clock: "process" })
  )
)

// The SQL is the same, so of PGlite some points are enough.
const storages = [
  { name: "PostgreSQL", driver: postgresDriver, every: 1 },
  { name: "PGlite", driver: pglite(), every: 4 }
] as const

const [paid] = crashScenarios as readonly [CrashScenario, ...Array<CrashScenario>]

describe.each(storages)(
  "on $name a charge that is paid",
  { timeout: 180_000 },
  ({ driver, every }) => {
    it.effect("comes to the same end wherever the process dies", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00.000Z"))
        // Pools and sockets go by the real clock.
        const built = yield* TestClock.withLive(Layer.build(driver))
        const storage = Context.get(built, StorageDriver)
        // The first story of a deployment also writes what is written once: the list of subscriptions.
        yield* crashAt(storage, paid)
        const whole = yield* crashAt(storage, paid)
        assert.isAtLeast(whole.calls, 10)
        let missed = 0
        for (const first of whole.points.filter((_, index) => index % every === 0)) {
          const { calls, died } = yield* crashAt(storage, paid, { first })
          if (died) continue
          // On real sockets two changes go out together in one run and not in another, so the last may never come.
          assert.isAtMost(calls, first.call, `${first.side} ${first.call}`)
          missed++
        }
        assert.isAtMost(missed, 2)
      })
    )
  }
)
