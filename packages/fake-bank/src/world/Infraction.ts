import type { Centavos } from "./Centavos.ts"
import type { Payment } from "./Payment.ts"

/** A report of fraud about a payment that came in (MED). */
export interface Infraction {
  readonly id: string
  readonly payment: Payment
  readonly centavos: Centavos
  readonly reason: string
  readonly reportedAt: Date
  readonly answerUntil: Date
  status: "open" | "defended" | "accepted" | "rejected" | "cancelled"
  defence?: { readonly accepts: boolean; readonly text: string; readonly at: Date }
  decidedAt?: Date
}
