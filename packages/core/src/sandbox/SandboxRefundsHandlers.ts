import { Effect, Result } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { notFound } from "../admission/AccountOfPath.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import * as TxId from "../kernel/TxId.ts"
import type { Return } from "../returns/Return.ts"
import { SandboxApi } from "./SandboxApi.ts"
import { SandboxPsp } from "../sandbox-psp/SandboxPsp.ts"
import { SandboxRefundControls } from "./SandboxRefundControls.ts"
import { SettleRefundPayload } from "./SandboxRefundsApi.ts"

export const SandboxRefundsHandlers = handlersOf(
  SandboxApi,
  "sandboxRefunds",
  Effect.fnUntraced(function* (handlers) {
    const controls = yield* SandboxRefundControls
    const { psp } = yield* SandboxPsp

    const settle = Effect.fnUntraced(function* (name: string) {
      const id = Result.flatMap(TxId.parse(name), TxId.toUuid)
      const { outcome } = yield* exactPayload(SettleRefundPayload)
      if (Result.isFailure(id)) return yield* notFound("refund", name)
      const refund = yield* controls.settle(id.success, outcome).pipe(
        Effect.catchTag("SandboxNoRefund", () => notFound("refund", name)),
        Effect.catchTag("SandboxCannotSettle", ({ message, status }) =>
          refuse(Conflict, {
            message:
              status === "requested"
                ? "The PSP has not taken the refund yet, because its faults keep it from that."
                : message,
            code: "CANNOT_SETTLE",
            details: { resource: "refund", field: "outcome", value: outcome }
          })
        ),
        orUnavailable
      )
      return {
        originalTransactionId: refund.source,
        pspProvider: psp.provider,
        pspRefundTransactionId: refund.reference,
        status: statusOf[refund.status]
      }
    })
    return handlers.handleRaw("settle", ({ params }) => settle(params.id))
  })
)

const statusOf: Readonly<Record<Return["status"], "PENDING" | "CONFIRMED" | "ERROR">> = {
  requested: "PENDING",
  processing: "PENDING",
  confirmed: "CONFIRMED",
  failed: "ERROR",
  replaced: "ERROR"
}
