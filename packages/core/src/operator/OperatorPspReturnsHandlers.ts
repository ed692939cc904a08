import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { notFound } from "../admission/AccountOfPath.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { exactPayload } from "../http/Payload.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { PspReturn } from "../psp-reports/PspReturn.ts"
import { PspReturnKind } from "../psp-reports/PspReturn.ts"
import { PspReturns } from "../psp-reports/PspReturns.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { BearingPayload, PspReturnResponse } from "./OperatorReviewApi.ts"

export const OperatorPspReturnsHandlers = handlersOf(
  OperatorApi,
  "psp-returns",
  Effect.fnUntraced(function* (handlers) {
    const returns = yield* PspReturns
    const keys = yield* IdempotencyKeys

    const resolve = Effect.fnUntraced(function* (name: string) {
      const id = name.toLowerCase()
      if (!isUuid(id)) return yield* unknown(name)
      const answer = yield* idempotentForOperator(keys, {
        run: (key) =>
          Effect.flatMap(exactPayload(BearingPayload), (decision) =>
            returns.resolve(id, decision, key).pipe(
              Effect.catchTags({
                PspReturnNotFound: () => unknown(name),
                PspReturnResolved: ({ status }) => refuse(Conflict, alreadyResolved(status)),
                PspReturnBesideAnother: ({ other }) => refuse(Conflict, beside(other)),
                InsufficientFunds: () => refuse(Conflict, tooLittle)
              }),
              orUnavailable
            )
          ),
        read: PspReturnKind.fromSnapshot
      })
      return yield* replayable(PspReturnResponse, answer, shown(answer.value), 200)
    })

    return handlers.handleRaw("resolve", ({ params }) => resolve(params.id))
  })
)

const resource = "pspReturn"

const unknown = (id: string) => notFound(resource, id, "There is no return of a PSP with this id.")

const alreadyResolved = (status: string) => ({
  message: `This return of a PSP is ${status}: somebody has decided it before.`,
  code: "PSP_RETURN_RESOLVED",
  details: { resource, field: "status", value: status }
})

const beside = (other: string) => ({
  message: `Return ${other} of the same payment may still reach the payer. Decide this one once that has ended.`,
  code: "PSP_RETURN_BESIDE_ANOTHER",
  details: { resource: "return", id: other }
})

const tooLittle = {
  message:
    "The wallet may not spend so much, or there is none: wait until it may, or resolve this return as absorbed.",
  code: "INSUFFICIENT_BALANCE",
  details: { resource }
}

const shown = ({ account, endToEndId, source, wallet: _, ...fields }: PspReturn) => ({
  ...fields,
  accountId: account,
  sourceId: source,
  e2eId: endToEndId
})
