import { int, uuid } from "./Parameters.ts"

/** A page in the order of ids: from just after one id, in one direction, so many at most. */
export interface Page {
  readonly after?: string
  /** The lowest and the highest id that count. */
  readonly first?: string
  readonly last?: string
  readonly order: "asc" | "desc"
  readonly limit: number
}

/**
 * One page of several: each part is narrowed, ordered and cut by itself, so that an index answers it, and then all
 * of them together. `tail` is the end of each part's statement.
 */
export const unionPage = (
  select: string,
  tail: Pick<ReturnType<typeof idPage>, "text">,
  parts: ReadonlyArray<string>,
  page: Page
): string => {
  const union = parts.map((part) => `(${select} ${tail.text(part)})`).join(" union all ")
  return `(${union}) as page order by id ${page.order} limit $1`
}

/** The end of a statement that reads a page: its conditions, order and limit, with their parameters. */
export const idPage = (id: string, page: Page) => {
  const parameters: Array<unknown> = []
  const conditions: Array<string> = []
  const parameter = (value: unknown): string => `$${parameters.push(value)}`
  const where = (column: string, value: unknown): void => {
    conditions.push(`${column} = ${parameter(value)}`)
  }
  const limit = parameter(int(page.limit))
  if (page.after !== undefined) {
    conditions.push(`${id} ${page.order === "asc" ? ">" : "<"} ${parameter(uuid(page.after))}`)
  }
  if (page.first !== undefined) conditions.push(`${id} >= ${parameter(uuid(page.first))}`)
  if (page.last !== undefined) conditions.push(`${id} <= ${parameter(uuid(page.last))}`)
  return {
    parameters,
    parameter,
    where,
    /** With `also`, a condition more. */
    text: (also?: string): string => {
      const all = also === undefined ? conditions : [...conditions, also]
      return `${all.length === 0 ? "" : `where ${all.join(" and ")}`} order by ${id} ${page.order} limit ${limit}`
    }
  }
}
