import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { present } from "../kernel/Present.ts"
import { Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { notFound } from "../admission/AccountOfPath.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { isUuid } from "../kernel/Ids.ts"
import { withdrawalResponse } from "../withdrawals/WithdrawalsApi.ts"
import { Sandbox } from "./Sandbox.ts"
import { SandboxApi } from "./SandboxApi.ts"
import type { SandboxPayoutOutcome } from "../sandbox-psp/SandboxPayout.ts"
import { SettleWithdrawalPayload } from "./SandboxWithdrawalsApi.ts"

export const SandboxWithdrawalsHandlers = handlersOf(
  SandboxApi,
  "withdrawals",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox

    const settle = Effect.fnUntraced(function* (id: string) {
      if (!isUuid(id)) return yield* notFound("withdrawal", id)
      const settled = sandbox
        .settleWithdrawal(id, outcomeOf(yield* exactPayload(SettleWithdrawalPayload)))
        .pipe(
          Effect.catchTag("SandboxNoWithdrawal", () => notFound("withdrawal", id)),
          Effect.catchTag("SandboxCannotSettle", ({ message, status }) =>
            refuse(Conflict, {
              message,
              code: "CANNOT_SETTLE",
              details: { resource: "withdrawal", field: "status", value: status }
            })
          ),
          orUnavailable
        )
      return withdrawalResponse(yield* settled)
    })

    return handlers.handleRaw("settle", ({ params }) => settle(params.id))
  })
)

const outcomeOf = ({
  outcome,
  reason
}: typeof SettleWithdrawalPayload.Type): SandboxPayoutOutcome =>
  outcome === "completed" ? { _tag: outcome } : { _tag: outcome, ...present({ reason }) }
