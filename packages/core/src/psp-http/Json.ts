/** A JSON value of a PSP, without its nulls: some send null where others have no field. Undefined where it is none. */
export const parseJson = (text: string): unknown => {
  try {
    return withoutNulls(JSON.parse(text))
  } catch {
    return undefined
  }
}

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls)
  if (typeof value !== "object" || value === null) return value ?? undefined
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null)
      .map(([name, field]) => [name, withoutNulls(field)])
  )
}
