import { Effect } from "effect"
import { present } from "../kernel/Present.ts"
import type { PayerClaim, PspCharge, PspOutcome, PspPayment, PspShape } from "../ports/Psp.ts"
import { PspOutcome as Outcome } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import { Charge, isBooked } from "./Charge.ts"

/** Claims that are kept of one charge; more payments of it are looked at without. */
const claimsMax = 8

/** Notes who is claimed to have paid it, as far as that is news: of a payment that is booked nothing is left to decide. */
export const withClaims = (charge: Charge, claims: ReadonlyArray<PayerClaim>): Charge => {
  const kept = charge.payerClaims ?? []
  const news = claims.filter(
    ({ endToEndId }) =>
      !isBooked(charge, endToEndId) && !kept.some((one) => one.endToEndId === endToEndId)
  )
  return news.length === 0 || kept.length >= claimsMax
    ? charge
    : new Charge({ ...charge, payerClaims: [...kept, ...news].slice(0, claimsMax) })
}

/**
 * The payments of a charge with those payers that were claimed and that the PSP confirms. A claim that it denies is none.
 *
 * @param isNeeded Whether who has paid decides something: then nothing is known as long as the PSP does not say.
 */
export const payersConfirmed = Effect.fnUntraced(function* (
  { payerClaims = [] }: Charge,
  outcome: PspOutcome<PspCharge | undefined>,
  psp: PspShape,
  isNeeded: boolean
): Effect.fn.Return<PspOutcome<PspCharge | undefined>> {
  if (payerClaims.length === 0 || outcome._tag !== "Done" || outcome.value === undefined)
    return outcome
  const payments: Array<PspPayment> = []
  for (const payment of outcome.value.payments) {
    const claim = payerClaims.find(({ endToEndId }) => endToEndId === payment.endToEndId)
    if (payment.payer?.document !== undefined || claim === undefined) {
      payments.push(payment)
      continue
    }
    const said = yield* confirmed(psp, claim)
    if (said._tag !== "Done" && isNeeded) return said._tag === "NotNow" ? said : unconfirmed
    payments.push(said._tag === "Done" && said.value ? withPayer(payment, claim) : payment)
  }
  return Outcome.done({ ...outcome.value, payments })
})

const unconfirmed = Outcome.unknown("the PSP did not say whether who is claimed to have paid did")

const confirmed = (
  psp: PspShape,
  { document, endToEndId }: PayerClaim
): Effect.Effect<PspOutcome<boolean>> =>
  psp.confirmPayer === undefined
    ? Effect.succeed(Outcome.done(false))
    : callPsp("confirmPayer", psp.confirmPayer({ endToEndId, document }))

const withPayer = (payment: PspPayment, { document, name }: PayerClaim): PspPayment => ({
  ...payment,
  payer: present({ document, name })
})
