import { Effect } from "effect"
import type {
  NewPspPayout,
  PspCharge,
  PspPayout,
  PspReceived,
  PspReceivedReturn,
  PspRefund
} from "../ports/Psp.ts"
import { PspOutcome } from "../ports/Psp.ts"
import type { Asked } from "./Asked.ts"
import { another, failed, onceTaken, orFail, unlessThere } from "./Asked.ts"

const noCharge = PspOutcome.rejected("charge_not_found", "The PSP has no such charge.")
const noPayment = PspOutcome.rejected("payment_not_found", "The PSP has no such payment.")

/** Ends a charge that is active, and tells what became of it: it may be paid in between, and its end be refused for that. */
export const endCharge = (
  find: Asked<PspCharge | undefined>,
  end: Asked<unknown>
): Asked<PspCharge> =>
  Effect.gen(function* () {
    const charge = orFail(find, noCharge)
    const before = yield* charge
    if (before.status !== "active") return before
    const isOver = Effect.map(charge, ({ status }) => status !== "active" || undefined)
    yield* unlessThere(end, isOver)
    return yield* onceTaken(charge)
  })

/**
 * Whether a payout is the one that is asked for: what a repeat is answered with need not be. `key` is where it goes, as far as that
 * is told.
 */
export const isAskedFor = (asked: NewPspPayout, told: PspPayout, key?: string): boolean =>
  told.reference === asked.reference &&
  told.amount === asked.amount &&
  (key === undefined || bareKey(key) === bareKey(asked.pixKey.value))

/** Keys are told as people write them, and as the directory does. */
const bareKey = (key: string): string => key.toLowerCase().replaceAll(/[.\-/+() ]/g, "")

/** Gives a payment back that is there. A refusal is believed once no return of it is found. */
export const giveBack = (
  payment: Asked<PspReceived | undefined>,
  made: Asked<PspRefund>,
  find: Asked<PspRefund | undefined>
): Asked<PspRefund> => Effect.andThen(orFail(payment, noPayment), unlessThere(made, find))

/** A charge with what was paid for it. What names another charge is none of its payments, whatever was asked for. */
export const withPayments = (
  charge: PspCharge,
  received: ReadonlyArray<PspReceived>
): PspCharge => {
  const payments = received.filter(({ reference }) => reference === charge.reference)
  return payments.length > 0 ? { ...charge, payments, status: "paid" } : charge
}

/** A payment with its returns, in a list that does not name it: what is more than was paid is of another one. */
export const withReturns = <Return extends PspReceivedReturn>(
  payment: PspReceived,
  returns: ReadonlyArray<Return>
) => {
  const back = returns.filter(({ status }) => status !== "rejected")
  const sum = back.reduce((total, { amount }) => total + amount, 0n)
  return sum > payment.amount ? failed(another) : Effect.succeed({ ...payment, returns })
}
