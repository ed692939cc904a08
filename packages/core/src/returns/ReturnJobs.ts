import type { JobWrite, Row } from "../units/Unit.ts"
import type { Return } from "./Return.ts"
import { restsUntil, ReturnKind } from "./Return.ts"

/** What a unit carries that begins a return: its row, and the job that brings it to its end. */
export const begunReturn = (
  money: Return
): { readonly inserts: ReadonlyArray<Row>; readonly jobs: ReadonlyArray<JobWrite> } => ({
  inserts: [ReturnKind.row(money)],
  jobs: [
    {
      _tag: "Schedule",
      queue: "return",
      id: money.id,
      group: money.account,
      due: restsUntil(money) ?? money.createdAt
    }
  ]
})
