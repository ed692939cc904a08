import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { codeOf, utf8, world } from "../world/ServiceWorld.test-data.ts"

describe("what is wrong with a request is told with what to do", () => {
  it.effect("a parameter of the query that is there twice is to be sent once", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      for (const path of ["/transactions?limit=1&limit=2", "/projects?page=1&page=1"]) {
        const answer = yield* shop.call("GET", path)
        assert.strictEqual(answer.status, 400, path)
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
        assert.match(String(answer.json.message), /^(limit|page): Send it once\.$/)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a field of another type is told by what must stand there", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const headers = { "content-type": "application/json" }
      for (const [field, sent, must] of [
        ["description", "5", "string"],
        ["customer", '"Ana"', "object"],
        ["split", "{}", "array"]
      ] as const) {
        const body = `{"amount":1,"${field}":${sent}}`
        const answer = yield* shop.call("POST", "/pix", { body, headers })
        assert.strictEqual(answer.status, 400, answer.text)
        assert.strictEqual(answer.json.message, `${field}: A JSON ${must} must stand here.`)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("one of several texts, and an id, are told by what can be sent", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const headers = { "content-type": "application/json" }
      for (const [path, body, message] of [
        [
          "/withdrawals",
          '{"amount":1,"pixKey":"ana@example.com","pixKeyType":"mail"}',
          "pixKeyType: Send one of cpf, cnpj, email, phone, random."
        ],
        [
          "/pix",
          '{"amount":1,"projectId":"nope"}',
          "projectId: Send a UUID, such as 019a2b3c-0000-7000-8000-00000000000a."
        ],
        ["/pix", '{"amount":-1}', "amount: The number is negative. Send it without the minus sign."]
      ] as const) {
        const answer = yield* shop.call("POST", path, { body, headers })
        assert.strictEqual(answer.status, 400, answer.text)
        assert.strictEqual(answer.json.message, message)
      }
      for (const query of ["status=open", "status=defended&status=approved"]) {
        const answer = yield* shop.call("GET", `/balance-blocks?${query}`)
        assert.strictEqual(
          answer.json.message,
          "status: Send one of awaiting_response, defended, approved, rejected."
        )
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a compressed body is to be sent without its compression", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const gzipped = new Uint8Array([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0])
      const told = Effect.fnUntraced(function* (encoding: string) {
        const headers = { "content-type": "application/json", "content-encoding": encoding }
        const answer = yield* shop.call("POST", "/pix", { body: gzipped, headers })
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(codeOf(answer), "MALFORMED_JSON")
        return String(answer.json.message)
      })
      assert.strictEqual(
        yield* told("gzip"),
        "Nothing here decompresses a body: send it without Content-Encoding."
      )
      assert.include(yield* told("identity"), "UTF-8")
      // What a proxy has decompressed may still be called compressed.
      const plain = { body: utf8('{"amount":1}'), headers: { "content-encoding": "gzip" } }
      assert.strictEqual((yield* shop.call("POST", "/pix", plain)).status, 201)
    }).pipe(Effect.provide(world))
  )
})
