import { assert, describe, it } from "@effect/vitest"
import { Money, PixKey } from "@pagora/core"
import { Effect, Result } from "effect"
import { aurora } from "../src/aurora/Aurora.ts"
import type { Trouble } from "./AuroraBank.test-data.ts"
import { keys, startBank } from "./AuroraBank.test-data.ts"

const reference = "0123456789abcdef0123456789abcdef"
const amount = Money.Centavos.make(1_234n)
const key = (text: string) => Result.getOrThrow(PixKey.parse("email", text))
const payout = { reference, amount, pixKey: key("ana@example.com"), holder: {} }

const bank = Effect.acquireRelease(
  Effect.promise(() => startBank()),
  ({ stop }) => Effect.promise(stop)
)
const psp = (url: string, options: { readonly secret?: string } = {}) =>
  aurora({ ...keys, url, environment: "sandbox", timeoutMillis: 200, ...options })

describe("what is known after a call of Banco Aurora", () => {
  const unknown: ReadonlyArray<Trouble> = [
    "hangs after doing",
    "breaks off after doing",
    "fails after doing"
  ]
  it.live.each(unknown)("is nothing when it %s, and the payout is found by asking", (trouble) =>
    Effect.gen(function* () {
      const aurora = yield* bank
      aurora.trouble = trouble
      assert.strictEqual((yield* psp(aurora.url).sendPayout(payout))._tag, "Unknown")
      aurora.trouble = "none"
      const found = yield* psp(aurora.url).findPayout({ reference })
      assert.strictEqual(found._tag === "Done" && found.value?.status, "processing")
    })
  )

  it.live.each(["answers another page", "redirects"] as const)(
    "is nothing when somebody on the way %s, not even that there is no payout",
    (trouble) =>
      Effect.gen(function* () {
        const aurora = yield* bank
        aurora.trouble = trouble
        assert.strictEqual((yield* psp(aurora.url).sendPayout(payout))._tag, "Unknown")
        assert.strictEqual((yield* psp(aurora.url).findPayout({ reference }))._tag, "Unknown")
      })
  )

  it.live("is that it was not done and is taken later, when the bank turns it away", () =>
    Effect.gen(function* () {
      const aurora = yield* bank
      aurora.trouble = "turns away"
      assert.strictEqual((yield* psp(aurora.url).sendPayout(payout))._tag, "NotNow")
      aurora.trouble = "none"
      const forged = yield* psp(aurora.url, { secret: "another" }).sendPayout(payout)
      assert.strictEqual(forged._tag, "NotNow")
    })
  )

  it.live("is that it never left, when nobody listens there", () =>
    Effect.gen(function* () {
      const gone = yield* bank
      yield* Effect.promise(() => gone.stop())
      assert.strictEqual((yield* psp(gone.url).sendPayout(payout))._tag, "NotSent")
      assert.strictEqual((yield* psp("http://bank.invalid").sendPayout(payout))._tag, "NotSent")
    })
  )

  it.live("is that it will not be done, in the words that customers read", () =>
    Effect.gen(function* () {
      const aurora = yield* bank
      const sent = yield* psp(aurora.url).sendPayout({
        ...payout,
        pixKey: key("nobody@example.com")
      })
      assert.strictEqual(sent._tag === "Rejected" && sent.code, "pix_key_not_found")
    })
  )

  it.live("is what it was without a call, where the reference is none", () =>
    Effect.gen(function* () {
      const aurora = yield* bank
      const sent = yield* psp(aurora.url).sendPayout({ ...payout, reference: "../charges" })
      assert.strictEqual(sent._tag, "Rejected")
      assert.strictEqual(aurora.calls, 0)
    })
  )
})
