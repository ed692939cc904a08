import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import type { Meeting, Server } from "../src/Succession.ts"
import { serverOf, Succession } from "../src/Succession.ts"
import { aDatabase, aLogin, sqlOn } from "./FreshDatabase.test-data.ts"

const first: Server = { system: "7312", timeline: 1 }
const second: Server = { ...first, timeline: 2 }
const elsewhere: Server = { system: "8000", timeline: 1 }

/** What becomes of sessions with these, one after the other. */
const meeting = (...met: ReadonlyArray<Server | "standby" | undefined>): ReadonlyArray<Meeting> => {
  const succession = new Succession()
  return met.map((one) => succession.meet(one))
}

describe("which server is the primary", () => {
  it.each([
    ["the only one", [first, first], { _tag: "Primary", epoch: 0 }],
    ["the one that was promoted", [first, second], { _tag: "Successor", epoch: 1, before: first }],
    ["not the one before", [first, second, first], { _tag: "Former", now: second }],
    ["not a standby of it", [first, "standby"], { _tag: "Former", now: first }],
    ["a standby, where nothing else was met yet", ["standby"], { _tag: "Primary", epoch: 0 }],
    ["one that does not tell", [first, second, undefined], { _tag: "Primary", epoch: 1 }],
    [
      "one of another cluster, though its log is younger",
      [second, elsewhere],
      { _tag: "Successor", epoch: 1, before: second }
    ],
    ["the one of now, again", [first, second, second], { _tag: "Primary", epoch: 1 }]
  ] as const)("is %s", (_, met, last) => {
    assert.deepStrictEqual(meeting(...met).at(-1), last)
  })

  it.live("is told by its log, to whoever may log in", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.flatMap(aDatabase, (database) => aLogin(database.url))
      const server = yield* serverOf((text) => Effect.map(sqlOn(url, text), (rows) => ({ rows })))
      if (server === undefined || server === "standby") return assert.fail("nothing was told")
      assert.isAbove(server.timeline, 0)
      assert.match(server.system, /^\d{15,}$/)
    }).pipe(Effect.scoped)
  )

  it.effect("is nobody's to say where it tells nothing", () =>
    Effect.gen(function* () {
      const cause = new Error("no such function")
      const refused = new SqlError({
        reason: new ConnectionError({ cause, message: cause.message, operation: "query" })
      })
      assert.isUndefined(yield* serverOf(() => Effect.fail(refused)))
    })
  )
})
