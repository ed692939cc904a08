import { Effect, Schema } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { PageRead } from "../ports/StorageDriver.ts"
import { wholeInQuery } from "./QueryCodecs.ts"

/** The largest page of the operator's lists, and the size of one where the caller does not say. */
const pageMax = 100
export const pageDefault = 50

/** The place where a page ended: the id of its last row, which is a place in time (decision 0026). */
export const cursor = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u, {
    message: "Send the nextCursor of the page before."
  })
)

/** What the query of every page takes. */
export const pageQuery = {
  cursor: Schema.optionalKey(cursor),
  limit: Schema.optionalKey(wholeInQuery(1, pageMax))
}

/** A page on the wire; `nextCursor` is null at the end of the list. */
export const pageOf = <Row extends Schema.Top>(row: Row) =>
  Schema.Struct({ data: Schema.Array(row), nextCursor: Schema.NullOr(Schema.String) })

interface PageQuery {
  readonly cursor?: string
  readonly limit?: number
}

/**
 * Answers a page of rows that come in the order of their ids. One more than asked for is read: it tells whether there is
 * a next page.
 */
export const paged = <A extends { readonly id: Uuid }, B, E, R>(
  { cursor, limit = pageDefault }: PageQuery,
  read: (page: PageRead) => Effect.Effect<ReadonlyArray<A>, E, R>,
  shown: (row: A) => B
): Effect.Effect<{ readonly data: ReadonlyArray<B>; readonly nextCursor: string | null }, E, R> =>
  Effect.map(
    read({ ...present({ after: cursor as Uuid | undefined }), limit: limit + 1 }),
    (rows) => {
      const page = rows.slice(0, limit)
      return {
        data: page.map(shown),
        nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null
      }
    }
  )
