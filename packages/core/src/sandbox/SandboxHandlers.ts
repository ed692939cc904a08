import { Duration, Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { present } from "../kernel/Present.ts"
import { notFound } from "../admission/AccountOfPath.ts"
import type { NotFound } from "../http/ErrorEnvelope.ts"
import { BadRequest, refuse } from "../http/ErrorEnvelope.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { Uuid } from "../kernel/Ids.ts"
import { zero } from "../kernel/Money.ts"
import type { PspInfraction, PspPayment } from "../ports/Psp.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { ofCharge } from "../charges/ChargeTransaction.ts"
import { transactionResponse } from "../transactions/TransactionsApi.ts"
import { Sandbox } from "./Sandbox.ts"
import type { SandboxPaymentNotThere } from "../sandbox-psp/SandboxBank.ts"
import {
  AdvancePayload,
  BalancePayload,
  FaultsPayload,
  InfractionEndPayload,
  InfractionPayload,
  PayKeyPayload,
  PayPayload,
  ReturnPayload,
  SandboxApi
} from "./SandboxApi.ts"
import { ReportWorker } from "../psp-reports/ReportWorker.ts"
import { SandboxPsp } from "../sandbox-psp/SandboxPsp.ts"

export const SandboxHandlers = handlersOf(
  SandboxApi,
  "sandbox",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox
    const psp = yield* SandboxPsp
    const time = yield* ServiceTime

    const pay = Effect.fnUntraced(function* (id: string) {
      const charge = yield* chargeId(id)
      const options = yield* exactPayload(PayPayload)
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
      const { seconds } = yield* exactPayload(AdvancePayload)
      yield* orUnavailable(sandbox.advance(Duration.seconds(seconds)))
      return { now: yield* time.now }
    })

    const balance = Effect.map(psp.balance, (kept) => kept ?? {})

    const faults = Effect.map(psp.faults, (current) => ({ faults: current }))

    const { decideInfraction, payKey, reportInfraction, returnPayment } = makeBankControls(
      psp,
      yield* ReportWorker
    )

    return handlers
      .handleRaw("payKey", () => payKey)
      .handleRaw("returnPayment", ({ params }) => returnPayment(params.endToEndId))
      .handleRaw("reportInfraction", ({ params }) => reportInfraction(params.endToEndId))
      .handleRaw("decideInfraction", ({ params }) => decideInfraction(params.id))
      .handleRaw("pay", ({ params }) => pay(params.id))
      .handleRaw("expire", ({ params }) => expire(params.id))
      .handleRaw("advance", () => advance)
      .handleRaw("setBalance", () =>
        Effect.gen(function* () {
          const { available, blocked = zero } = yield* exactPayload(BalancePayload)
          yield* psp.setBalance({ available, blocked })
          return yield* balance
        })
      )
      .handle("balance", () => balance)
      .handleRaw("setFaults", () =>
        Effect.gen(function* () {
          const request = yield* exactPayload(FaultsPayload)
          yield* psp.setFaults(request.faults)
          return yield* faults
        })
      )
      .handle("faults", () => faults)
  })
)

/** What happens at the PSP that nobody asked it for. It answers once the service has looked at it. */
const makeBankControls = (psp: SandboxPsp["Service"], worker: ReportWorker["Service"]) => ({
  payKey: Effect.gen(function* () {
    const options = yield* exactPayload(PayKeyPayload)
    const payment = yield* psp.payKey(options).pipe(
      Effect.catchTag("SandboxPaymentRefused", ({ message }) =>
        refuse(BadRequest, { message, code: "VALIDATION_ERROR" })
      ),
      orUnavailable
    )
    yield* orUnavailable(worker.drain)
    return paymentResponse(payment)
  }),
  returnPayment: Effect.fnUntraced(function* (endToEndId: string) {
    const { amount } = yield* exactPayload(ReturnPayload)
    const money = yield* psp
      .returnPayment(endToEndId, amount)
      .pipe(Effect.catchTag("SandboxPaymentNotThere", notThere), orUnavailable)
    yield* orUnavailable(worker.drain)
    const { reference, returnId, status } = money
    return { reference, status, amount: money.amount, ...(returnId && { returnId }) }
  }),
  reportInfraction: Effect.fnUntraced(function* (endToEndId: string) {
    const { reason } = yield* exactPayload(InfractionPayload)
    const infraction = yield* psp
      .reportInfraction(endToEndId, reason)
      .pipe(Effect.catchTag("SandboxPaymentNotThere", notThere), orUnavailable)
    yield* orUnavailable(worker.drain)
    return infractionResponse(infraction)
  }),
  decideInfraction: Effect.fnUntraced(function* (id: string) {
    const { outcome } = yield* exactPayload(InfractionEndPayload)
    const infraction = yield* orUnavailable(psp.decideInfraction(id, outcome))
    if (infraction === undefined) return yield* notFound("infraction", id)
    yield* orUnavailable(worker.drain)
    return infractionResponse(infraction)
  })
})

const infractionResponse = ({ amount, endToEndId, id, reportedAt, status }: PspInfraction) => ({
  id,
  endToEndId,
  status,
  amount,
  reportedAt
})

const notThere = ({
  endToEndId,
  message,
  reason
}: SandboxPaymentNotThere): Effect.Effect<never, BadRequest | NotFound, ServiceTime> =>
  reason === "unknown"
    ? notFound("payment", endToEndId, message)
    : refuse(BadRequest, { message, code: "VALIDATION_ERROR" })

const noCharge = (id: string) => notFound("charge", id)

const chargeId = (id: string): Effect.Effect<Uuid, NotFound, ServiceTime> =>
  isUuid(id) ? Effect.succeed(id) : noCharge(id)

const paymentResponse = ({ amount, endToEndId, paidAt, payer }: PspPayment) => ({
  endToEndId,
  amount,
  paidAt,
  ...present({ payerName: payer?.name, payerDocument: payer?.document })
})
