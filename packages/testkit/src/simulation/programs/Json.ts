/** An object of an answer. */
export type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** What is at the end of a path; undefined where the path ends before. */
export const at = (json: unknown, ...path: ReadonlyArray<string>): unknown => {
  let found = json
  for (const name of path) {
    if (!isObject(found)) return undefined
    found = found[name]
  }
  return found
}

/** A text of an answer; empty where there is none. */
export const textAt = (json: unknown, ...path: ReadonlyArray<string>): string => {
  const found = at(json, ...path)
  return typeof found === "string" ? found : ""
}

/** An amount of an answer in centavos; `undefined` where there is none. */
export const centavosAt = (json: unknown, ...path: ReadonlyArray<string>): number | undefined => {
  const found = at(json, ...path)
  return typeof found === "number" ? Math.round(found * 100) : undefined
}

/** Whole numbers, such as the centavos of a balance; 0 where there is none. */
export const wholeAt = (json: unknown, ...path: ReadonlyArray<string>): number => {
  const found = at(json, ...path)
  return typeof found === "number" ? found : 0
}

/** The rows of a list, under whichever name it has them. */
export const rowsOf = (json: unknown): ReadonlyArray<Fields> => {
  const found = at(json, "data") ?? at(json, "items")
  return Array.isArray(found) ? (found as ReadonlyArray<Fields>) : []
}

/** The stable code of a refusal. */
export const codeOf = (json: unknown): string => textAt(json, "details", "code")

/** Centavos as the wire has them. */
export const brl = (centavos: number): number => centavos / 100
