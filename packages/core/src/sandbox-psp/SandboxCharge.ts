import { DateTime, Schema } from "effect"
import { EndToEndId } from "../kernel/EndToEndId.ts"
import { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString } from "../kernel/Money.ts"
import * as Kind from "../units/Kind.ts"
import type { PspCharge, PspPayment } from "../ports/Psp.ts"

/** Not the id of our charge: the simulated PSP keeps books of its own. */
const SandboxChargeId = Uuid.pipe(Schema.brand("SandboxChargeId"))
type SandboxChargeId = typeof SandboxChargeId.Type

export const SandboxPayment = Schema.Struct({
  endToEndId: EndToEndId,
  amount: CentavosString,
  paidAt: Schema.DateTimeUtcFromString,
  payer: Schema.Struct({ name: Schema.String, document: Schema.String }),
  /** Whether its notice was accepted; until then it is sent again. */
  isTold: Schema.Boolean,
  /** What goes or went back of it, rejected returns aside: never more than was paid. Absent: nothing. */
  returned: Schema.optionalKey(CentavosString),
  /** The references of its returns, whatever became of them. */
  returns: Schema.optionalKey(Schema.Array(Schema.String))
})
export type SandboxPayment = typeof SandboxPayment.Type

/**
 * A charge in the books of the simulated PSP. It is the truth of what was paid, and knows nothing of our service.
 * A payment makes an active charge `paid`; a removed one stays removed, with the payment that came all the same.
 */
export class SandboxCharge extends Schema.Class<SandboxCharge>(
  "@pagora/core/sandbox-psp/SandboxCharge"
)({
  id: SandboxChargeId,
  credential: PspCredentialId,
  reference: Schema.String,
  /** Nobody asked for it: it was paid to the key itself. */
  isDirect: Schema.optionalKey(Schema.Boolean),
  status: Schema.Literals(["active", "paid", "removed"]),
  amount: CentavosString,
  pixCopyPaste: Schema.String,
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  payments: Schema.Array(SandboxPayment)
}) {}

/** The column `status` says `untold` while a notice has to be sent, so that those charges can be listed. */
export const SandboxChargeKind: Kind.Kind<SandboxCharge> = Kind.make({
  name: "sandbox_charge",
  table: "operation",
  schema: SandboxCharge,
  columns: (charge) => ({
    id: charge.id,
    account: charge.credential,
    wallet: null,
    status: charge.payments.every((payment) => payment.isTold) ? charge.status : "untold",
    amount: charge.amount
  })
})

/** Only an active charge can be removed; any other stays as it is. */
export const remove = (charge: SandboxCharge): SandboxCharge =>
  charge.status === "active" ? new SandboxCharge({ ...charge, status: "removed" }) : charge

/** Late or removed is no reason to turn money away: some banks let such payments through. */
export const pay = (
  charge: SandboxCharge,
  payments: ReadonlyArray<SandboxPayment>
): SandboxCharge =>
  new SandboxCharge({
    ...charge,
    status: charge.status === "active" ? "paid" : charge.status,
    payments: [...charge.payments, ...payments]
  })

/** Ends its time now, unless it has ended. */
export const expire = (charge: SandboxCharge, now: DateTime.Utc): SandboxCharge =>
  DateTime.isGreaterThan(charge.expiresAt, now)
    ? new SandboxCharge({ ...charge, expiresAt: now })
    : charge

/** The notice of this payment was accepted; a second time changes nothing. */
export const told = (charge: SandboxCharge, endToEndId: EndToEndId): SandboxCharge => {
  const isNews = charge.payments.some((one) => one.endToEndId === endToEndId && !one.isTold)
  const payments = charge.payments.map((one) =>
    one.endToEndId === endToEndId ? { ...one, isTold: true } : one
  )
  return isNews ? new SandboxCharge({ ...charge, payments }) : charge
}

/** What goes back of a payment by a return. */
interface GivenBack {
  readonly endToEndId: string
  readonly reference: string
  readonly amount: Centavos
}

/** What goes back of one payment grows by this, or shrinks by it when it stays here after all. */
export const giveBack = (
  charge: SandboxCharge,
  { amount, endToEndId, reference }: GivenBack
): SandboxCharge =>
  new SandboxCharge({
    ...charge,
    payments: charge.payments.map((one) =>
      one.endToEndId === endToEndId
        ? {
            ...one,
            returned: ((one.returned ?? 0n) + amount) as Centavos,
            returns: [...new Set([...(one.returns ?? []), reference])]
          }
        : one
    )
  })

export const toPspPayment = ({
  isTold: _,
  returned: _returned,
  returns: _returns,
  ...payment
}: SandboxPayment): PspPayment => payment

export const toPspCharge = (charge: SandboxCharge): PspCharge => ({
  reference: charge.reference,
  pspPaymentId: charge.id,
  status: charge.status,
  amount: charge.amount,
  pixCopyPaste: charge.pixCopyPaste,
  createdAt: charge.createdAt,
  expiresAt: charge.expiresAt,
  payments: charge.payments.map(toPspPayment)
})
