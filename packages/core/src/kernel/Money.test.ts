import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Money from "./Money.ts"
import { pixVectors } from "./PixVectors.test-data.ts"
import { JsonNumber, parse as parseJson } from "./StrictJson.ts"

const centavos = (amount: bigint) => Money.Centavos.make(amount)
const limit = 1_000_000_000_000_000n
const Exact = Schema.BigInt.check(
  Schema.isBetweenBigInt({ minimum: 1n - limit, maximum: limit - 1n })
)
const Wire = Schema.BigInt.check(
  Schema.isBetweenBigInt({ minimum: 0n, maximum: 99_999_999_999_999n })
)

const reasonOf = (result: Result.Result<unknown, Money.InvalidAmount>) =>
  Result.isFailure(result) ? result.failure.reason : "accepted"

describe("parseBrl", () => {
  const accepted: ReadonlyArray<readonly [string, bigint]> = [
    ["0", 0n],
    ["0.0", 0n],
    ["0.00", 0n],
    ["0.01", 1n],
    ["0.1", 10n],
    ["10", 1000n],
    ["10.5", 1050n],
    ["10.50", 1050n],
    ["1.15", 115n],
    ["999999999999.99", 99_999_999_999_999n]
  ]
  for (const [source, amount] of accepted) {
    it(`reads ${source}`, () => {
      assert.deepStrictEqual(Money.parseBrl(source), Result.succeed(centavos(amount)))
    })
  }

  const refused: ReadonlyArray<readonly [string, Money.InvalidAmount["reason"]]> = [
    ["", "format"],
    ["01", "format"],
    ["00", "format"],
    ["00.10", "format"],
    [".5", "format"],
    ["5.", "format"],
    ["+5", "format"],
    [" 5", "format"],
    ["5\n", "format"],
    ["10,50", "format"],
    ["1_000", "format"],
    ["0x10", "format"],
    ["NaN", "format"],
    ["Infinity", "format"],
    ["٣", "format"],
    ["-0", "negative"],
    ["-0.00", "negative"],
    ["-1", "negative"],
    ["1e1", "exponent"],
    ["1E-7", "exponent"],
    ["1e+21", "exponent"],
    ["10.005", "precision"],
    ["10.000", "precision"],
    ["10.050000000000000001", "precision"],
    ["0.30000000000000004", "precision"],
    ["1000000000000", "range"],
    ["9000000000000000", "range"]
  ]
  for (const [source, reason] of refused) {
    it(`refuses ${JSON.stringify(source)}: ${reason}`, () => {
      assert.strictEqual(reasonOf(Money.parseBrl(source)), reason)
    })
  }

  it.prop("reads back every amount that is written", { amount: Wire }, ({ amount }) => {
    const text = JSON.stringify(Money.toBrlNumber(centavos(amount)))
    assert.deepStrictEqual(Money.parseBrl(text), Result.succeed(centavos(amount)))
    assert.deepStrictEqual(
      Money.parseBrl(Money.toBrlString(centavos(amount))),
      Result.succeed(centavos(amount))
    )
  })

  const NearlyAmount = Schema.String.check(
    Schema.isPattern(/^[-+]?\d{0,14}\.?\d{0,4}(?:[eE]\d)?\s?$/)
  )
  it.prop("takes what the rule allows", { text: NearlyAmount }, ({ text }) => {
    const rule = /^(0|[1-9]\d{0,11})(\.\d{1,2})?$/
    assert.strictEqual(Result.isSuccess(Money.parseBrl(text)), rule.test(text))
  })

  it("says what to do without repeating what was sent", () => {
    const result = Money.parseBrl("123.456789")
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) {
      assert.include(result.failure.message, "at most 2")
      assert.notInclude(result.failure.message, "456789")
    }
  })
})

describe("writing", () => {
  const forms: ReadonlyArray<readonly [bigint, string, number]> = [
    [0n, "0.00", 0],
    [1n, "0.01", 0.01],
    [10n, "0.10", 0.1],
    [1999n, "19.99", 19.99],
    [3700n, "37.00", 37],
    [-5n, "-0.05", -0.05],
    [-12345n, "-123.45", -123.45],
    [999_999_999_999_999n, "9999999999999.99", 9999999999999.99]
  ]
  for (const [amount, text, number] of forms) {
    it(`writes ${text}`, () => {
      assert.strictEqual(Money.toBrlString(centavos(amount)), text)
      assert.strictEqual(Money.toBrlNumber(centavos(amount)), number)
    })
  }

  it.prop("prints no more digits than the amount has", { amount: Exact }, ({ amount }) => {
    const printed = String(Money.toBrlNumber(centavos(amount)))
    assert.match(printed, /^-?\d{1,13}(\.\d{1,2})?$/)
    assert.strictEqual(Number(printed).toFixed(2), Money.toBrlString(centavos(amount)))
  })

  it("throws rather than lose a centavo", () => {
    assert.throws(() => Money.toBrlNumber(centavos(limit)), RangeError)
    assert.throws(() => Money.toBrlNumber(centavos(-limit)), RangeError)
  })
})

describe("parseBacenAmount", () => {
  for (const [text, valid] of pixVectors.bacenAmounts) {
    it(`${valid ? "reads" : "refuses"} ${JSON.stringify(text)}`, () => {
      assert.strictEqual(reasonOf(Money.parseBacenAmount(text)), valid ? "accepted" : "wire")
    })
  }

  it("reaches its bound", () => {
    assert.deepStrictEqual(
      Money.parseBacenAmount("9999999999.99"),
      Result.succeed(Money.bacenAmountMax)
    )
    assert.strictEqual(Money.toBrlString(Money.bacenAmountMax), "9999999999.99")
  })
})

describe("arithmetic", () => {
  it("adds without a bound and takes the smaller", () => {
    assert.strictEqual(Money.sum([]), 0n)
    assert.strictEqual(Money.sum([centavos(2n ** 62n), centavos(2n ** 62n)]), 2n ** 63n)
    assert.strictEqual(Money.sum([centavos(5n), centavos(-7n)]), -2n)
    assert.strictEqual(Money.min(centavos(-1n), centavos(1n)), -1n)
    assert.strictEqual(Money.min(centavos(1n), centavos(-1n)), -1n)
  })

  const parts: ReadonlyArray<readonly [bigint, number, bigint]> = [
    [10_000n, 10_000, 100n],
    [10_000n, 1_000_000, 10_000n],
    [10_000n, 0, 0n],
    [50n, 10_000, 1n],
    [49n, 10_000, 0n],
    [150n, 10_000, 2n],
    [1_234n, 9_900, 12n],
    [1n, 500_000, 1n],
    [1n, 499_999, 0n],
    [-50n, 10_000, -1n],
    [-49n, 10_000, 0n]
  ]
  for (const [amount, rate, part] of parts) {
    it(`${rate} ten-thousandths of a percent of ${amount} are ${part}`, () => {
      assert.strictEqual(Money.percentHalfUp(centavos(amount), Money.Percent.make(rate)), part)
    })
  }

  it.prop(
    "is the nearest centavo, and a half goes up",
    { amount: Wire, rate: Money.Percent },
    ({ amount, rate }) => {
      const part = Money.percentHalfUp(centavos(amount), rate)
      const error = part * 1_000_000n - amount * BigInt(rate)
      assert.isTrue(error > -500_000n && error <= 500_000n)
      assert.strictEqual(Money.percentHalfUp(centavos(-amount), rate), -part)
    }
  )
})

describe("codecs", () => {
  const decode = Schema.decodeUnknownResult(Schema.toCodecJson(Money.BrlNumber))
  const decodeSigned = Schema.decodeUnknownResult(Schema.toCodecJson(Money.SignedBrlNumber))

  it("BrlNumber decodes the source text of a number", () => {
    assert.deepStrictEqual(decode(new JsonNumber("10.50")), Result.succeed(centavos(1050n)))
    for (const source of ["10.050000000000000001", "1e1", "-0", "-1", "01", "1000000000000"]) {
      assert.isTrue(Result.isFailure(decode(new JsonNumber(source))), source)
    }
  })

  it("BrlNumber decodes a plain number by its shortest form", () => {
    assert.deepStrictEqual(decode(19.99), Result.succeed(centavos(1999n)))
    for (const number of [0.1 + 0.2, 1e21, 1e-7, -0, -1, 9e15, Number.NaN, Infinity]) {
      assert.isTrue(Result.isFailure(decode(number)), String(number))
    }
  })

  it("BrlNumber takes nothing but numbers", () => {
    for (const value of ["10", null, true, 10n, { source: "10" }, []]) {
      assert.isTrue(Result.isFailure(decode(value)), String(value))
    }
  })

  it("works inside the codec of a request and in its JSON Schema", () => {
    const Request = Schema.Struct({
      amount: Money.BrlNumber,
      change: Money.SignedBrlNumber,
      percent: Money.PercentNumber
    })
    const body = Result.getOrThrow(parseJson(`{"amount":10.50,"change":-3,"percent":1.5}`))
    const value = {
      amount: centavos(1050n),
      change: centavos(-300n),
      percent: Money.Percent.make(15_000)
    }
    const codec = Schema.toCodecJson(Request)
    assert.deepStrictEqual(Schema.decodeUnknownSync(codec)(body), value)
    assert.deepStrictEqual(Schema.encodeSync(codec)(value), {
      amount: 10.5,
      change: -3,
      percent: 1.5
    })
    assert.deepStrictEqual(Schema.toJsonSchemaDocument(Request).schema["properties"], {
      amount: { type: "number", minimum: 0, multipleOf: 0.01 },
      change: { type: "number", multipleOf: 0.01 },
      percent: { type: "number", minimum: 0, maximum: 100, multipleOf: 0.0001 }
    })
  })

  it.prop("BrlNumber round-trips", { amount: Wire }, ({ amount }) => {
    const encoded = Schema.encodeSync(Money.BrlNumber)(centavos(amount))
    assert.strictEqual(Schema.decodeSync(Money.BrlNumber)(encoded), amount)
  })

  it("BrlNumber refuses to encode what it could not decode", () => {
    const encode = Schema.encodeResult(Money.BrlNumber)
    assert.isTrue(Result.isFailure(encode(centavos(-1n))))
    assert.isTrue(Result.isFailure(encode(centavos(limit))))
  })

  it("SignedBrlNumber takes one minus, and none on zero", () => {
    assert.deepStrictEqual(decodeSigned(new JsonNumber("-0.05")), Result.succeed(centavos(-5n)))
    assert.deepStrictEqual(decodeSigned(-10.5), Result.succeed(centavos(-1050n)))
    assert.deepStrictEqual(decodeSigned(7), Result.succeed(centavos(700n)))
    for (const source of ["-0", "-0.00", "-1e1", "-1.005", "--1", "-01"]) {
      assert.isTrue(Result.isFailure(decodeSigned(new JsonNumber(source))), source)
    }
    assert.isTrue(Result.isFailure(decodeSigned(-0)))
  })

  it("PercentNumber has four decimals and ends at 100", () => {
    const rates: ReadonlyArray<readonly [string, number]> = [
      ["0", 0],
      ["1", 10_000],
      ["0.0001", 1],
      ["99.9999", 999_999],
      ["100", 1_000_000],
      ["100.0000", 1_000_000]
    ]
    for (const [source, rate] of rates) {
      assert.deepStrictEqual(Money.parsePercent(source), Result.succeed(Money.Percent.make(rate)))
    }
    assert.strictEqual(reasonOf(Money.parsePercent("100.0001")), "range")
    assert.strictEqual(reasonOf(Money.parsePercent("1000")), "range")
    assert.strictEqual(reasonOf(Money.parsePercent("1.00001")), "precision")
    assert.strictEqual(reasonOf(Money.parsePercent("1e1")), "exponent")
  })

  it.prop("PercentNumber round-trips", { rate: Money.Percent }, ({ rate }) => {
    const text = JSON.stringify(Schema.encodeSync(Money.PercentNumber)(rate))
    assert.deepStrictEqual(
      Schema.decodeUnknownResult(Money.PercentNumber)(new JsonNumber(text)),
      Result.succeed(rate)
    )
  })

  it.prop("CentavosString round-trips any size", { amount: Money.Centavos }, ({ amount }) => {
    const text = Schema.encodeSync(Money.CentavosString)(amount)
    assert.strictEqual(text, amount.toString())
    assert.strictEqual(Schema.decodeSync(Money.CentavosString)(text), amount)
  })

  it("CentavosString has one form for each amount", () => {
    const decodeString = Schema.decodeUnknownResult(Money.CentavosString)
    for (const text of ["", " 1", "01", "-0", "+1", "1.0", "1e3", "0x10", "1n", 1]) {
      assert.isTrue(Result.isFailure(decodeString(text)), String(text))
    }
  })
})
