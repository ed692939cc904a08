/** A text with places in which each copy has something of its own, as `format` of PostgreSQL takes it. */
export interface Pattern {
  readonly format: string
  /** What stands in each place: an id, one without hyphens, an end-to-end id, or a name with the copy's number. */
  readonly kinds: ReadonlyArray<"id" | "txid" | "e2e" | "name">
  readonly numbers: ReadonlyArray<number>
  /** What the original has there. */
  readonly originals: ReadonlyArray<string>
}

const token =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|[ED]\d{20}[0-9A-Za-z]{11}|(?:pedido|chave)-\d{6}/g

/** Finds the places: ids that are copied, in both of their spellings, and names that no two copies may share. */
export const makePatterns = (ids: ReadonlyMap<string, number>) => {
  const ends = new Map<string, number>()
  const numberOf = (text: string): readonly [Pattern["kinds"][number], number] | undefined => {
    if (/^(pedido|chave)/.test(text)) return ["name", 0]
    if (/^[ED]\d{20}/.test(text)) {
      if (!ends.has(text)) ends.set(text, ends.size)
      return ["e2e", ends.get(text) ?? 0]
    }
    const isTxId = !text.includes("-")
    const id = isTxId ? text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") : text
    const number = ids.get(id)
    return number === undefined ? undefined : [isTxId ? "txid" : "id", number]
  }
  return (text: string): Pattern => {
    const found: Array<readonly [Pattern["kinds"][number], number, string]> = []
    const format = text.replaceAll("%", "%%").replace(token, (part) => {
      const place = numberOf(part)
      if (place === undefined) return part
      found.push([...place, part])
      return "%s"
    })
    return {
      format,
      kinds: found.map(([kind]) => kind),
      numbers: found.map(([, number]) => number),
      originals: found.map(([, , original]) => original)
    }
  }
}
