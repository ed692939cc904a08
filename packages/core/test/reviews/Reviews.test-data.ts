import { assert } from "@effect/vitest"
import type { Answer, Journey } from "@pagora/testkit"
import { TestPagora } from "@pagora/testkit"
import { Effect } from "effect"

export type Fields = Readonly<Record<string, unknown>>

/** A call of the operator's. */
export const operate = <const Method extends string, const Path extends string>(
  method: Method,
  path: Path,
  body?: Fields
) =>
  Effect.flatMap(TestPagora, ({ operator }) =>
    operator(method, path, body === undefined ? {} : { body })
  )

/** The rows of a page, which must be there. */
export const rowsOf = <const Path extends string>(path: Path) =>
  Effect.map(operate("GET", path), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    const { data } = answer.json as { readonly data?: unknown }
    return data as RowsOf<typeof answer>
  })

type RowsOf<One> =
  One extends Answer<infer Body>
    ? Body extends { readonly data: infer Rows }
      ? Rows
      : ReadonlyArray<Fields>
    : never

/** What of a shop waits for a person: each with its kind and why. */
export const waiting = ({ shop }: Pick<Journey, "shop">) =>
  Effect.map(rowsOf(`/reviews?account=${shop.id}`), (rows) =>
    rows.map(({ reason, type }) => `${type} ${reason}`)
  )

/** Every open contradiction of a shop, by its reason. */
export const contradictions = ({ shop }: Pick<Journey, "shop">) =>
  Effect.map(rowsOf(`/discrepancies?account=${shop.id}&status=open`), (rows) =>
    rows.map(({ reason }) => reason)
  )

export const decide = (kind: "returns" | "refunds", id: string, outcome: string) =>
  operate("POST", `/${kind}/${id}/resolve`, { outcome, reason: "Looked at the bank.", by: "Ana" })

export const retry = (id: string) =>
  operate("POST", `/returns/${id}/retry`, { reason: "The payer has a new account." })

export const statusOf = (answers: ReadonlyArray<Answer<unknown>>) =>
  answers.map(({ status }) => status).toSorted()
