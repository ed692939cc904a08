import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { present } from "../kernel/Present.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { Discrepancies } from "../discrepancies/Discrepancies.ts"
import type { Discrepancy } from "../discrepancies/Discrepancy.ts"
import { DiscrepancyKind } from "../discrepancies/Discrepancy.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { accountOfPath, notFound } from "../admission/AccountOfPath.ts"
import { paged } from "../http/KeysetPage.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { isUuid } from "../kernel/Ids.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { DiscrepancyResponse, WordsPayload } from "./OperatorReviewApi.ts"

interface DiscrepancyQuery {
  readonly account?: string
  readonly status?: Discrepancy["status"]
  readonly cursor?: string
  readonly limit?: number
}

export const OperatorDiscrepanciesHandlers = handlersOf(
  OperatorApi,
  "discrepancies",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const discrepancies = yield* Discrepancies
    const keys = yield* IdempotencyKeys

    const list = Effect.fnUntraced(function* ({ account: id, status, ...query }: DiscrepancyQuery) {
      const filter = {
        ...(id === undefined ? {} : { account: (yield* accountOfPath(accounts, id)).value.id }),
        ...present({ status })
      }
      return yield* paged(query, (page) => orUnavailable(discrepancies.page(filter, page)), shown)
    })

    const resolve = Effect.fnUntraced(function* (name: string) {
      const id = name.toLowerCase()
      if (!isUuid(id)) return yield* notFound("discrepancy", name)
      const answer = yield* idempotentForOperator(keys, {
        run: (key) =>
          Effect.flatMap(exactPayload(WordsPayload), (words) =>
            discrepancies.resolve(id, words, key).pipe(
              Effect.catchTags({
                DiscrepancyNotFound: () => notFound("discrepancy", name),
                DiscrepancyResolved: () => refuse(Conflict, alreadyResolved)
              }),
              orUnavailable
            )
          ),
        read: DiscrepancyKind.fromSnapshot
      })
      return yield* replayable(DiscrepancyResponse, answer, shown(answer.value), 200)
    })

    return handlers
      .handle("list", ({ query }) => list(query))
      .handleRaw("resolve", ({ params }) => resolve(params.id))
  })
)

const alreadyResolved = {
  message: "This discrepancy was resolved before. What was written then stands.",
  code: "DISCREPANCY_RESOLVED",
  details: { resource: "discrepancy", field: "status", value: "resolved" }
}

const shown = ({ account, booked, evidence, subject, wallet: _, ...fields }: Discrepancy) => ({
  ...fields,
  accountId: account,
  subjectId: subject,
  evidence: objectIn(evidence),
  ...(booked === undefined ? {} : { booked: objectIn(booked) })
})

const objectIn = (text: string) => JSON.parse(text) as Readonly<Record<string, unknown>>
