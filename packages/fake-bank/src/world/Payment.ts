import type { BankAccount, Person } from "./BankAccount.ts"
import type { Centavos } from "./Centavos.ts"

/** Money that came in (BACEN Pix API, `Pix`). */
export interface Payment {
  readonly endToEndId: string
  readonly account: BankAccount
  /** What it pays; absent where somebody paid to the key itself. */
  readonly txid?: string
  readonly key: string
  readonly centavos: Centavos
  readonly at: Date
  readonly payer: Person
  /** What the payer wrote. */
  readonly message?: string
  readonly returns: Array<PaymentReturn>
}

/** A payment on its way to the bank. */
export type Incoming = Omit<Payment, "endToEndId" | "account" | "at" | "returns">

/** Money of a payment that goes back (BACEN Pix API, `devolucao`). */
export interface PaymentReturn {
  /** By whoever began it. */
  readonly id: string
  readonly returnId: string
  readonly centavos: Centavos
  readonly nature: ReturnNature
  readonly description?: string
  readonly requestedAt: Date
  settledAt?: Date
  status: "EM_PROCESSAMENTO" | "DEVOLVIDO" | "NAO_REALIZADO"
  /** Why it did not go. */
  reason?: string
}

export const returnNatures = ["ORIGINAL", "RETIRADA", "MED_OPERACIONAL", "MED_FRAUDE"] as const
export type ReturnNature = (typeof returnNatures)[number]

/** What of it can still go back. A return that did not go gives its part free again. */
export const returnable = ({ centavos, returns }: Payment): Centavos =>
  returns
    .filter(({ status }) => status !== "NAO_REALIZADO")
    .reduce((left, { centavos: returned }) => left - returned, centavos)
