import { assert, describe, it } from "@effect/vitest"
import { journey, TestPagora } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { TrustedProxies } from "../../src/http/ClientAddress.ts"
import { codeOf, world } from "../world/ServiceWorld.test-data.ts"

const body = { pixKey: "ana@example.com", pixKeyType: "email", amount: 1 }
const behind = world.pipe(Layer.provide(Layer.succeed(TrustedProxies, ["10.0.0.0/8"])))

const listed = Effect.gen(function* () {
  const story = yield* journey({ allowedIps: ["203.0.113.0/24", "2001:db8::/32"] })
  yield* story.fund(100)
  return (from: string, headers: Readonly<Record<string, string>> = {}, path = "/withdrawals") =>
    story.shop.call("POST", path, { body, from, headers })
})

describe("a credential with a list of addresses", () => {
  it.effect("creates withdrawals from there only", () =>
    Effect.gen(function* () {
      const from = yield* listed
      for (const address of ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8::1"]) {
        assert.strictEqual((yield* from(address)).status, 201, address)
      }
      for (const address of ["203.0.114.9", "::1", "2001:db9::1", "127.0.0.1", "garbage"]) {
        const answer = yield* from(address)
        assert.strictEqual(answer.status, 403, address)
        assert.strictEqual(codeOf(answer), "IP_NOT_ALLOWED")
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("does everything else from anywhere", () =>
    Effect.gen(function* () {
      const from = yield* listed
      assert.strictEqual((yield* from("198.51.100.1", {}, "/pix")).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not fooled by a header", () =>
    Effect.gen(function* () {
      const from = yield* listed
      const headers = { "x-forwarded-for": "203.0.113.9", forwarded: "for=203.0.113.9" }
      assert.strictEqual(codeOf(yield* from("198.51.100.1", headers)), "IP_NOT_ALLOWED")
      assert.strictEqual(codeOf(yield* from("10.0.0.1", headers)), "IP_NOT_ALLOWED")
    }).pipe(Effect.provide(world))
  )

  it.effect("believes a proxy that is trusted, and not what came to it", () =>
    Effect.gen(function* () {
      const from = yield* listed
      const via = (hops: string) => from("10.0.0.1", { "x-forwarded-for": hops })
      assert.strictEqual((yield* via("203.0.113.9")).status, 201)
      assert.strictEqual((yield* via("198.51.100.1, 203.0.113.9, 10.0.0.2")).status, 201)
      assert.strictEqual(codeOf(yield* via("203.0.113.9, 198.51.100.1")), "IP_NOT_ALLOWED")
      assert.strictEqual(codeOf(yield* via("unknown")), "IP_NOT_ALLOWED")
    }).pipe(Effect.provide(behind))
  )

  it.effect("comes after the permission and before the sub-account", () =>
    Effect.gen(function* () {
      const poor = yield* journey({ permissions: ["PIX:WRITE"], allowedIps: ["203.0.113.9"] })
      const call = { body, from: "198.51.100.1", headers: { "x-sub-account": "loja-1" } }
      assert.strictEqual(
        codeOf(yield* poor.shop.call("POST", "/withdrawals", call)),
        "PERMISSION_DENIED"
      )
      const from = yield* listed
      const elsewhere = yield* from("198.51.100.1", { "x-sub-account": "loja-1" })
      assert.strictEqual(codeOf(elsewhere), "IP_NOT_ALLOWED")
      const there = yield* from("203.0.113.9", { "x-sub-account": "loja-1" })
      assert.strictEqual(codeOf(there), "SUB_ACCOUNT_FORBIDDEN")
    }).pipe(Effect.provide(world))
  )

  it.effect("is issued with addresses and networks only", () =>
    Effect.gen(function* () {
      const { operator } = yield* TestPagora
      const { shop } = yield* journey()
      const issue = (allowedIps: ReadonlyArray<string>) =>
        operator("POST", `/accounts/${shop.id}/credentials`, {
          body: { permissions: ["FULL_ACCESS"], allowedIps }
        })
      assert.strictEqual((yield* issue(["203.0.113.9", "10.0.0.0/8", "2001:db8::/32"])).status, 201)
      assert.strictEqual((yield* issue([])).status, 201)
      for (const wrong of ["localhost", "203.0.113.9/24", "203.0.113.256", "*", ""]) {
        const answer = yield* issue(["203.0.113.9", wrong])
        assert.strictEqual(answer.status, 400, wrong)
        assert.include(answer.text, "allowedIps[1]")
      }
    }).pipe(Effect.provide(world))
  )
})
