import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { TransactionResponse } from "../transactions/TransactionsApi.ts"
import { BadRequest, InternalError, NotFound } from "../http/ErrorEnvelope.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { TimeAllowed, unhurriedMax } from "../http/TimeAllowed.ts"
import { Instant, numberBetween, text, wholeBetween } from "../http/WireCodecs.ts"
import { BrlNumber, SignedBrlNumber } from "../kernel/Money.ts"
import { OperatorAuthorization } from "../admission/OperatorAuthorization.ts"
import { SandboxRefundsGroup } from "./SandboxRefundsApi.ts"
import { sandboxFaultKinds, sandboxOperations } from "../sandbox-psp/SandboxFault.ts"
import { SandboxWithdrawalsApi } from "./SandboxWithdrawalsApi.ts"

export const PayPayload = Schema.Struct({
  payerName: Schema.optionalKey(text(1, 200)),
  payerDocument: Schema.optionalKey(text(11, 18)),
  amount: Schema.optionalKey(BrlNumber),
  times: Schema.optionalKey(wholeBetween(1, 20))
})

/** A payment to the key itself, for no charge. */
export const PayKeyPayload = Schema.Struct({
  payerName: Schema.optionalKey(text(1, 200)),
  payerDocument: Schema.optionalKey(text(11, 18)),
  amount: Schema.optionalKey(BrlNumber)
})

/** What of a payment its PSP gives back by itself: all that is left, unless told. */
export const ReturnPayload = Schema.Struct({ amount: Schema.optionalKey(BrlNumber) })

export const InfractionPayload = Schema.Struct({ reason: Schema.optionalKey(text(1, 2000)) })
export const InfractionEndPayload = Schema.Struct({
  outcome: Schema.Literals(["accepted", "rejected", "cancelled"])
})
const InfractionResponse = Schema.Struct({
  id: Schema.String,
  endToEndId: Schema.String,
  status: Schema.String,
  amount: BrlNumber,
  reportedAt: Instant
})

const PaymentResponse = Schema.Struct({
  endToEndId: Schema.String,
  amount: BrlNumber,
  paidAt: Instant,
  payerName: Schema.optionalKey(Schema.String),
  payerDocument: Schema.optionalKey(Schema.String)
})

/** At most ten years, so that no date leaves the calendar. */
export const AdvancePayload = Schema.Struct({ seconds: numberBetween(0, 315_360_000) })

const Fault = Schema.Struct({
  operation: Schema.optionalKey(Schema.Literals(sandboxOperations)),
  kind: Schema.Literals(sandboxFaultKinds),
  probability: Schema.optionalKey(numberBetween(0, 1)),
  times: Schema.optionalKey(wholeBetween(0, 1_000_000)),
  delaySeconds: Schema.optionalKey(numberBetween(0, 60))
})

export const FaultsPayload = Schema.Struct({
  faults: Schema.Array(Fault).check(Schema.isMaxLength(50))
})

/** What the account at the PSP holds from now on. */
export const BalancePayload = Schema.Struct({
  available: SignedBrlNumber,
  blocked: Schema.optionalKey(BrlNumber)
})

const errors = [BadRequest, NotFound, InternalError] as const

/** Empty where it is not kept. */
const BalanceResponse = Schema.Struct({
  available: Schema.optionalKey(SignedBrlNumber),
  blocked: Schema.optionalKey(BrlNumber)
})

class SandboxGroup extends HttpApiGroup.make("sandbox").add(
  HttpApiEndpoint.post("pay", "/charges/:id/pay", {
    params: { id: Schema.String },
    payload: PayPayload,
    success: Schema.Struct({ payments: Schema.Array(PaymentResponse) }),
    error: errors
  }),
  HttpApiEndpoint.post("payKey", "/payments", {
    payload: PayKeyPayload,
    success: PaymentResponse,
    error: errors
  }),
  HttpApiEndpoint.post("returnPayment", "/payments/:endToEndId/return", {
    params: { endToEndId: Schema.String },
    payload: ReturnPayload,
    success: Schema.Struct({
      reference: Schema.String,
      status: Schema.String,
      amount: BrlNumber,
      returnId: Schema.optionalKey(Schema.String)
    }),
    error: errors
  }),
  HttpApiEndpoint.post("reportInfraction", "/payments/:endToEndId/infraction", {
    params: { endToEndId: Schema.String },
    payload: InfractionPayload,
    success: InfractionResponse,
    error: errors
  }),
  HttpApiEndpoint.post("decideInfraction", "/infractions/:id/decide", {
    params: { id: Schema.String },
    payload: InfractionEndPayload,
    success: InfractionResponse,
    error: errors
  }),
  HttpApiEndpoint.post("expire", "/charges/:id/expire", {
    params: { id: Schema.String },
    success: TransactionResponse,
    error: errors
  }),
  HttpApiEndpoint.post("advance", "/clock/advance", {
    payload: AdvancePayload,
    success: Schema.Struct({ now: Instant }),
    error: errors
  }),
  HttpApiEndpoint.put("setBalance", "/balance", {
    payload: BalancePayload,
    success: BalanceResponse,
    error: errors
  }),
  HttpApiEndpoint.get("balance", "/balance", { success: BalanceResponse, error: errors }),
  HttpApiEndpoint.put("setFaults", "/faults", {
    payload: FaultsPayload,
    success: FaultsPayload,
    error: errors
  }),
  HttpApiEndpoint.get("faults", "/faults", { success: FaultsPayload, error: errors })
) {}

/** The controls of the simulated world. Served only where the sandbox PSP runs. */
export class SandboxApi extends HttpApi.make("pagora-sandbox")
  .add(SandboxGroup, SandboxRefundsGroup, SandboxWithdrawalsApi)
  .middleware(OperatorAuthorization)
  .middleware(StrictBody)
  .annotate(TimeAllowed, unhurriedMax) {}
