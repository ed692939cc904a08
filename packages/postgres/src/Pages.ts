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

/** What stands before the id in the index that a page is read from, and the one value of it that the page is of. */
export interface Lead {
  readonly column: string
  readonly value: string
}

const lowest = "'00000000-0000-0000-0000-000000000000'::uuid"
const highest = "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid"

/**
 * One page of several: each part is a page by itself, narrowed, ordered and cut, so that an index answers it, and then all
 * of them together.
 */
export const unionOf = (parts: ReadonlyArray<string>, page: Page): string => {
  const union = parts.map((part) => `(${part})`).join(" union all ")
  return `(${union}) as page order by id ${page.order} limit $1`
}

interface Bound {
  readonly operator: string
  readonly value: string | undefined
}

/** The one bound on each side that counts: of two that hold, an index may be read from the wrong one on. */
const boundsOf = ({ after, first, last, order }: Page): Record<"lower" | "upper", Bound> => {
  const [above, below] = order === "asc" ? [after, undefined] : [undefined, after]
  return {
    lower:
      above !== undefined && (first === undefined || above >= first)
        ? { operator: ">", value: above }
        : { operator: ">=", value: first },
    upper:
      below !== undefined && (last === undefined || below <= last)
        ? { operator: "<", value: below }
        : { operator: "<=", value: last }
  }
}

/** The end of a statement that reads a page: its conditions, order and limit, with their parameters. */
export const idPage = (id: string, page: Page) => {
  const parameters: Array<unknown> = []
  const parameter = (value: unknown): string => `$${parameters.push(value)}`
  const limit = parameter(int(page.limit))
  const { lower, upper } = boundsOf(page)
  const side = ({ operator, value }: Bound, otherwise: string) => ({
    operator,
    isGiven: value !== undefined,
    value: value === undefined ? otherwise : parameter(uuid(value))
  })
  const sides = [side(lower, lowest), side(upper, highest)]
  const ended = (conditions: ReadonlyArray<string>, order: ReadonlyArray<string>): string => {
    const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")} `
    return `${where}order by ${order.map((column) => `${column} ${page.order}`).join(", ")} limit ${limit}`
  }
  return {
    parameters,
    parameter,
    /**
     * Of one index. Its columns before the lead are among the conditions. The lead is bounded together with the id, and
     * not by an equality: in an order by both the planner can read that index alone. Else it could take one of all ids
     * and pass over what is not asked for, however much that is.
     */
    along: (lead: Lead, ...conditions: ReadonlyArray<string>): string => {
      const within = sides.map(
        ({ operator, value }) => `(${lead.column}, ${id}) ${operator} (${lead.value}, ${value})`
      )
      return ended([...conditions, ...within], [lead.column, id])
    },
    /** Of all ids. */
    ofAll: (...conditions: ReadonlyArray<string>): string => {
      const given = sides.filter(({ isGiven }) => isGiven)
      const within = given.map(({ operator, value }) => `${id} ${operator} ${value}`)
      return ended([...conditions, ...within], [id])
    }
  }
}

export type IdPage = ReturnType<typeof idPage>
