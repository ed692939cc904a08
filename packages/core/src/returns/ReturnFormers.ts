import { Effect } from "effect"
import type { PspShape } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Return } from "./Return.ts"
import { contradiction } from "./Return.ts"
import type { ReturnBooks, ReturnContradiction } from "./ReturnBooks.ts"

/**
 * What the PSP says of the returns in whose place this one is: the one before it, the one that was in the place of, and
 * so on.
 */
type Formers =
  | { readonly _tag: "Undone" }
  | { readonly _tag: "Unanswered"; readonly outcome: string }
  | ({ readonly _tag: "Contradicted" } & ReturnContradiction)

export const lookAtFormers = Effect.fnUntraced(function* (
  books: ReturnBooks["Service"],
  time: ServiceTime["Service"],
  { replaces }: Return,
  psp: PspShape
): Effect.fn.Return<Formers, Refused | StorageError> {
  let id = replaces
  while (id !== undefined) {
    const former = yield* books.load(id)
    if (former === undefined) break
    const money = former.value
    const outcome = yield* callPsp("findRefund", psp.findRefund(money.reference))
    if (outcome._tag !== "Done") return { _tag: "Unanswered", outcome: outcome._tag }
    const known = outcome.value
    const reason = contradiction(money, known, yield* time.now)
    if (reason === "reference_mismatch") {
      yield* books.contradict({ money, reason, known }, [])
      return { _tag: "Unanswered", outcome: "Another" }
    }
    if (reason !== undefined) return { _tag: "Contradicted", money, reason, known }
    // It may be older than the refusal, and it may be news.
    if (known?.status === "processing") return { _tag: "Unanswered", outcome: "Processing" }
    id = money.replaces
  }
  return { _tag: "Undone" }
})
