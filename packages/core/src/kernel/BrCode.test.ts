import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { type BrCode, build, crc16, InvalidBrCode, parse } from "./BrCode.ts"
import { Centavos, toBrlString } from "./Money.ts"
import { fromDictForm, type PixKey, PixKey as PixKeySchema } from "./PixKey.ts"
import { pixVectors } from "./PixVectors.test-data.ts"
import { noTxId, StaticTxId } from "./TxId.ts"

const sign = (unsigned: string) => `${unsigned}6304${crc16(`${unsigned}6304`)}`
const refusalOf = (result: Result.Result<unknown, InvalidBrCode>) =>
  Result.isFailure(result)
    ? `${result.failure.object} ${result.failure.problem}`.trim()
    : "accepted"

/** The content in the notation of the examples. */
const show = (code: BrCode): string => {
  const amount = code.kind === "recurrence" ? undefined : code.amount
  const fixed = code.kind === "static" ? code : undefined
  const fields = {
    kind: code.kind,
    name: code.merchantName,
    city: code.merchantCity,
    use: code.use,
    key: fixed?.key.value,
    description: fixed?.description,
    withdrawalIspb: fixed?.withdrawalIspb,
    location: code.kind === "dynamic" ? code.location : undefined,
    amount: amount === undefined ? undefined : toBrlString(amount),
    txid: fixed?.txid,
    recurrence: code.recurrenceLocation
  }
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join("; ")
}

describe("crc16", () => {
  for (const [text, value] of pixVectors.crc) {
    it(`of ${JSON.stringify(text)} is ${value}`, () => assert.strictEqual(crc16(text), value))
  }
})

describe("published codes", () => {
  const sorted = (content: string) => content.split("; ").sort().join("; ")

  for (const [text, content, note] of pixVectors.brCodes) {
    it(`are read: ${note}`, () => {
      const code = Result.getOrThrow(parse(text))
      assert.strictEqual(sorted(show(code)), sorted(content))
      assert.notProperty(code, "merchantCategory")
    })

    it(`are written: ${note}`, () => {
      const ours = sign(text.slice(0, -8).replace("BR.GOV.BCB.PIX", "br.gov.bcb.pix"))
      assert.deepStrictEqual(build(Result.getOrThrow(parse(text))), Result.succeed(ours))
      if (!text.includes("BR.GOV")) assert.strictEqual(ours, text)
    })
  }

  for (const [text, object, note] of pixVectors.badBrCodes) {
    it(`are refused: ${note}`, () => {
      const result = parse(text)
      assert.strictEqual(Result.isFailure(result) ? result.failure.object : "accepted", object)
    })
  }
})

describe("published contents", () => {
  for (const example of pixVectors.builds) {
    it(`${"text" in example ? "are written" : "are refused"}: ${example.from}`, () => {
      const { code } = example
      const content =
        code.kind === "static"
          ? {
              ...code,
              key: Result.getOrThrow(fromDictForm(code.key)),
              txid: code.txid as StaticTxId,
              ...("amount" in code ? { amount: Centavos.make(code.amount) } : {})
            }
          : code
      const result = build(content as BrCode)
      if ("text" in example) assert.deepStrictEqual(result, Result.succeed(example.text))
      else assert.strictEqual(refusalOf(result), `${example.refused} wrong`)
    })
  }
})

describe("one changed character", () => {
  const refusesAll = (text: string, characters: string) => {
    for (let at = 0; at < text.length; at++) {
      for (const character of characters) {
        if (character === text[at]) continue
        const changed = text.slice(0, at) + character + text.slice(at + 1)
        assert.isTrue(Result.isFailure(parse(changed)), changed)
      }
    }
  }

  const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join("")
  it("is always seen, whatever it becomes", () => {
    const [[first]] = pixVectors.brCodes
    refusesAll(first, `${printable}\n\u0000é٠`)
  })

  for (const [text, , note] of pixVectors.brCodes) {
    it(`is seen: ${note}`, () => refusesAll(text, "09Aa *"))
  }

  it("is seen at both ends", () => {
    for (const [text] of pixVectors.brCodes) {
      for (const changed of [
        ` ${text}`,
        `${text} `,
        `${text}\n`,
        text.slice(1),
        text.slice(0, -1)
      ]) {
        assert.isTrue(Result.isFailure(parse(changed)), changed)
      }
      assert.isTrue(Result.isFailure(parse(text + text)))
    }
  })

  it("is seen in the case of the check value", () => {
    const text = pixVectors.brCodes[0][0]
    assert.strictEqual(
      refusalOf(parse(text.slice(0, -4) + text.slice(-4).toLowerCase())),
      "63 wrong"
    )
  })
})

describe("parse(build(code))", () => {
  const text = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))
  const Location = text(/^[a-z0-9.-]{1,20}(?::\d{1,5})?\/[\x21-\x7e]{1,50}$/)
  const Amount = Schema.BigInt.check(
    Schema.isBetweenBigInt({ minimum: 0n, maximum: 999_999_999_999n })
  ).pipe(Schema.brand("Centavos"))
  const merchant = {
    merchantName: text(/^[\x21-\x7e](?:[\x20-\x7e]{0,23}[\x21-\x7e])?$/),
    merchantCity: text(/^[\x21-\x7e](?:[\x20-\x7e]{0,13}[\x21-\x7e])?$/),
    merchantCategory: Schema.optionalKey(text(/^[1-9]\d{3}$/)),
    postalCode: Schema.optionalKey(text(/^\d{5}-?\d{3}$/)),
    use: Schema.optionalKey(Schema.Literals(["reusable", "single"]))
  }
  const recurrence = { recurrenceLocation: Schema.optionalKey(Location) }
  const keys = pixVectors.pixKeys.map(([type, , value]) => PixKeySchema.make({ type, value }))

  const Static = Schema.Struct({
    ...merchant,
    ...recurrence,
    kind: Schema.Literal("static"),
    withdrawalIspb: Schema.optionalKey(text(/^[0-9A-Z]{8}$/)),
    amount: Schema.optionalKey(Amount),
    txid: StaticTxId
  })
  const Dynamic = Schema.Struct({
    ...merchant,
    ...recurrence,
    kind: Schema.Literal("dynamic"),
    location: Location,
    amount: Schema.optionalKey(Amount)
  })
  const Recurrence = Schema.Struct({
    ...merchant,
    kind: Schema.Literal("recurrence"),
    recurrenceLocation: Location
  })

  const returns = (code: BrCode) => {
    const built = Result.getOrThrow(build(code))
    assert.deepStrictEqual(parse(built), Result.succeed(code))
    assert.match(built, /^000201[\x20-\x7e]*6304[0-9A-F]{4}$/)
  }
  const options = { arbitrary: { runs: 1000 } }

  it.prop("is the dynamic code", { code: Dynamic }, ({ code }) => returns(code), options)
  it.prop("is the recurrence code", { code: Recurrence }, ({ code }) => returns(code), options)
  it.prop(
    "is the static code",
    { code: Static, index: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 })) },
    ({ code, index }) => {
      const key = keys[index % keys.length] as PixKey
      // The withdrawal's ISPB needs 12 more characters of the account's 99.
      const room = 73 - key.value.length
      const { withdrawalIspb, ...rest } = code
      returns({ ...rest, key })
      if (withdrawalIspb !== undefined && room >= 12) returns({ ...rest, key, withdrawalIspb })
      if (room > 0) returns({ ...rest, key, description: "d".repeat(room) })
      const tooLong = build({ ...rest, key, description: "d".repeat(Math.max(room, 0) + 1) })
      assert.strictEqual(refusalOf(tooLong), "26 wrong")
    },
    options
  )
})

describe("folding", () => {
  const dynamic = (merchantName: string): BrCode => ({
    kind: "dynamic",
    merchantName,
    merchantCity: "São José",
    location: "pix.example.com/a"
  })
  const nameOf = (merchantName: string) =>
    Result.map(Result.flatMap(build(dynamic(merchantName)), parse), (code) => code.merchantName)

  const names: ReadonlyArray<readonly [string, string]> = [
    ["Bárbara Pelé", "Barbara Pele"],
    ["AÇAÍ & CIA", "ACAI & CIA"],
    ["Ação", "Acao"],
    ["Groß Bjørn Łódź", "Gross Bjorn Lodz"],
    ["D’Ávila – “Café” 1º", 'D\'Avila - "Cafe" 1o'],
    ["  Loja\u00a0Azul ", "Loja Azul"],
    ["ação".repeat(6), "acao".repeat(6)]
  ]
  for (const [name, plain] of names) {
    it(`turns ${name} into ${plain}`, () => {
      assert.deepStrictEqual(nameOf(name), Result.succeed(plain))
    })
  }

  for (const name of ["", "   ", "\u0301", "愛", "Loja 😀", "a\nb", "a\u0000b", "ß".repeat(13)]) {
    it(`refuses ${JSON.stringify(name)}`, () => {
      assert.strictEqual(refusalOf(nameOf(name)), "59 wrong")
    })
  }

  it("also folds the city and the description", () => {
    const code: BrCode = {
      kind: "static",
      key: Result.getOrThrow(fromDictForm("a@b.com")),
      merchantName: "Loja",
      merchantCity: "São José",
      description: "Pedido nº 1",
      txid: noTxId
    }
    assert.deepStrictEqual(
      Result.flatMap(build(code), parse),
      Result.succeed({ ...code, merchantCity: "Sao Jose", description: "Pedido no 1" })
    )
  })
})

describe("build refuses", () => {
  const base = { merchantName: "Loja", merchantCity: "Recife" }
  const key = Result.getOrThrow(fromDictForm("a@b.com"))
  const fixed = { ...base, kind: "static", key, txid: noTxId } as const
  const dynamic = { ...base, kind: "dynamic", location: "a.com/1" } as const
  const cases: ReadonlyArray<readonly [string, BrCode, string]> = [
    ["a negative amount", { ...fixed, amount: Centavos.make(-1n) }, "54 wrong"],
    ["an amount of 11 digits", { ...fixed, amount: Centavos.make(10n ** 12n) }, "54 wrong"],
    ["a key that is none", { ...fixed, key: { ...key, value: "A@b.com" } }, "26-01 wrong"],
    ["an empty description", { ...fixed, description: "" }, "26-02 wrong"],
    ["a short ISPB", { ...fixed, withdrawalIspb: "1234567" }, "26-03 wrong"],
    ["a scheme", { ...dynamic, location: "https://a.com/1" }, "26-25 wrong"],
    ["a host alone", { ...dynamic, location: "a.com" }, "26-25 wrong"],
    ["a space in the location", { ...dynamic, location: "a.com/1 2" }, "26-25 wrong"],
    ["a location of 78", { ...dynamic, location: `a.com/${"1".repeat(72)}` }, "26-25 wrong"],
    ["a long recurrence", { ...dynamic, recurrenceLocation: `a/${"1".repeat(76)}` }, "80-25 wrong"],
    ["a category of letters", { ...dynamic, merchantCategory: "abcd" }, "52 wrong"],
    ["a long postal code", { ...dynamic, postalCode: "12345678901" }, "61 wrong"]
  ]
  for (const [what, code, refusal] of cases) {
    it(what, () => assert.strictEqual(refusalOf(build(code)), refusal))
  }

  it("nothing at 77 characters of location", () => {
    const location = `a.com/${"1".repeat(71)}`
    assert.isTrue(Result.isSuccess(build({ ...dynamic, location, recurrenceLocation: location })))
  })
})

describe("parse", () => {
  const pix = "26180014br.gov.bcb.pix"
  const account = "26330014br.gov.bcb.pix011112345678909"
  const middle = "5204000053039865802BR5904Loja6006Recife"
  const end = "62070503***"
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["a plain code", `000201${account}${middle}${end}`, "accepted"],
    ["another arrangement beside", `000201${account}27080004abcd${middle}${end}`, "accepted"],
    ["the account at 51", `000201${account.replace("26", "51")}${middle}${end}`, "accepted"],
    ["an unknown object", `000201${account}${middle}${end}6503abc`, "accepted"],
    ["another template at 85", `000201${account}${middle}${end}85080004abcd`, "accepted"],
    ["an amount of zero", `000201${account}54040.00${middle}${end}`, "accepted"],
    ["no format first", `${account}000201${middle}${end}`, "wrong"],
    ["no format", `${account}${middle}${end}`, "wrong"],
    ["format 02", `000202${account}${middle}${end}`, "00 wrong"],
    ["no account", `000201${middle}${end}`, "26 missing"],
    ["no account of Pix", `00020126080004abcd${middle}${end}`, "26 missing"],
    [
      "two accounts",
      `000201${account}${account.replace("26", "27")}${middle}${end}`,
      "26 repeated"
    ],
    ["the same object twice", `000201${account}${account}${middle}${end}`, "26 repeated"],
    ["an empty account", `000201${pix}${middle}${end}`, "26 wrong"],
    [
      "key and location",
      `00020126480014br.gov.bcb.pix0111123456789092511a.com/12345${middle}${end}`,
      "26 wrong"
    ],
    [
      "a key with wrong check digits",
      `000201${account.replace("909", "900")}${middle}${end}`,
      "26-01 wrong"
    ],
    [
      "a description without key",
      `00020126360014br.gov.bcb.pix0203abc2507a.com/1${middle}${end}`,
      "26-02 wrong"
    ],
    [
      "an ISPB without key",
      `00020126410014br.gov.bcb.pix0308123456782507a.com/1${middle}${end}`,
      "26-03 wrong"
    ],
    [
      "an amount in a mere recurrence",
      `000201${pix}54041.00${middle}${end}80290014br.gov.bcb.pix2507a.com/1`,
      "54 wrong"
    ],
    ["a member longer than its template", `000201${account}${middle}62070504***`, "wrong"],
    ["a check value inside another object", `000201${account}${middle}${end}6508`, "wrong"],
    ["use 13", `000201010213${account}${middle}${end}`, "01 wrong"],
    ["another currency", `000201${account}${middle.replace("986", "840")}${end}`, "53 wrong"],
    ["another country", `000201${account}${middle.replace("BR", "AR")}${end}`, "58 wrong"],
    ["no name", `000201${account}${middle.replace("5904Loja", "")}${end}`, "59 missing"],
    ["no city", `000201${account}${middle.replace("6006Recife", "")}${end}`, "60 missing"],
    ["an object of no length", `000201${account}${middle}6100${end}`, "wrong"],
    ["no txid", `000201${account}${middle}`, "62-05 missing"],
    ["a txid with a hyphen", `000201${account}${middle}62080504AB-1`, "62-05 wrong"],
    [
      "a txid in a dynamic code",
      `00020126330014br.gov.bcb.pix2511a.com/12345${middle}62080504ABC1`,
      "62-05 wrong"
    ],
    [
      "a recurrence without location",
      `000201${account}${middle}${end}80180014br.gov.bcb.pix`,
      "80-25 missing"
    ],
    ["a length that runs into the next object", `000201${account}${middle}${end}6503ab`, "wrong"]
  ]
  for (const [what, unsigned, outcome] of cases) {
    it(`${what}: ${outcome}`, () => assert.strictEqual(refusalOf(parse(sign(unsigned))), outcome))
  }

  it("misses the check value", () => {
    assert.strictEqual(refusalOf(parse(`000201${account}${middle}${end}`)), "63 missing")
  })

  it("refuses a text of more than 512 characters", () => {
    const objects = (...ids: Array<string>) => ids.map((id) => `${id}99${"x".repeat(99)}`).join("")
    const code = `000201${account}${middle}${end}`
    assert.strictEqual(refusalOf(parse(sign(code + objects("65", "66", "67")))), "accepted")
    assert.strictEqual(refusalOf(parse(sign(code + objects("65", "66", "67", "68")))), "wrong")
  })

  it("refuses what is not ASCII even with a right check value", () => {
    assert.strictEqual(
      refusalOf(parse(sign(`000201${account}5204000053039865802BR5904Lojé6006Recife${end}`))),
      "wrong"
    )
  })

  it("names the object and the rule", () => {
    assert.strictEqual(
      new InvalidBrCode({ object: "59", problem: "missing" }).message,
      "Object 59 of the BR Code is missing: the name has 1 to 25 ASCII characters."
    )
    assert.strictEqual(
      new InvalidBrCode({ object: "27", problem: "repeated" }).message,
      "Object 27 of the BR Code appears twice."
    )
    assert.match(
      new InvalidBrCode({ object: "", problem: "wrong" }).message,
      /^The BR Code is wrong: /
    )
  })
})
