import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { Auditor } from "./Auditor.ts"
import { OperatorApi } from "./OperatorApi.ts"

export const OperatorLedgerHandlers = handlersOf(
  OperatorApi,
  "ledger",
  Effect.fnUntraced(function* (handlers) {
    const auditor = yield* Auditor
    return handlers.handle("audit", ({ query }) =>
      orUnavailable(query.scope === "recent" ? auditor.recent : auditor.run)
    )
  })
)
