import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import {
  decodeUtf8,
  type JsonArray,
  JsonNumber,
  type JsonObject,
  type JsonRefused,
  type JsonValue,
  parse,
  sourceOf,
  toPlain
} from "./StrictJson.ts"

const ok = (text: string): JsonValue => Result.getOrThrow(parse(text))
const plain = (text: string): unknown => Result.getOrThrow(toPlain(ok(text)))
const refusalOf = (text: string): JsonRefused | undefined =>
  Result.getOrUndefined(Result.flip(parse(text)))

describe("parse accepts", () => {
  const texts = [
    "null",
    "true",
    " \t\r\nfalse\n",
    "0",
    "-0",
    "-0.5e-3",
    "1E+2",
    '""',
    '"a\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9é"',
    '"\\ud83d\\ude00 😀"',
    // A pair of which one half is escaped and the other is not.
    '"\\ud83d\ude00"',
    '"\u2028\u2029\u007f\ufeff"',
    "[]",
    "[ ]",
    "{ }",
    "[1,[2,[3]],{}]",
    '{"a":1,"b":{"a":2},"":3}',
    '{"10":1,"9":2}'
  ]
  for (const text of texts) {
    it(JSON.stringify(text), () => {
      assert.deepStrictEqual(plain(text), JSON.parse(text))
    })
  }
})

describe("parse refuses", () => {
  const cases: ReadonlyArray<readonly [string, JsonRefused["reason"], number]> = [
    ["", "empty", 0],
    [" \n", "empty", 2],
    ["\uFEFF{}", "bom", 0],
    ["\uFEFF", "bom", 0],
    ["{}\uFEFF", "trailing", 2],
    ["\u00a01", "value", 0],
    ["1 2", "trailing", 2],
    ["{}}", "trailing", 2],
    ["null,", "trailing", 4],
    ["nul", "value", 0],
    ["True", "value", 0],
    ["undefined", "value", 0],
    ["NaN", "value", 0],
    ["'a'", "value", 0],
    ["// a\n1", "value", 0],
    ["[1,]", "value", 3],
    ["[,1]", "value", 1],
    ["[", "value", 1],
    ['{"a":', "value", 5],
    ["[1 2]", "separator", 3],
    ["[1", "separator", 2],
    ["[1}", "separator", 2],
    ['{"a":1]', "separator", 6],
    ['{"a":1 "b":2}', "separator", 7],
    ["{a:1}", "key", 1],
    ["{1:1}", "key", 1],
    ['{"a":1,}', "key", 7],
    ["{", "key", 1],
    ['{"a"}', "colon", 4],
    ['{"a" 1}', "colon", 5],
    ["01", "number", 0],
    ["-", "number", 0],
    ["+1", "number", 0],
    [".5", "number", 0],
    ["5.", "number", 0],
    ["1e", "number", 0],
    ["1.e1", "number", 0],
    ["0x10", "number", 0],
    ["1_000", "number", 0],
    ["-Infinity", "number", 0],
    ["[1.5.2]", "number", 1],
    ['"a', "string", 0],
    ['["a\\"]', "string", 1],
    ['"a\nb"', "control", 2],
    ['"\t"', "control", 1],
    ['"\u001f"', "control", 1],
    ['"a\u0000"', "nul", 2],
    ['"a\\u0000"', "nul", 2],
    ['{"\\u0000":1}', "nul", 2],
    ['"\\x41"', "escape", 1],
    ['"a\\\nb"', "escape", 2],
    ['"\\u12"', "escape", 1],
    ['"\\u12G4"', "escape", 1],
    ['"\\u+123"', "escape", 1],
    ['"\\U0041"', "escape", 1],
    ['"\\ud83d"', "surrogate", 0],
    ['"\\ude00\\ud83d"', "surrogate", 0],
    ['"\\ud83dx\\ude00"', "surrogate", 0],
    ['["a","\ud83d"]', "surrogate", 5],
    ['{"\\udfff":1}', "surrogate", 1],
    ['{"a":1,"a":1}', "duplicate", 7],
    ['{"a":1,"\\u0061":2}', "duplicate", 7],
    ['[{"b":{"a":1,"x":2,"a":1}}]', "duplicate", 19],
    ['{"__proto__":1,"__proto__":2}', "duplicate", 15],
    ['{"constructor":1,"constructor":2}', "duplicate", 17],
    ['{"1":1,"1":2}', "duplicate", 7]
  ]
  for (const [text, reason, position] of cases) {
    it(`${JSON.stringify(text)}: ${reason} at ${position}`, () => {
      const refused = refusalOf(text)
      assert.strictEqual(refused?.reason, reason)
      assert.strictEqual(refused?.position, position)
    })
  }

  it("with a sentence that says where and what to do", () => {
    assert.strictEqual(
      refusalOf('{"a":1,"a":2}')?.message,
      "The JSON is refused at position 7: the same key appears twice in one object; send each key once."
    )
  })
})

describe("limits", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
  const wide = (items: number) => `[${Array.from({ length: items }, () => "0").join()}]`

  it("takes 32 levels and refuses 33", () => {
    assert.strictEqual(refusalOf(nested(32)), undefined)
    assert.strictEqual(refusalOf(nested(33))?.reason, "depth")
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
    assert.strictEqual(refusalOf(objects(32)), undefined)
    assert.strictEqual(refusalOf(objects(33))?.reason, "depth")
    assert.strictEqual(refusalOf(`[${nested(31)},${nested(31)}]`), undefined)
  })

  it("takes 2000 values and refuses 2001", () => {
    assert.strictEqual(refusalOf(wide(1999)), undefined)
    assert.strictEqual(refusalOf(wide(2000))?.reason, "nodes")
  })

  it("gives up early on deep, wide and long texts", () => {
    const started = performance.now()
    assert.strictEqual(refusalOf("[".repeat(100_000))?.reason, "depth")
    assert.strictEqual(refusalOf('{"a":'.repeat(100_000))?.reason, "depth")
    assert.strictEqual(refusalOf(wide(500_000))?.reason, "nodes")
    assert.strictEqual(refusalOf(" ".repeat(1_000_000))?.reason, "empty")
    assert.isTrue(Result.isFailure(toPlain(ok(`1${"0".repeat(1_000_000)}1`))))
    assert.isTrue(Result.isSuccess(toPlain(ok(`"${"\\n".repeat(200_000)}"`))))
    assert.isBelow(performance.now() - started, 5000)
  })

  it("follows the limits of the caller", () => {
    const tight = parse("[[1]]", { depthMax: 1, nodesMax: 9 })
    assert.strictEqual(Result.isFailure(tight) && tight.failure.reason, "depth")
    const few = parse("[1,2]", { depthMax: 9, nodesMax: 2 })
    assert.strictEqual(Result.isFailure(few) && few.failure.reason, "nodes")
    assert.isTrue(Result.isSuccess(parse("1", { depthMax: 0, nodesMax: 1 })))
  })
})

describe("hostile keys", () => {
  const text = '{"__proto__":{"admin":true},"constructor":1,"toString":2,"hasOwnProperty":3}'

  it("become own fields and leave every prototype alone", () => {
    for (const value of [ok(text), plain(text)]) {
      assert.deepStrictEqual(Object.keys(value as object), [
        "__proto__",
        "constructor",
        "toString",
        "hasOwnProperty"
      ])
      assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
      assert.notProperty(value, "admin")
      assert.notProperty({}, "admin")
    }
    assert.strictEqual(JSON.stringify(plain(text)), text)
  })
})

describe("numbers", () => {
  it("keep their source text", () => {
    const value = ok("[10.050000000000000001, 1E400, -0]") as JsonArray
    assert.deepStrictEqual(
      value.map((number) => (number as JsonNumber).source),
      ["10.050000000000000001", "1E400", "-0"]
    )
    assert.strictEqual(new JsonNumber("1e1").toNumber(), 10)
    assert.strictEqual(JSON.stringify({ a: new JsonNumber("10.50") }), '{"a":10.5}')
  })

  const exact: ReadonlyArray<readonly [string, number]> = [
    ["0", 0],
    ["-0", -0],
    ["0.000e9", 0],
    ["10.50", 10.5],
    ["0.1", 0.1],
    ["1e1", 10],
    ["1.7e-300", 1.7e-300],
    ["100000000000000000000e-10", 1e10],
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["0.30000000000000004", 0.30000000000000004],
    // Printed by older tools that always write 17 digits.
    ["0.10000000000000001", 0.1],
    // The double is exactly 1310068333390713.25: both neighbours of 17 digits are its text.
    ["1310068333390713.2", 1310068333390713.25],
    ["1310068333390713.3", 1310068333390713.25],
    ["5e-324", 5e-324]
  ]
  for (const [source, number] of exact) {
    it(`${source} becomes a plain number`, () => {
      assert.deepStrictEqual(toPlain(ok(source)), Result.succeed(number))
    })
  }

  const inexact = [
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "1e21",
    "1e308",
    "1e400",
    "-1e400",
    "1e-400",
    "10.050000000000000001",
    "0.1000000000000000055511151231257827",
    "4503599627370497.3",
    "4503599627370496.3",
    "9007199254740993.5"
  ]
  for (const source of inexact) {
    it(`${source} is refused`, () => {
      assert.isTrue(Result.isFailure(toPlain(ok(source))))
    })
  }

  it("say where they stand when they are refused", () => {
    const result = toPlain(ok('{"a":[1,{"b":1e400}],"c":2}'))
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) {
      assert.deepStrictEqual(result.failure.path, ["a", "1", "b"])
      assert.include(result.failure.message, "at a.1.b")
    }
  })

  it.prop("every double survives", { number: Schema.Finite }, ({ number }) => {
    const result = toPlain(ok(JSON.stringify(number)))
    if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
      assert.isTrue(Result.isFailure(result))
    } else {
      assert.strictEqual(Result.getOrThrow(result), number === 0 ? 0 : number)
    }
  })
})

describe("sourceOf", () => {
  it("gives the exact text of each object and array", () => {
    const value = ok(' {"a": [ 1.50,\n{ "b" :2}] , "c":{}} ') as JsonObject
    const list = value["a"] as JsonArray
    assert.strictEqual(sourceOf(value), '{"a": [ 1.50,\n{ "b" :2}] , "c":{}}')
    assert.strictEqual(sourceOf(list), '[ 1.50,\n{ "b" :2}]')
    assert.strictEqual(sourceOf(list[1] as JsonObject), '{ "b" :2}')
    assert.strictEqual(sourceOf(value["c"] as JsonObject), "{}")
    assert.strictEqual(sourceOf({ ...value }), undefined)
  })
})

describe("decodeUtf8", () => {
  const bytes = (...values: Array<number>) => decodeUtf8(Uint8Array.from(values))

  it("decodes what is well formed", () => {
    assert.deepStrictEqual(
      decodeUtf8(new TextEncoder().encode("é😀\u0000")),
      Result.succeed("é😀\u0000")
    )
    assert.deepStrictEqual(bytes(), Result.succeed(""))
  })

  it("refuses what is not, and keeps working", () => {
    const malformed = [[0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0x80], [0xff]]
    for (const values of malformed) {
      assert.isTrue(Result.isFailure(bytes(...values)), String(values))
      assert.deepStrictEqual(bytes(0x7b, 0x7d), Result.succeed("{}"))
    }
  })

  it("shows a byte order mark to the parser", () => {
    const text = Result.getOrThrow(bytes(0xef, 0xbb, 0xbf, 0x31))
    assert.strictEqual(refusalOf(text)?.reason, "bom")
  })
})

describe("against JSON.parse", () => {
  const strings = (value: unknown): ReadonlyArray<string> => {
    if (typeof value === "string") return [value]
    if (typeof value !== "object" || value === null) return []
    return Object.entries(value).flatMap(([key, inner]) => [
      ...(Array.isArray(value) ? [] : [key]),
      ...strings(inner)
    ])
  }
  const keys = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0
    const inner = Object.values(value).reduce<number>((total, member) => total + keys(member), 0)
    return inner + (Array.isArray(value) ? 0 : Object.keys(value).length)
  }
  /** What a strict reader should give, by means of another parser; undefined for a refusal. */
  const expected = (text: string): { readonly value: unknown } | undefined => {
    const parsed = Result.try(() => ({ value: JSON.parse(text) as unknown }))
    if (Result.isFailure(parsed)) return undefined
    const { value } = parsed.success
    const colons = text.replace(/"(?:[^"\\]|\\.)*"/g, "").split(":").length - 1
    const isClean = strings(value).every((item) => item.isWellFormed() && !item.includes("\u0000"))
    return isClean && colons === keys(value) ? { value } : undefined
  }
  const lenient = { depthMax: 200, nodesMax: 1_000_000 }
  const numbersOf = (value: JsonValue): unknown => {
    if (value instanceof JsonNumber) return value.toNumber()
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map(numbersOf)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, numbersOf(item)]))
  }
  /** JSON.parse of V8 13.6 reads {"":0,"\\u0000":1} as {"":0,"\\":1} once it is hot: it is no measure of such a text. */
  const isMisread = (text: string) => /""\s*:/.test(text) && /"\\/.test(text)
  const agrees = (text: string) => {
    if (isMisread(text)) return
    const result = parse(text, lenient)
    const strict = expected(text)
    assert.strictEqual(Result.isSuccess(result), strict !== undefined, text)
    if (Result.isSuccess(result)) assert.deepStrictEqual(numbersOf(result.success), strict?.value)
  }

  it.prop(
    "agrees on any value",
    { value: Schema.Json, indent: Schema.Literals([0, 1, "\t"]) },
    ({ value, indent }) => agrees(JSON.stringify(value, null, indent)),
    { arbitrary: { runs: 2000 } }
  )

  it.prop(
    "agrees on any text",
    { text: Schema.String },
    ({ text }) => {
      agrees(text)
      agrees(`"${text}"`)
    },
    { arbitrary: { runs: 1000 } }
  )

  const words = '00 1e5 true null NaN "a":1, \\n \\u0061 \\u0000 \\ud800 \\udc00'.split(" ")
  const characters = Array.from("{}[],:\"\\/ \n\t\u0000\u00a0\ufeff01-+.eEaun'😀")
  const pieces = ["", "\ud800", "\udc00", ...words, ...characters]
  const Edit = Schema.Struct({
    place: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9999 })),
    cut: Schema.Literals([0, 0, 1, 1, 2, 5]),
    piece: Schema.Literals(pieces)
  })
  it.prop(
    "agrees on a text that was tampered with",
    { value: Schema.Json, edits: Arbitrary.array(Arbitrary.schema(Edit), { maxLength: 4 }) },
    ({ value, edits }) => {
      let text = JSON.stringify(value)
      for (const { place, cut, piece } of edits) {
        const at = place % (text.length + 1)
        text = text.slice(0, at) + piece + text.slice(at + cut)
      }
      agrees(text)
    },
    { arbitrary: { runs: 5000 } }
  )
})
