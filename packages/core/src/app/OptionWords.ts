export const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value as a sentence can name it. Never the text itself: it may be a secret in the wrong place. */
export const spelled = (value: unknown): string => {
  if (value === null) return "null"
  if (value === undefined) return "missing"
  if (typeof value === "string") return value === "" ? "an empty text" : "a text"
  return Array.isArray(value)
    ? "a list"
    : `${/^[aeiou]/.test(typeof value) ? "an" : "a"} ${typeof value}`
}
