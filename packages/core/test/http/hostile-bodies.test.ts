import { assert, describe, it } from "@effect/vitest"
import type { CallOptions, JsonBody } from "@pagora/testkit"
import { journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { codeOf, utf8, world, Written } from "../world/ServiceWorld.test-data.ts"

const json = { "content-type": "application/json" }

/** Sends the body as it is to `POST /pix`, by somebody who may. Nothing may be written when it is refused. */
const sending = (options: CallOptions) =>
  Effect.gen(function* () {
    const story = yield* journey()
    const before = (yield* Written).units.length
    const answer = yield* story.shop.call("POST", "/pix", {
      ...options,
      headers: { ...json, ...options.headers }
    })
    if (answer.status !== 201) {
      assert.strictEqual((yield* Written).units.length, before)
      assert.strictEqual(answer.json.statusCode, answer.status)
    }
    yield* story.audit
    return { answer, story }
  })

const deep = (levels: number, inside = "1") =>
  `${'{"a":'.repeat(levels)}${inside}${"}".repeat(levels)}`
const deepList = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`

const withField = (field: string, value: string) =>
  field.startsWith("customer.")
    ? `{"amount":1,"customer":{"${field.slice(9)}":${value}}}`
    : `{"amount":1,"${field}":${value}}`

const texts = [
  "description",
  "externalReference",
  "customer.name",
  "customer.document",
  "customer.email",
  "customer.phone",
  "projectId",
  "pspCredentialId",
  "unknownField"
]

const malformed: ReadonlyArray<readonly [name: string, body: string | Uint8Array]> = [
  ["no more than a space", " "],
  ["a brace", "{"],
  ["a body that ends early", '{"amount":1'],
  ["a comma at the end", '{"amount":1,}'],
  ["a comment", '{"amount":1/* one */}'],
  ["single quotes", "{'amount':1}"],
  ["keys without quotes", "{amount:1}"],
  ["two documents", '{"amount":1}{"amount":2}'],
  ["a line of NDJSON after it", '{"amount":1}\n{"amount":2}'],
  ["33 levels of objects", `{"amount":1,"metadata":${deep(32)}}`],
  ["10,000 levels of objects", deep(10_000)],
  ["32,000 levels of lists", deepList(32_000)],
  ["30,000 open brackets", "[".repeat(30_000)],
  ["2,001 values", `{"amount":1,"x":[${"1,".repeat(2_000)}1]}`],
  ["the amount twice", '{"amount":1,"amount":1000}'],
  ["the amount twice, once escaped", '{"amount":1,"\\u0061mount":1000}'],
  ["a key of the customer twice", '{"amount":1,"customer":{"name":"A","name":"B"}}'],
  ["a key of metadata twice", '{"amount":1,"metadata":{"a":1,"a":2}}'],
  ["a key of an unknown field twice", '{"amount":1,"x":{"a":1,"a":2}}'],
  ["__proto__ twice", '{"amount":1,"__proto__":1,"__proto__":2}'],
  ["a byte order mark", utf8('\ufeff{"amount":1}')],
  ["UTF-16, little end first", new Uint8Array(Buffer.from('{"amount":1}', "utf16le"))],
  ["UTF-16 with its mark", new Uint8Array(Buffer.from('\ufeff{"amount":1}', "utf16le"))],
  ["UTF-32", new Uint8Array([0x7b, 0, 0, 0, 0x7d, 0, 0, 0])],
  [
    "a byte that UTF-8 never has",
    new Uint8Array([...utf8('{"description":"'), 0xff, ...utf8('","amount":1}')])
  ],
  [
    "a character cut in half",
    new Uint8Array([...utf8('{"description":"'), 0xc3, ...utf8('","amount":1}')])
  ],
  [
    "an overlong slash",
    new Uint8Array([...utf8('{"description":"'), 0xc0, 0xaf, ...utf8('","amount":1}')])
  ],
  [
    "a surrogate as UTF-8",
    new Uint8Array([...utf8('{"description":"'), 0xed, 0xa0, 0x80, ...utf8('","amount":1}')])
  ],
  [
    "a code point beyond the last",
    new Uint8Array([...utf8('{"description":"'), 0xf4, 0x90, 0x80, 0x80, ...utf8('","amount":1}')])
  ],
  ["a raw line break in a text", '{"amount":1,"description":"a\nb"}'],
  ["a raw tab in a text", '{"amount":1,"description":"a\tb"}'],
  ["a raw NUL in a text", '{"amount":1,"description":"a\0b"}'],
  ["a raw NUL after it", '{"amount":1}\0'],
  ["gzip", new Uint8Array([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0])],
  ["XML", "<amount>1</amount>"],
  ["a form", "amount=1"]
]

describe("a hostile document", () => {
  it.effect.each(malformed)("%s is refused as malformed", ([_, body]) =>
    Effect.gen(function* () {
      const { answer } = yield* sending({ body })
      assert.strictEqual(answer.status, 400, answer.text)
      assert.strictEqual(codeOf(answer), "MALFORMED_JSON")
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["a NUL, escaped", '"a\\u0000b"'],
    ["a high surrogate alone", '"a\\ud83d"'],
    ["a low surrogate alone", '"\\ude00a"'],
    ["surrogates the wrong way round", '"\\ude00\\ud83d"']
  ] as const)("%s, in every text and as a key", ([_, text]) =>
    Effect.gen(function* () {
      for (const field of texts) {
        const { answer } = yield* sending({ body: withField(field, text) })
        assert.strictEqual(answer.status, 400, field)
        assert.strictEqual(codeOf(answer), "MALFORMED_JSON", field)
      }
      for (const body of [
        `{"amount":1,${text}:1}`,
        `{"amount":1,"metadata":{${text}:1}}`,
        `{"amount":1,"metadata":{"a":${text}}}`,
        `{"amount":1,"metadata":{"a":[{"b":${text}}]}}`,
        `{"amount":1,"customer":{${text}:1}}`
      ]) {
        assert.strictEqual((yield* sending({ body })).answer.status, 400, body)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("over 64 KiB is refused by its length, declared or not", () =>
    Effect.gen(function* () {
      const fill = (bytes: number) => {
        const frame = '{"amount":1,"x":""}'
        return frame.replace('""', `"${"x".repeat(bytes - frame.length)}"`)
      }
      assert.strictEqual((yield* sending({ body: fill(65_536) })).answer.status, 201)
      const large = (yield* sending({ body: fill(65_537) })).answer
      assert.strictEqual(large.status, 413)
      assert.strictEqual(large.json.error, "PayloadTooLarge")
      assert.strictEqual(codeOf(large), "PAYLOAD_TOO_LARGE")
      assert.strictEqual((yield* sending({ body: fill(71_680) })).answer.status, 413)
      assert.strictEqual((yield* sending({ body: "x".repeat(5_000_000) })).answer.status, 413)
      const declared = { body: '{"amount":1}', headers: { "content-length": "70000" } }
      assert.strictEqual((yield* sending(declared)).answer.status, 413)
    }).pipe(Effect.provide(world))
  )

  it.effect("declared as something else is 415, whatever it holds", () =>
    Effect.gen(function* () {
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/jsonp",
        "text/json",
        "application/json-seq",
        "*/*",
        "json"
      ]) {
        const body = utf8('{"amount":1}')
        const { answer } = yield* sending({ body, headers: { "content-type": type } })
        assert.strictEqual(answer.status, 415, type)
        assert.strictEqual(answer.json.error, "UnsupportedMediaType")
        assert.strictEqual(codeOf(answer), "UNSUPPORTED_MEDIA_TYPE")
      }
      for (const type of [
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json ;x=y"
      ]) {
        const body = utf8('{"amount":1}')
        const { answer } = yield* sending({ body, headers: { "content-type": type } })
        assert.strictEqual(answer.status, 201, type)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("31 levels of metadata are taken, and come back whole in answer and webhook", () =>
    Effect.gen(function* () {
      const metadata = deep(31)
      const { answer, story } = yield* sending({ body: `{"amount":10,"metadata":${metadata}}` })
      assert.strictEqual(answer.status, 201, answer.text)
      yield* story.endpoint()
      yield* story.pay(answer.json)
      yield* story.drain
      const found = yield* story.transaction(answer.json.id)
      assert.deepStrictEqual(found.metadata, JSON.parse(metadata))
      const [event] = yield* story.events()
      assert.deepStrictEqual(event?.data?.metadata, JSON.parse(metadata))
    }).pipe(Effect.provide(world))
  )

  it.effect("__proto__, constructor and prototype are plain keys and change nothing", () =>
    Effect.gen(function* () {
      const poison = '{"isAdmin":true,"amount":0.01,"status":"completed"}'
      const metadata = `{"__proto__":${poison},"constructor":{"prototype":${poison}},"prototype":1,"toString":"x"}`
      const { answer, story } = yield* sending({
        body: `{"amount":10,"__proto__":${poison},"constructor":{"prototype":${poison}},"customer":{"__proto__":{"name":"Eve"}},"metadata":${metadata}}`
      })
      assert.strictEqual(answer.status, 201, answer.text)
      assert.strictEqual(answer.json.amount, 10)
      assert.isUndefined(({} as JsonBody)["isAdmin"])
      const text = (yield* story.shop.call("GET", `/transactions/${answer.json.id}`)).text
      const shown = JSON.parse(text) as Record<string, unknown>
      assert.strictEqual(shown["status"], "pending")
      assert.isUndefined(shown["customerId"])
      assert.deepStrictEqual(
        Object.keys((shown["metadata"] as object | undefined) ?? {}).toSorted(),
        ["__proto__", "constructor", "prototype", "toString"]
      )
      assert.include(text, '"__proto__":{"isAdmin":true')
    }).pipe(Effect.provide(world))
  )

  it.effect("60,000 digits are refused without being counted", () =>
    Effect.gen(function* () {
      const { answer } = yield* sending({ body: `{"amount":${"9".repeat(60_000)}}` })
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      const decimals = yield* sending({ body: `{"amount":1.${"0".repeat(60_000)}}` })
      assert.strictEqual(decimals.answer.status, 400)
      const exponent = yield* sending({ body: `{"amount":1,"expiresIn":1e${"9".repeat(60_000)}}` })
      assert.strictEqual(exponent.answer.status, 400)
    }).pipe(Effect.provide(world))
  )
})

describe("text and metadata", () => {
  const fancy = "R$ 10,00 — “ação” 🧾 \u202eevil\u202c zero\u200bwidth é e\u0301 \\ / \" ' <script>"

  it.effect("come back character by character, in the answer and in the webhook", () =>
    Effect.gen(function* () {
      const metadata = {
        [fancy.slice(0, 30)]: fancy,
        "": "",
        " ": null,
        list: [1, [true, {}], "x"]
      }
      const { answer, story } = yield* sending({
        body: JSON.stringify({
          amount: 10,
          description: fancy,
          externalReference: fancy,
          metadata
        })
      })
      assert.strictEqual(answer.status, 201, answer.text)
      assert.strictEqual(answer.json.externalReference, fancy)
      yield* story.endpoint()
      yield* story.pay(answer.json)
      yield* story.drain
      const found = yield* story.transaction(fancy)
      assert.strictEqual(found.description, fancy)
      assert.deepStrictEqual(found.metadata, metadata)
      const [event] = yield* story.events()
      assert.strictEqual(event?.data?.externalReference, fancy)
      assert.deepStrictEqual(event?.data?.metadata, metadata)
    }).pipe(Effect.provide(world))
  )

  it.effect("numbers of metadata keep their value, or are refused", () =>
    Effect.gen(function* () {
      for (const number of [
        "0",
        "-1",
        "1.5",
        "0.1",
        "1e2",
        "9007199254740991",
        "-0.000001",
        "2.2250738585072014e-308"
      ]) {
        const { answer, story } = yield* sending({
          body: `{"amount":1,"metadata":{"n":${number}}}`
        })
        assert.strictEqual(answer.status, 201, number)
        const found = yield* story.transaction(answer.json.id)
        assert.strictEqual(found.metadata?.["n"], Number(number), number)
      }
      for (const number of [
        "9007199254740993",
        "12345678901234567890",
        "0.1000000000000000055511151231257827",
        "1e400",
        "1e-400"
      ]) {
        const { answer } = yield* sending({ body: `{"amount":1,"metadata":{"n":[${number}]}}` })
        assert.strictEqual(answer.status, 400, number)
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR", number)
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a number where an object should stand", () => {
  it.effect("is refused, although no field of the object is required", () =>
    Effect.gen(function* () {
      for (const number of ["0", "1.5", "1e400"]) {
        const { answer } = yield* sending({ body: `{"amount":1,"customer":${number}}` })
        assert.strictEqual(answer.status, 400, number)
        assert.strictEqual(answer.json.details?.issues?.[0]?.field, "customer")
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is refused as a whole body and at any depth", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestPagora
      const { id } = yield* tenant()
      for (const body of ["5", '{"fees":0}', '{"fees":{"payment":0}}', '{"policy":1}']) {
        const answer = yield* operator("PATCH", `/accounts/${id}`, { body, headers: json })
        assert.strictEqual(answer.status, 400, body)
      }
      const body = '{"fees":{"payment":{"fixed":0}}}'
      const answer = yield* operator("PATCH", `/accounts/${id}`, { body, headers: json })
      assert.strictEqual(answer.status, 200)
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's bodies", () => {
  it.effect("are read as strictly as the tenants'", () =>
    Effect.gen(function* () {
      const { operator, sandbox } = yield* TestPagora
      const before = (yield* Written).units.length
      for (const [name, body] of malformed) {
        const options = { body, headers: json }
        assert.strictEqual((yield* operator("POST", "/accounts", options)).status, 400, name)
        assert.strictEqual((yield* sandbox("POST", "/clock/advance", options)).status, 400, name)
      }
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )
})
