import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Document from "./Document.ts"
import { pixVectors } from "./PixVectors.test-data.ts"

const plain = (text: string) => text.replace(/[^\dA-Za-z]/g, "").toUpperCase()
const reasonOf = (result: Result.Result<unknown, Document.InvalidDocument>) =>
  Result.isFailure(result) ? result.failure.reason : "accepted"

describe("published CPFs", () => {
  for (const [text, valid, note] of pixVectors.cpf) {
    it(`${text} ${valid ? "is one" : "is none"} (${note})`, () => {
      const result = Document.parseCpf(text)
      assert.strictEqual(Result.getOrUndefined(result), valid ? plain(text) : undefined)
      assert.deepStrictEqual(Document.parse(text), valid ? result : Document.parse(text))
      assert.strictEqual(Result.isSuccess(Document.parse(text)), valid)
      assert.isTrue(Result.isFailure(Document.parseCnpj(text)))
    })
  }
})

describe("published CNPJs", () => {
  for (const [text, valid, note] of pixVectors.cnpj) {
    it(`${text} ${valid ? "is one" : "is none"} (${note})`, () => {
      const result = Document.parseCnpj(text)
      assert.strictEqual(Result.getOrUndefined(result), valid ? plain(text) : undefined)
      assert.strictEqual(Result.isSuccess(Document.parse(text)), valid)
      assert.isTrue(Result.isFailure(Document.parseCpf(text)))
    })
  }

  for (const [base, digits] of pixVectors.cnpjCheckDigits) {
    it(`${base} has the check digits ${digits}`, () => {
      const right = Array.from({ length: 100 }, (_, i) => i.toString().padStart(2, "0")).filter(
        (pair) => Result.isSuccess(Document.parseCnpj(base + pair))
      )
      assert.deepStrictEqual(right, [digits])
    })
  }
})

describe("rules", () => {
  const refused: ReadonlyArray<readonly [string, Document.InvalidDocument["reason"]]> = [
    ["", "format"],
    ["123.456.789-0", "format"],
    [" 12345678909", "format"],
    ["12345678909\n", "format"],
    ["123-456-789.09", "format"],
    ["１２３４５６７８９０９", "format"],
    ["12ABC34501DE3５", "format"],
    ["12ABC34501DEA5", "format"],
    ["12345678900", "checkDigits"],
    ["12345678919", "checkDigits"],
    ["12ABC34501DE34", "checkDigits"],
    ["12ABC34501DE45", "checkDigits"],
    ["99999999999", "repeated"],
    ["99999999999999", "repeated"],
    // Upper-casing would turn these into plain letters.
    ["12ABC34501Dı35", "format"],
    ["12ABC34501ſE35", "format"]
  ]
  for (const [text, reason] of refused) {
    it(`refuses ${JSON.stringify(text)}: ${reason}`, () => {
      assert.strictEqual(reasonOf(Document.parse(text)), reason)
    })
  }

  it("refuses every repeated digit", () => {
    for (const digit of "0123456789") {
      assert.strictEqual(reasonOf(Document.parse(digit.repeat(11))), "repeated")
      assert.strictEqual(reasonOf(Document.parse(digit.repeat(14))), "repeated")
    }
  })

  const Base = Schema.String.check(Schema.isPattern(/^\d{9}$/))
  it.prop("every CPF base has one pair of check digits", { base: Base }, ({ base }) => {
    const right = Array.from({ length: 100 }, (_, i) => base + i.toString().padStart(2, "0"))
      .map((text) => Document.parse(text))
      .filter(Result.isSuccess)
    assert.strictEqual(right.length, /^(\d)\1{8}$/.test(base) ? 0 : 1)
  })

  it("tells what is wrong, never the document", () => {
    const result = Document.parseCpf("52998224724")
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) {
      assert.include(result.failure.message, "check digits")
      assert.notInclude(JSON.stringify(result.failure) + result.failure.message, "5299822")
    }
  })
})

describe("Document", () => {
  const cpf = Document.Document.make("12345678909")
  const cnpj = Document.Document.make("12ABC34501DE35")

  it("knows its kind", () => {
    assert.strictEqual(Document.kindOf(cpf), "cpf")
    assert.strictEqual(Document.kindOf(cnpj), "cnpj")
  })

  it("shows its middle only", () => {
    assert.strictEqual(Document.mask(cpf), "***.456.789-**")
    assert.strictEqual(Document.mask(cnpj), "**.ABC.345/01DE-**")
  })

  it("is made from the plain form only", () => {
    for (const text of ["123.456.789-09", "12abc34501de35", "12345678900", ""]) {
      assert.throws(() => Document.Document.make(text))
    }
  })

  it("decodes to the plain form, and writes that", () => {
    const decode = Schema.decodeUnknownResult(Document.Document)
    assert.deepStrictEqual(decode("12.abc.345/01de-35"), Result.succeed(cnpj))
    assert.deepStrictEqual(decode("12345678909"), Result.succeed(cpf))
    assert.strictEqual(Schema.encodeSync(Document.Document)(cnpj), "12ABC34501DE35")
    for (const value of ["12345678900", 12345678909, null]) {
      assert.isTrue(Result.isFailure(decode(value)))
    }
  })
})
