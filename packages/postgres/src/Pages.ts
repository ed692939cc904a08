import { int, uuid } from "./Parameters.ts"

/** A page in the order of ids: from just after one id, in one direction, so many at most. */
export interface Page {
  readonly after?: string
  readonly order: "asc" | "desc"
  readonly limit: number
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
