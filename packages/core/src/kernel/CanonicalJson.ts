import type { JsonObject, JsonValue } from "./StrictJson.ts"
import { JsonNumber } from "./StrictJson.ts"

/**
 * One text for all texts that mean the same: keys in order, no space between. A number stays as it was written,
 * so that no two amounts become one.
 */
export const canonical = (value: JsonValue): string => {
  if (value instanceof JsonNumber) return value.source
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const entries = Object.entries(value as JsonObject).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonical(entry)}`).join()}}`
}
