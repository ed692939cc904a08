import type { Json } from "./Wire.ts"

/** Says everything that is wrong with a value at a path; nothing where it is right. */
export type Shape = (value: Json | undefined, path: string) => ReadonlyArray<string>

const named = (path: string) => (path === "" ? "the body" : path)

const shown = (value: Json | undefined) =>
  value === undefined ? "nothing" : JSON.stringify(value).slice(0, 120)

const wrong = (path: string, expected: string, value: Json | undefined) => [
  `${named(path)}: expected ${expected}, got ${shown(value)}`
]

/** A value for which the claim holds. */
const such =
  (expected: string, holds: (value: Json) => boolean): Shape =>
  (value, path) =>
    value !== undefined && holds(value) ? [] : wrong(path, expected, value)

const matching = (expected: string, pattern: RegExp) =>
  such(expected, (value) => typeof value === "string" && pattern.test(value))

export const anyText = such("a string", (value) => typeof value === "string")
export const someText = matching("a string that is not empty", /\S/)
export const uuid = matching(
  "a uuid",
  /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
)
/** RFC 3339 in UTC. */
export const instant = such(
  "an RFC 3339 date-time in UTC",
  (value) =>
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) &&
    !Number.isNaN(Date.parse(value))
)
export const base64 = matching(
  "base64",
  /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
)
export const anObject = such(
  "an object",
  (value) => typeof value === "object" && value !== null && !Array.isArray(value)
)
export const whole = such("a whole number", (value) => Number.isSafeInteger(value))

const isCents = (value: number) =>
  Math.abs(value) < 1e11 && Number((Math.round(value * 100) / 100).toFixed(2)) === value

/** An amount in BRL, of at most two decimals. */
export const signedBrl = such(
  "a number in BRL of at most two decimals",
  (value) => typeof value === "number" && isCents(value)
)
export const brl = such(
  "a number in BRL, not below zero, of at most two decimals",
  (value) => typeof value === "number" && value >= 0 && isCents(value)
)

export const exactly = (...values: ReadonlyArray<Json>): Shape =>
  such(values.map((value) => JSON.stringify(value)).join(" or "), (value) => values.includes(value))

export const orNull =
  (shape: Shape): Shape =>
  (value, path) =>
    value === null ? [] : shape(value, path)

export const listOf =
  (shape: Shape): Shape =>
  (value, path) =>
    Array.isArray(value)
      ? (value as ReadonlyArray<Json>).flatMap((item, index) =>
          shape(item, path === "" ? String(index) : `${path}.${index}`)
        )
      : wrong(path, "an array", value)

/** All of them hold. */
export const allOf =
  (...shapes: ReadonlyArray<Shape>): Shape =>
  (value, path) =>
    shapes.flatMap((shape) => shape(value, path))

export interface Fields {
  readonly required: Readonly<Record<string, Shape>>
  readonly optional?: Readonly<Record<string, Shape>>
  /** Whether fields that are not named may be there too: the specification's table is not complete. */
  readonly open?: boolean
}

/** An object of these fields. An optional field without a value is absent, never null. */
export const record = ({ required, optional = {}, open = false }: Fields): Shape => {
  const known = new Set([...Object.keys(required), ...Object.keys(optional)])
  return (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return wrong(path, "an object", value)
    }
    const object = value as { readonly [key: string]: Json }
    const below = (key: string) => (path === "" ? key : `${path}.${key}`)
    const unknown = open ? [] : Object.keys(object).filter((key) => !known.has(key))
    return [
      ...Object.entries(required).flatMap(([key, shape]) => shape(object[key], below(key))),
      ...Object.entries(optional).flatMap(([key, shape]) =>
        key in object ? shape(object[key], below(key)) : []
      ),
      ...unknown.map((key) => `${below(key)}: the specification names no such field`)
    ]
  }
}
