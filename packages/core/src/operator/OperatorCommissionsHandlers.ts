import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { principal } from "../accounts/SubAccount.ts"
import { Commissions } from "../accounts/Commissions.ts"
import { Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { accountClosed, notFound } from "../http/InAccount.ts"
import { ours } from "../http/Ours.ts"
import { payload } from "../http/Payload.ts"
import { instantOf, isUuid } from "../kernel/Ids.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { CommissionPayload } from "./OperatorCommissionsApi.ts"

export const OperatorCommissionsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "commissions",
  Effect.fnUntraced(function* (handlers) {
    const commissions = yield* Commissions

    const pay = Effect.fnUntraced(function* (id: string) {
      if (!isUuid(id)) return yield* notFound("account", id)
      const request = yield* payload(CommissionPayload)
      const tx = yield* commissions.pay(id, request).pipe(
        Effect.catchTags({
          AccountNotFound: () => notFound("account", id),
          SubAccountNotFound: ({ reference }) => notFound("sub-account", reference),
          CommissionNotPayable: ({ reference }) =>
            refuse(Conflict, reference === principal ? accountClosed(id) : closed(reference))
        }),
        ours
      )
      const { sourceTransactionId } = request
      return {
        id: tx.id,
        amount: tx.amount,
        ...(sourceTransactionId === undefined ? {} : { sourceTransactionId }),
        createdAt: instantOf(tx.id)
      }
    })
    return handlers.handleRaw("pay", ({ params }) => pay(params.id))
  })
)

const closed = (reference: string) => ({
  message: `The sub-account ${reference} is closed for ever.`,
  code: "SUB_ACCOUNT_CLOSED",
  details: { resource: "sub-account", field: "status", value: "closed" }
})
