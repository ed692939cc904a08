import { Result, Schema } from "effect"

/** A number of a JSON text, as it was written: money is read from `source`, never from the double (decision 0008). */
export class JsonNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
  /** The nearest double, which may differ from what was written. */
  toNumber(): number {
    return Number(this.source)
  }
  /** Lets JSON.stringify write the number; to repeat a value exactly, write its `sourceOf`. */
  toJSON(): number {
    return this.toNumber()
  }
}

export type JsonArray = ReadonlyArray<JsonValue>
export interface JsonObject {
  readonly [key: string]: JsonValue
}
/** What `parse` gives: plain values, except that every number is a `JsonNumber`. */
export type JsonValue = null | boolean | string | JsonNumber | JsonArray | JsonObject

/** Bounds of one text. The parser recurses once per level, so keep `depthMax` below 1000. */
export interface JsonLimits {
  /** Nested objects and arrays; a lone scalar has depth 0. */
  readonly depthMax: number
  /** All values, objects and arrays included; keys do not count. */
  readonly nodesMax: number
}

/** JSON.stringify overflows the stack near depth 3000, so an accepted value must stay far below it. */
export const jsonLimits: JsonLimits = { depthMax: 32, nodesMax: 2000 }

const sentences = {
  bom: "the text starts with a byte order mark; send UTF-8 without one",
  colon: 'a colon is missing after a key of an object; write it as "key": value',
  control:
    "a string holds a raw line break, tab or other control character; write it as \\n, \\t or \\u00XX",
  depth:
    "objects and arrays are nested too deep; flatten the value, or send the inner part as a string",
  duplicate: "the same key appears twice in one object; send each key once",
  empty: "the text is empty; send one JSON value",
  escape:
    'a backslash in a string starts no known escape; use \\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX',
  key: "a key in double quotes must stand here; quote the key, or remove the comma before a closing brace",
  nodes: "the text holds too many values; send fewer of them at once",
  nul: "a string holds the NUL character, which cannot be stored; remove it",
  number:
    "this is not a JSON number; write digits without a plus sign or leading zeros, such as 37 or 10.5",
  separator: "a comma or a closing bracket is missing; add it",
  string: "a string is not closed; add the double quote at its end",
  surrogate: "a string holds half of a surrogate pair; send the whole character, or remove it",
  trailing: "text follows the JSON value; send one value and nothing after it",
  value: "a value must stand here: an object, array, string, number, true, false or null"
} as const

type Refusal = keyof typeof sentences

/** The text is not JSON, or not JSON that we take. `position` counts UTF-16 units from 0. */
export class JsonRefused extends Schema.TaggedError<JsonRefused>()("JsonRefused", {
  reason: Schema.Literals(Object.keys(sentences) as ReadonlyArray<Refusal>),
  position: Schema.Int
}) {
  override get message(): string {
    return `The JSON is refused at position ${this.position}: ${sentences[this.reason]}.`
  }
}

/** The bytes are not UTF-8. */
export class InvalidUtf8 extends Schema.TaggedError<InvalidUtf8>()("InvalidUtf8", {}) {
  override get message(): string {
    return "The bytes are not valid UTF-8. Encode the text as UTF-8."
  }
}

/** A number that a double cannot hold. `path` leads to it from the value given to `toPlain`. */
export class InexactNumber extends Schema.TaggedError<InexactNumber>()("InexactNumber", {
  path: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const place = this.path.length === 0 ? "The number" : `The number at ${this.path.join(".")}`
    return `${place} has more digits than a JSON number keeps for every reader. Send it as a string.`
  }
}

/**
 * Reads one JSON text by RFC 8259 and refuses whatever two readers could understand differently or that storage
 * cannot keep: duplicate keys, halves of surrogate pairs, NUL, a byte order mark, and values beyond the limits.
 * `__proto__` and `constructor` become plain own keys.
 */
export const parse = (
  text: string,
  limits: JsonLimits = jsonLimits
): Result.Result<JsonValue, JsonRefused> => {
  const reader = new Reader(text, limits)
  const value = reader.document()
  return value === undefined
    ? Result.fail(new JsonRefused({ reason: reader.reason, position: reader.at }))
    : Result.succeed(value)
}

/** The exact text of an object or array that `parse` made; undefined for any other, copies included. */
export const sourceOf = (value: JsonObject | JsonArray): string | undefined => sources.get(value)

/**
 * The same value with plain numbers. Refuses numbers that would come out changed: more than 17 significant digits,
 * integers beyond 2^53 - 1, overflow, underflow, and 16 or 17 digits that fall between two doubles.
 */
export const toPlain = (value: JsonValue): Result.Result<Schema.Json, InexactNumber> => {
  const path: Array<string> = []
  const result = plain(value, path)
  return result === undefined ? Result.fail(new InexactNumber({ path })) : Result.succeed(result)
}

/** Decodes bytes and refuses malformed UTF-8. A byte order mark stays in the text, for `parse` to refuse. */
export const decodeUtf8 = (bytes: Uint8Array): Result.Result<string, InvalidUtf8> =>
  Result.try({
    try: () => utf8.decode(bytes),
    catch: () => new InvalidUtf8({})
  })

const sources = new WeakMap<object, string>()

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const numberStart = /[\d.+-]/
const numberGoesOn = /[\w.+-]/
const hex4 = /^[0-9a-fA-F]{4}$/
const escapeLetters = '"\\/bfnrt'
const escapeMeanings = '"\\/\b\f\n\r\t'

/** Every method gives undefined after a refusal; `reason` and `at` then tell why and where. */
class Reader {
  at = 0
  reason: Refusal = "empty"
  private nodes = 0
  private readonly text: string
  private readonly limits: JsonLimits

  constructor(text: string, limits: JsonLimits) {
    this.text = text
    this.limits = limits
  }

  document(): JsonValue | undefined {
    if (this.text.startsWith("\uFEFF")) return this.refuse("bom", 0)
    this.skipSpace()
    if (this.at === this.text.length) return this.refuse("empty")
    const value = this.value(0)
    if (value === undefined) return undefined
    this.skipSpace()
    return this.at === this.text.length ? value : this.refuse("trailing")
  }

  private refuse(reason: Refusal, position = this.at): undefined {
    this.reason = reason
    this.at = position
    return undefined
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }

  private value(depth: number): JsonValue | undefined {
    this.skipSpace()
    if (++this.nodes > this.limits.nodesMax) return this.refuse("nodes")
    switch (this.text[this.at]) {
      case '"':
        return this.string()
      case "{":
        return depth < this.limits.depthMax ? this.object(depth + 1) : this.refuse("depth")
      case "[":
        return depth < this.limits.depthMax ? this.array(depth + 1) : this.refuse("depth")
      case "t":
        return this.word("true", true)
      case "f":
        return this.word("false", false)
      case "n":
        return this.word("null", null)
      default:
        return this.number()
    }
  }

  private word<A>(word: string, value: A): A | undefined {
    if (!this.text.startsWith(word, this.at)) return this.refuse("value")
    this.at += word.length
    return value
  }

  private number(): JsonNumber | undefined {
    numberToken.lastIndex = this.at
    const token = numberToken.exec(this.text)?.[0]
    if (token === undefined) {
      return this.refuse(numberStart.test(this.text.charAt(this.at)) ? "number" : "value")
    }
    if (numberGoesOn.test(this.text.charAt(this.at + token.length))) return this.refuse("number")
    this.at += token.length
    return new JsonNumber(token)
  }

  private object(depth: number): JsonObject | undefined {
    const start = this.at++
    const object: Record<string, JsonValue> = {}
    this.skipSpace()
    let more: boolean | undefined = this.text[this.at] !== "}"
    if (!more) this.at++
    while (more) {
      const key = this.key(object)
      if (key === undefined) return undefined
      const value = this.value(depth)
      if (value === undefined) return undefined
      define(object, key, value)
      more = this.more("}")
    }
    return more === undefined ? undefined : this.remember(object, start)
  }

  private array(depth: number): JsonArray | undefined {
    const start = this.at++
    const array: Array<JsonValue> = []
    this.skipSpace()
    let more: boolean | undefined = this.text[this.at] !== "]"
    if (!more) this.at++
    while (more) {
      const value = this.value(depth)
      if (value === undefined) return undefined
      array.push(value)
      more = this.more("]")
    }
    return more === undefined ? undefined : this.remember(array, start)
  }

  private remember<A extends JsonObject | JsonArray>(value: A, start: number): A {
    sources.set(value, this.text.slice(start, this.at))
    return value
  }

  private key(object: JsonObject): string | undefined {
    this.skipSpace()
    const start = this.at
    if (this.text[start] !== '"') return this.refuse("key")
    const key = this.string()
    if (key === undefined) return undefined
    if (Object.hasOwn(object, key)) return this.refuse("duplicate", start)
    this.skipSpace()
    if (this.text[this.at] !== ":") return this.refuse("colon")
    this.at++
    return key
  }

  /** Whether another member follows: true after a comma, false after the closing bracket. */
  private more(close: "}" | "]"): boolean | undefined {
    this.skipSpace()
    const char = this.text[this.at]
    if (char !== "," && char !== close) return this.refuse("separator")
    this.at++
    return char === ","
  }

  private string(): string | undefined {
    const start = this.at
    let end = start + 1
    let escaped = false
    for (; this.text.charCodeAt(end) !== 0x22; end++) {
      const code = this.text.charCodeAt(end)
      if (Number.isNaN(code)) return this.refuse("string", start)
      if (code < 0x20) return this.refuse(code === 0 ? "nul" : "control", end)
      if (code === 0x5c) {
        escaped = true
        end++
      }
    }
    const value = escaped ? this.unescape(start + 1, end) : this.text.slice(start + 1, end)
    if (value === undefined) return undefined
    if (!value.isWellFormed()) return this.refuse("surrogate", start)
    this.at = end + 1
    return value
  }

  private unescape(start: number, end: number): string | undefined {
    let value = ""
    let from = start
    for (let slash = this.text.indexOf("\\", from); slash !== -1 && slash < end;) {
      const escape = this.escape(slash)
      if (escape === undefined) return undefined
      value += this.text.slice(from, slash) + escape
      from = slash + (this.text[slash + 1] === "u" ? 6 : 2)
      slash = this.text.indexOf("\\", from)
    }
    return value + this.text.slice(from, end)
  }

  private escape(slash: number): string | undefined {
    const letter = this.text.charAt(slash + 1)
    if (escapeLetters.includes(letter)) return escapeMeanings[escapeLetters.indexOf(letter)]
    const digits = this.text.slice(slash + 2, slash + 6)
    if (letter !== "u" || !hex4.test(digits)) return this.refuse("escape", slash)
    return digits === "0000"
      ? this.refuse("nul", slash)
      : String.fromCharCode(Number.parseInt(digits, 16))
  }
}

const ownField = { enumerable: true, configurable: true, writable: true }

/** Sets an own key whatever the prototype holds: assigning `__proto__` would replace the prototype instead. */
const define = <A>(target: Record<string, A>, key: string, value: A): void => {
  if (!(key in target)) target[key] = value
  else Object.defineProperty(target, key, { ...ownField, value })
}

const plain = (value: JsonValue, path: Array<string>): Schema.Json | undefined => {
  if (value instanceof JsonNumber) return isExact(value.source) ? value.toNumber() : undefined
  if (typeof value !== "object" || value === null) return value
  const copy: Record<string, Schema.Json> = {}
  const items: Array<Schema.Json> = []
  for (const [key, member] of Object.entries(value)) {
    path.push(key)
    const result = plain(member, path)
    if (result === undefined) return undefined
    if (Array.isArray(value)) items.push(result)
    else define(copy, key, result)
    path.pop()
  }
  return Array.isArray(value) ? items : copy
}

/**
 * A double tells apart every decimal of 15 digits; with 16 or 17 it must repeat the digits that were written, rounded
 * or as the shortest text that reads back: the two differ when the double lies halfway between them.
 */
const isExact = (source: string): boolean => {
  const digits = significantDigits(source)
  if (digits === "") return true
  const value = Number(source)
  if (digits.length > 17 || !Number.isFinite(value)) return false
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false
  return (
    significantDigits(value.toExponential(digits.length - 1)) === digits ||
    significantDigits(String(value)) === digits
  )
}

/** From the first to the last digit that is not 0; a regular expression here would take quadratic time. */
const significantDigits = (source: string): string => {
  let digits = ""
  let end = 0
  for (const char of source) {
    if (char === "e" || char === "E") break
    if (char < "0" || (char === "0" && digits === "")) continue
    digits += char
    if (char !== "0") end = digits.length
  }
  return digits.slice(0, end)
}
