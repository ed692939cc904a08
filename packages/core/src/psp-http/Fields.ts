import type { DateTime } from "effect"
import { Result, Schema } from "effect"
import type { Centavos } from "../kernel/Money.ts"
import * as Money from "../kernel/Money.ts"

/** An answer that does not fit: where in it that is, such as `transactions.3.time`, and not what stands there. */
export class Misfit extends Schema.TaggedError<Misfit>()("Misfit", { place: Schema.String }) {}

/**
 * The fields of an answer, by where they stand in it (`charge.value`, `charges.0.value`). What is not there, or has another form, is a
 * `Misfit`, which is thrown: the call that it answers counts as unknown then. Where a name ends in `If`, it may be left out.
 */
export interface Fields {
  readonly text: (path: string) => string
  /** Of several places the first that has one. */
  readonly textIf: (...paths: ReadonlyArray<string>) => string | undefined
  /** Of several places the first that has words, whatever form the others have: some PSPs say in a text what they say in a list as well. */
  readonly words: (...paths: ReadonlyArray<string>) => string
  /** RFC 3339. What names no offset does not fit: nobody knows which hour it means. */
  readonly time: (path: string) => DateTime.Utc
  readonly timeIf: (path: string) => DateTime.Utc | undefined
  readonly int: (path: string) => number
  readonly isTrue: (path: string) => boolean
  /** An amount in whole centavos. */
  readonly centavos: (path: string) => Centavos
  readonly centavosIf: (path: string) => Centavos | undefined
  /** An amount as the Pix API writes it: `12.34`. */
  readonly reais: (path: string) => Centavos
  /** What a word means, by the words of each meaning; one that is not among them means `otherwise`, or does not fit. */
  readonly word: <A extends string, B extends string = never>(
    path: string,
    meanings: Readonly<Record<A, string | ReadonlyArray<string>>>,
    otherwise?: B
  ) => A | B
  readonly list: (path: string) => ReadonlyArray<Fields>
  /** Empty where there is none. */
  readonly listIf: (path: string) => ReadonlyArray<Fields>
  readonly at: (path: string) => Fields
  readonly has: (path: string) => boolean
  /** These fields, where they name what was asked about. Those of something else do not fit. */
  readonly about: (names: Readonly<Record<string, string>>) => Fields
}

export const fieldsOf = (json: unknown, place: ReadonlyArray<string> = []): Fields => {
  const misfit = (path: string) => new Misfit({ place: [...place, path].join(".") })

  const at = (path: string): unknown => {
    let value = json
    if (value === undefined) throw misfit(path)
    for (const name of path.split(".")) {
      if (value === undefined) return undefined
      if (!isObject(value) && !(Array.isArray(value) && /^\d+$/.test(name))) throw misfit(path)
      value = (value as Readonly<Record<string, unknown>>)[name]
    }
    return value
  }

  const reading = <A>(read: (value: unknown) => Result.Result<A, unknown>) => {
    const needed = (path: string): A => Result.getOrThrowWith(read(at(path)), () => misfit(path))
    return [needed, (path: string) => (at(path) === undefined ? undefined : needed(path))] as const
  }

  const [text, textAt] = reading(Schema.decodeUnknownResult(Schema.String))
  const textIf: Fields["textIf"] = (...paths) => {
    for (const path of paths) {
      const found = textAt(path)
      if (found !== undefined) return found
    }
    return undefined
  }
  const [time, timeIf] = reading((value) =>
    Result.flatMap(decodeTimeText(value), Schema.decodeResult(Schema.DateTimeUtcFromString))
  )
  const [int] = reading(Schema.decodeUnknownResult(Schema.Int))
  const [centavos, centavosIf] = reading((value) =>
    Result.map(decodeCents(value), (cents) => Money.Centavos.make(BigInt(cents)))
  )
  const [, flagIf] = reading(Schema.decodeUnknownResult(Schema.Boolean))
  const [items, itemsIf] = reading(Schema.decodeUnknownResult(Schema.Array(Schema.Unknown)))
  const itemsAt = (path: string, found: ReadonlyArray<unknown> = []) =>
    found.map((item, nth) => fieldsOf(item, [...place, path, String(nth)]))

  const fields: Fields = {
    text,
    textIf,
    words: (...paths) => {
      for (const path of paths) {
        const found = Result.getOrUndefined(Result.try(() => at(path)))
        if (typeof found === "string" && found !== "") return found
      }
      throw misfit(paths.join(" or "))
    },
    time,
    timeIf,
    int,
    isTrue: (path) => flagIf(path) === true,
    centavos,
    centavosIf,
    reais: (path) => Result.getOrThrowWith(Money.parseBacenAmount(text(path)), () => misfit(path)),
    word: (path, meanings, otherwise) => {
      const meaning = meaningOf(text(path), meanings) ?? otherwise
      if (meaning === undefined) throw misfit(path)
      return meaning
    },
    list: (path) => itemsAt(path, items(path)),
    listIf: (path) => itemsAt(path, itemsIf(path)),
    at: (path) => fieldsOf(at(path), [...place, path]),
    has: (path) => at(path) !== undefined,
    about: (names) => {
      for (const [path, name] of Object.entries(names)) if (text(path) !== name) throw misfit(path)
      return fields
    }
  }
  return fields
}

const meaningOf = <A extends string>(
  word: string,
  meanings: Readonly<Record<A, string | ReadonlyArray<string>>>
): A | undefined => {
  for (const meaning in meanings) {
    const words: string | ReadonlyArray<string> = meanings[meaning]
    if (typeof words === "string" ? words === word : words.includes(word)) return meaning
  }
  return undefined
}

const decodeTimeText = Schema.decodeUnknownResult(
  Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d[T ].*(Z|[+-]\d\d:?\d\d)$/i))
)
const decodeCents = Schema.decodeUnknownResult(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
