import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { maskAll } from "./Document.ts"
import * as PixKey from "./PixKey.ts"
import { pixVectors } from "./PixVectors.test-data.ts"

const valueOf = (type: PixKey.PixKeyType, text: string) =>
  Result.getOrUndefined(PixKey.parse(type, text))?.value

describe("published keys", () => {
  for (const [type, text, value, note] of pixVectors.pixKeys) {
    it(`${text} is a key of type ${type} (${note})`, () => {
      assert.deepStrictEqual(
        PixKey.parse(type, text),
        Result.succeed(PixKey.PixKey.make({ type, value }))
      )
    })

    it(`${value} stays as it is and is found as ${type}`, () => {
      assert.strictEqual(valueOf(type, value), value)
      assert.deepStrictEqual(
        PixKey.fromDictForm(value),
        Result.succeed(PixKey.PixKey.make({ type, value }))
      )
    })

    it(`${value} is in the form of no other type`, () => {
      for (const other of PixKey.PixKeyType.literals) {
        if (other !== type) assert.notStrictEqual(valueOf(other, value), value)
      }
    })
  }

  for (const [type, text, note] of pixVectors.badPixKeys) {
    it(`${text} is no key of type ${type} (${note})`, () => {
      const result = PixKey.parse(type, text)
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) assert.strictEqual(result.failure.type, type)
    })
  }
})

describe("phones", () => {
  const written = [
    "+5511987654321",
    "+55 11 98765-4321",
    "+55 (11) 98765-4321",
    "55 11 987654321",
    "(11)98765-4321",
    "11 98765 4321"
  ]
  for (const text of written) {
    it(`reads ${text}`, () => assert.strictEqual(valueOf("phone", text), "+5511987654321"))
  }

  it("are told from a CPF by the type alone", () => {
    assert.strictEqual(valueOf("cpf", "52998224725"), "52998224725")
    assert.strictEqual(valueOf("phone", "52998224725"), "+5552998224725")
  })

  it("keeps area code 55 apart from the country", () => {
    assert.strictEqual(valueOf("phone", "55987654321"), "+5555987654321")
    assert.strictEqual(valueOf("phone", "5555987654321"), "+5555987654321")
  })

  const refused = [
    "987654321",
    "+55987654321",
    "+551198765432",
    "+55119876543210",
    "+5501987654321",
    "011987654321",
    "++5511987654321",
    "+5511987654321 ",
    "+55119876x4321",
    "1198-765-4321",
    "+٥٥11987654321"
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.strictEqual(valueOf("phone", text), undefined)
    })
  }
})

describe("e-mails", () => {
  const refused = [
    "",
    "@exemplo.com",
    "a@b@c.com",
    "a b@c.com",
    "a@-c.com",
    "a@c-.com",
    "a@c..com",
    "a@.com",
    "a%b@c.com",
    `a@${"b".repeat(64)}.com`,
    " a@c.com",
    // Small letters would turn the Kelvin sign into a plain k.
    "\u212a@c.com"
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.strictEqual(valueOf("email", text), undefined)
    })
  }

  it("answers at once on a text made to be slow", () => {
    const started = performance.now()
    valueOf("email", `${"a.".repeat(500_000)}@`)
    valueOf("email", `a@${"a-".repeat(36)}!`)
    assert.isBelow(performance.now() - started, 2000)
  })
})

describe("PixKey", () => {
  it.prop(
    "what parse gives, parse keeps",
    { type: PixKey.PixKeyType, text: Schema.String.check(Schema.isPattern(/^[\w.@+()-]{0,20}$/)) },
    ({ type, text }) => {
      const value = valueOf(type, text)
      if (value !== undefined) assert.strictEqual(valueOf(type, value), value)
    },
    { arbitrary: { runs: 1000 } }
  )

  it("is stored and read in the form of the DICT only", () => {
    const decode = Schema.decodeUnknownResult(PixKey.PixKey)
    const key = { type: "email", value: "a@b.com" }
    assert.deepStrictEqual(decode(key), Result.succeed(key as PixKey.PixKey))
    assert.isTrue(Result.isFailure(decode({ type: "email", value: "A@b.com" })))
    assert.isTrue(Result.isFailure(decode({ type: "cpf", value: "12345678900" })))
    assert.isTrue(Result.isFailure(decode({ type: "iban", value: "a@b.com" })))
  })

  it("is not guessed from another form", () => {
    for (const text of [
      "529.982.247-25",
      "11987654321",
      "A@b.com",
      "123E4567-E12B-12D1-A456-426655440000",
      ""
    ]) {
      const result = PixKey.fromDictForm(text)
      assert.isTrue(Result.isFailure(result), text)
      if (Result.isFailure(result)) assert.strictEqual(result.failure.type, "unknown")
    }
  })

  it("has a refusal for each type that says how to write it, never the key", () => {
    for (const type of PixKey.PixKeyType.literals) {
      const result = PixKey.parse(type, "secret!")
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) {
        assert.match(result.failure.message, /^The Pix key is not /)
        assert.notInclude(result.failure.message, "secret!")
        // An example that looks like a document would be masked on its way out.
        assert.strictEqual(maskAll(result.failure.message), result.failure.message)
      }
    }
  })
})
