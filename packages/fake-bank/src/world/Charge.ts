import type { BankAccount, Person } from "./BankAccount.ts"
import type { Centavos } from "./Centavos.ts"
import type { Payment } from "./Payment.ts"

/** What can be paid: an immediate charge (BACEN Pix API, `cob`). */
export interface Charge {
  readonly txid: string
  readonly account: BankAccount
  readonly locationId: number
  readonly createdAt: Date
  terms: ChargeTerms
  /** So often its terms were changed. */
  revision: number
  status: "ATIVA" | "CONCLUIDA" | "REMOVIDA_PELO_USUARIO_RECEBEDOR" | "REMOVIDA_PELO_PSP"
  /** Set where its time was ended by hand: its terms do not change by that. */
  endedAt?: Date
  readonly payments: Array<Payment>
}

export interface ChargeTerms {
  readonly key: string
  readonly centavos: Centavos
  readonly expiresInSeconds: number
  readonly debtor?: Person
  readonly message?: string
  readonly notes?: ReadonlyArray<{ readonly nome: string; readonly valor: string }>
}

export const expiresAt = ({ createdAt, endedAt, terms }: Charge): Date =>
  endedAt ?? new Date(createdAt.getTime() + terms.expiresInSeconds * 1000)
