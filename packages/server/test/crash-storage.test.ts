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

const storages = [
  { name: "PostgreSQL", driver: postgresDriver },
  { name: "PGlite", driver: pglite() }
] as const

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

// Each death leaves a process behind that never tidies up after itself, and so its listeners.
process.stdin.setMaxListeners(0)

const [paid] = crashScenarios as readonly [CrashScenario, ...Array<CrashScenario>]

describe.each(storages)("on $name a charge that is paid", { timeout: 90_000 }, ({ driver }) => {
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
      for (const call of upTo(whole.calls)) {
        for (const side of ["before", "after"] as const) {
          const { died } = yield* crashAt(storage, paid, { first: { call, side } })
          assert.isTrue(died, `${side} ${call}`)
        }
      }
    })
  )
})
