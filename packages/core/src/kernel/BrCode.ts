import { Result, Schema } from "effect"
import { type Centavos, parseBacenAmount, toBrlString } from "./Money.ts"
import { fromDictForm, type PixKey } from "./PixKey.ts"
import { noTxId, type StaticTxId } from "./TxId.ts"
import { present } from "./Present.ts"

interface Merchant {
  /** 1 to 25 characters of ASCII; `build` folds accents away, since they break payers' apps. */
  readonly merchantName: string
  /** 1 to 15 characters, as the name. */
  readonly merchantCity: string
  /** Four digits (ISO 18245); absent for the 0000 of Pix. */
  readonly merchantCategory?: string
  readonly postalCode?: string
  /** A hint for payers; it does not tell a static code from a dynamic one. */
  readonly use?: "reusable" | "single"
  /** Where the payer's app finds the terms of a Pix Automático. */
  readonly recurrenceLocation?: string
}

/** Pays a key. Whoever holds the code can pay it, any number of times. */
export interface StaticBrCode extends Merchant {
  readonly kind: "static"
  readonly key: PixKey
  /** For the payer; together with the key at most 73 characters. */
  readonly description?: string
  /** ISPB of the facilitator who hands out cash (Pix Saque). */
  readonly withdrawalIspb?: string
  /** Absent when the payer chooses. */
  readonly amount?: Centavos
  readonly txid: StaticTxId
}

/** Pays a charge that the receiver's PSP holds at a location. */
export interface DynamicBrCode extends Merchant {
  readonly kind: "dynamic"
  /** Host and path without https://, at most 77 characters. */
  readonly location: string
  /** Payers ignore it: the charge at the location counts. */
  readonly amount?: Centavos
}

/** Only accepts a Pix Automático, and pays nothing now. */
export interface RecurrenceBrCode extends Merchant {
  readonly kind: "recurrence"
  readonly recurrenceLocation: string
}

/** The content of a Pix "copia e cola" text or QR code (EMV QR Code Specification, merchant presented mode). */
export type BrCode = StaticBrCode | DynamicBrCode | RecurrenceBrCode

/** The text is not a BR Code that may be paid. `object` is the EMV id, such as 59 or 62-05, or empty for the whole. */
export class InvalidBrCode extends Schema.TaggedError<InvalidBrCode>()("InvalidBrCode", {
  object: Schema.String,
  problem: Schema.Literals(["missing", "repeated", "wrong"])
}) {
  override get message(): string {
    const rule = rules[this.object]?.[1]
    const subject = this.object === "" ? "The BR Code" : `Object ${this.object} of the BR Code`
    const problem = this.problem === "repeated" ? "appears twice" : `is ${this.problem}`
    return rule === undefined ? `${subject} ${problem}.` : `${subject} ${problem}: ${rule}.`
  }
}

/** Writes the text of a code. What it cannot write by the rules it refuses; nothing is cut off. */
export const build = (code: BrCode): Result.Result<string, InvalidBrCode> =>
  Result.gen(function* () {
    const fields = fieldsOf(code)
    yield* codeOf(fields)
    const objects = [...fields].filter(([object]) => object.length === 2)
    const unsigned = `${objects.map(([id, value]) => tlv(id, value)).join("")}6304`
    return unsigned + crc16(unsigned)
  })

/**
 * Reads a text strictly: printable ASCII, right check value, whole objects, each once, and every field within its
 * rule. Objects that Pix does not use are skipped. A text that this refuses must not be paid.
 */
export const parse = (text: string): Result.Result<BrCode, InvalidBrCode> =>
  Result.gen(function* () {
    if (text.length > textMax || !/^[\x20-\x7e]+$/.test(text)) return yield* refuse("")
    if (text.slice(-8, -4) !== "6304") return yield* refuse("63", "missing")
    if (text.slice(-4) !== crc16(text.slice(0, -4))) return yield* refuse("63")
    const objects = yield* readObjects(text)
    const ids = [...objects.keys()]
    if (ids[0] !== "00" || ids.at(-1) !== "63") return yield* refuse("")
    return yield* codeOf(yield* readFields(objects))
  })

/** CRC-16/CCITT-FALSE of an ASCII text, as the four hexadecimal digits that end a BR Code. */
export const crc16 = (text: string): string => {
  let crc = 0xffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i) << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return (crc & 0xffff).toString(16).toUpperCase().padStart(4, "0")
}

// The Pix API gives `pixCopiaECola` this much room.
const textMax = 512
const gui = "br.gov.bcb.pix"
const locationPattern = /^(?=.{1,77}$)[A-Za-z0-9.-]+(?::\d{1,5})?\/[\x21-\x7e]+$/

type Rule = readonly [pattern: RegExp, sentence: string]

const ascii = (max: number): RegExp => new RegExp(`^[\\x20-\\x7e]{1,${max}}$`)
const txidPattern = /^(?:[A-Za-z0-9]{1,25}|\*\*\*)$/
const amountPattern = /^\d{1,10}\.\d{2}$/

const rules: { readonly [object: string]: Rule } = {
  "": [/^/, "copy it whole; it has at most 512 ASCII characters, in objects of exact length"],
  "00": [/^01$/, "the code starts with format 01"],
  "01": [/^1[12]$/, "it is 11 (reusable) or 12 (single use)"],
  "26": [
    ascii(99),
    "it holds one key or one location; key and description have at most 73 characters"
  ],
  "26-01": [ascii(77), "the key stands in the form of the DICT"],
  "26-02": [ascii(73), "the description is ASCII and belongs to a key"],
  "26-03": [/^[\dA-Z]{8}$/, "the ISPB has 8 digits or capital letters and belongs to a key"],
  "26-25": [
    locationPattern,
    "the location is host and path without https://, at most 77 characters"
  ],
  "52": [/^\d{4}$/, "the merchant category has 4 digits"],
  "53": [/^986$/, "the currency is 986 (BRL)"],
  "54": [amountPattern, "the amount has 1 to 10 digits, a point and 2 digits"],
  "58": [/^BR$/, "the country is BR"],
  "59": [ascii(25), "the name has 1 to 25 ASCII characters"],
  "60": [ascii(15), "the city has 1 to 15 ASCII characters"],
  "61": [ascii(10), "the postal code has 1 to 10 ASCII characters"],
  "62-05": [
    txidPattern,
    "the txid has 1 to 25 letters and digits, or is ***, as always in a dynamic code"
  ],
  "63": [/^/, "the check value ends the code and must match; copy the code again"],
  "80": [ascii(99), "the recurrence has at most 99 characters"],
  "80-25": [locationPattern, "the recurrence location is host and path without https://"]
}

const required = ["00", "26", "52", "53", "58", "59", "60", "62-05"]

const refuse = (object: string, problem: InvalidBrCode["problem"] = "wrong") =>
  Result.fail(new InvalidBrCode({ object, problem }))

type Objects = ReadonlyMap<string, string>

/** One level of objects: a 2-digit id, a 2-digit length, and so many characters. */
const readObjects = (text: string): Result.Result<Objects, InvalidBrCode> => {
  const objects = new Map<string, string>()
  for (let at = 0; at < text.length;) {
    const header = text.slice(at, at + 4)
    const end = at + 4 + Number(header.slice(2))
    if (!/^\d{4}$/.test(header) || end === at + 4 || end > text.length) return refuse("")
    const id = header.slice(0, 2)
    if (objects.has(id)) return refuse(id, "repeated")
    objects.set(id, text.slice(at + 4, end))
    at = end
  }
  return Result.succeed(objects)
}

/** All fields by their path: the Pix account under 26 wherever it stood, a recurrence under 80. */
const readFields = (objects: Objects): Result.Result<Objects, InvalidBrCode> =>
  Result.gen(function* () {
    const fields = new Map<string, string>()
    for (const [id, value] of objects) {
      const isAccount = id >= "26" && id <= "51"
      if (!isAccount && id !== "62" && id < "80") {
        fields.set(id, value)
        continue
      }
      const inner = yield* readObjects(value)
      // Other arrangements may have accounts and templates of their own in the same code.
      if (id !== "62" && inner.get("00")?.toLowerCase() !== gui) continue
      const template = isAccount ? "26" : id === "62" ? "62" : "80"
      if (fields.has(template)) return yield* refuse(template, "repeated")
      fields.set(template, value)
      for (const [innerId, innerValue] of inner) fields.set(`${template}-${innerId}`, innerValue)
    }
    return fields
  })

const checkFields = (fields: Objects): Result.Result<void, InvalidBrCode> => {
  const missing = required.find((object) => !fields.has(object))
  if (missing !== undefined) return refuse(missing, "missing")
  for (const [object, value] of fields) {
    if (rules[object]?.[0].test(value) === false) return refuse(object)
  }
  const lacksLocation = fields.has("80") && !fields.has("80-25")
  return lacksLocation ? refuse("80-25", "missing") : Result.succeed(undefined)
}

/** `parse` and `build` share it, so that neither takes what the other refuses. */
const codeOf = (fields: Objects): Result.Result<BrCode, InvalidBrCode> =>
  Result.gen(function* () {
    yield* checkFields(fields)
    const merchant = merchantOf(fields)
    const key = fields.get("26-01")
    const url = fields.get("26-25")
    if (key !== undefined) {
      return url === undefined ? yield* staticOf(fields, key, merchant) : yield* refuse("26")
    }
    if (fields.has("26-02")) return yield* refuse("26-02")
    if (fields.has("26-03")) return yield* refuse("26-03")
    if (fields.get("62-05") !== noTxId) return yield* refuse("62-05")
    if (url !== undefined) {
      return {
        kind: "dynamic",
        location: url,
        ...merchant,
        ...present({ amount: amountOf(fields) })
      }
    }
    const { recurrenceLocation } = merchant
    if (recurrenceLocation === undefined) return yield* refuse("26")
    return fields.has("54")
      ? yield* refuse("54")
      : { kind: "recurrence", ...merchant, recurrenceLocation }
  })

const staticOf = (
  fields: Objects,
  text: string,
  merchant: Merchant
): Result.Result<StaticBrCode, InvalidBrCode> =>
  Result.match(fromDictForm(text), {
    onFailure: () => refuse("26-01"),
    onSuccess: (key) =>
      Result.succeed({
        kind: "static",
        key,
        txid: fields.get("62-05") as StaticTxId,
        ...present({
          description: fields.get("26-02"),
          withdrawalIspb: fields.get("26-03"),
          amount: amountOf(fields)
        }),
        ...merchant
      })
  })

const merchantOf = (fields: Objects): Merchant => {
  const category = fields.get("52")
  const initiation = fields.get("01")
  return {
    merchantName: fields.get("59") ?? "",
    merchantCity: fields.get("60") ?? "",
    ...present({
      merchantCategory: category === "0000" ? undefined : category,
      postalCode: fields.get("61"),
      use: initiation === undefined ? undefined : useOf(initiation),
      recurrenceLocation: fields.get("80-25")
    })
  }
}

const useOf = (initiation: string): "reusable" | "single" =>
  initiation === "12" ? "single" : "reusable"

const amountOf = (fields: Objects): Centavos | undefined => {
  const text = fields.get("54")
  return text === undefined ? undefined : Result.getOrUndefined(parseBacenAmount(text))
}

type Entry = readonly [id: string, value: string | undefined]

/** The fields of a code in the order of the text, templates after their own members. */
const fieldsOf = (code: BrCode): Objects => {
  const amount = code.kind === "recurrence" ? undefined : code.amount
  return new Map(
    written([
      ["00", "01"],
      ["01", code.use && (code.use === "single" ? "12" : "11")],
      ...template("26", accountOf(code)),
      ["52", code.merchantCategory ?? "0000"],
      ["53", "986"],
      ["54", amount === undefined ? undefined : toBrlString(amount)],
      ["58", "BR"],
      ["59", fold(code.merchantName)],
      ["60", fold(code.merchantCity)],
      ["61", code.postalCode],
      ...template("62", [["05", code.kind === "static" ? code.txid : noTxId]]),
      ...(code.recurrenceLocation === undefined
        ? []
        : template("80", [
            ["00", gui],
            ["25", code.recurrenceLocation]
          ]))
    ])
  )
}

const accountOf = (code: BrCode): ReadonlyArray<Entry> => {
  switch (code.kind) {
    case "static":
      return [
        ["00", gui],
        ["01", code.key.value],
        ["02", code.description === undefined ? undefined : fold(code.description)],
        ["03", code.withdrawalIspb]
      ]
    case "dynamic":
      return [
        ["00", gui],
        ["25", code.location]
      ]
    case "recurrence":
      return [["00", gui]]
  }
}

const template = (id: string, members: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const inside = written(members).map(([member, value]) => tlv(member, value))
  return [
    ...members.map(([inner, value]): Entry => [`${id}-${inner}`, value]),
    [id, inside.join("")]
  ]
}

const written = (entries: ReadonlyArray<Entry>): ReadonlyArray<readonly [string, string]> =>
  entries.flatMap(([id, value]) => (value === undefined ? [] : [[id, value] as const]))

const tlv = (id: string, value: string): string =>
  `${id}${value.length.toString().padStart(2, "0")}${value}`

// Letters that Unicode does not decompose, and that names in Brazil do carry.
const plainLetters: { readonly [letter: string]: string } = {
  ß: "ss",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
  Œ: "OE",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D"
}

/** Text without marks and typographic signs. What is plain already is not looked at: the tables of Unicode are megabytes. */
const fold = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text.trim() : folded(text).trim()

const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2013\u2014]/g, "-")
    .replace(/[^\x20-\x7e]/g, (letter) => plainLetters[letter] ?? letter)
