import { Duration, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BadRequest, NotFound, refuse } from "../http/ErrorEnvelope.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { payload } from "../http/Payload.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { Uuid } from "../kernel/Ids.ts"
import type { PspPayment } from "../ports/Psp.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { ofCharge } from "../charges/ChargeTransaction.ts"
import { transactionResponse } from "../transactions/TransactionsApi.ts"
import { Sandbox } from "./Sandbox.ts"
import { AdvancePayload, FaultsPayload, PayPayload, SandboxApi } from "./SandboxApi.ts"
import { SandboxPsp } from "../sandbox-psp/SandboxPsp.ts"

export const SandboxHandlers = HttpApiBuilder.group(
  SandboxApi,
  "sandbox",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox
    const psp = yield* SandboxPsp
    const time = yield* ServiceTime

    const pay = Effect.fnUntraced(function* (id: string) {
      const charge = yield* chargeId(id)
      const options = yield* payload(PayPayload)
      const payments = yield* sandbox.pay(charge, options).pipe(
        Effect.catchTag("SandboxNoCharge", () => noCharge(id)),
        Effect.catchTag("SandboxPaymentRefused", ({ message }) =>
          refuse(BadRequest, { message, code: "VALIDATION_ERROR" })
        ),
        orUnavailable
      )
      return { payments: payments.map(paymentResponse) }
    })

    const expire = Effect.fnUntraced(function* (id: string) {
      const charge = yield* chargeId(id)
      const expired = yield* sandbox.expire(charge).pipe(
        Effect.catchTag("SandboxNoCharge", () => noCharge(id)),
        orUnavailable
      )
      return transactionResponse(ofCharge(expired))
    })

    const advance = Effect.gen(function* () {
      const { seconds } = yield* payload(AdvancePayload)
      yield* orUnavailable(sandbox.advance(Duration.seconds(seconds)))
      return { now: yield* time.now }
    })

    const faults = Effect.map(psp.faults, (current) => ({ faults: current }))

    return handlers
      .handleRaw("pay", ({ params }) => pay(params.id))
      .handleRaw("expire", ({ params }) => expire(params.id))
      .handleRaw("advance", () => advance)
      .handleRaw("setFaults", () =>
        Effect.gen(function* () {
          const request = yield* payload(FaultsPayload)
          yield* psp.setFaults(request.faults)
          return yield* faults
        })
      )
      .handle("faults", () => faults)
  })
)

const noCharge = (id: string) =>
  refuse(NotFound, {
    message: "There is no charge with this id.",
    details: { resource: "charge", id }
  })

const chargeId = (id: string): Effect.Effect<Uuid, NotFound, ServiceTime> =>
  isUuid(id) ? Effect.succeed(id) : noCharge(id)

const paymentResponse = ({ amount, endToEndId, paidAt, payer }: PspPayment) => ({
  endToEndId,
  amount,
  paidAt,
  ...(payer?.name === undefined ? {} : { payerName: payer.name }),
  ...(payer?.document === undefined ? {} : { payerDocument: payer.document })
})
