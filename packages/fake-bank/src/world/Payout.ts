import type { BankAccount, Person } from "./BankAccount.ts"
import type { Centavos } from "./Centavos.ts"

/** Money that is sent. */
export interface Payout {
  /** The bank's own id of it. */
  readonly id: string
  /** The name by which its sender keeps it from being sent twice. */
  readonly reference: string
  readonly account: BankAccount
  readonly centavos: Centavos
  /** The key that pays, where the bank asks for one. */
  readonly payingKey?: string
  readonly recipientKey: string
  readonly recipient: Person
  readonly message?: string
  readonly requestedAt: Date
  readonly endToEndId: string
  /** `awaiting_approval`: a person of the company has to say yes first. `reversed`: all of it came back. */
  status: "awaiting_approval" | "processing" | "completed" | "failed" | "reversed"
  settledAt?: Date
  /** Why it failed or came back: a code of the PIX network, and what it means. */
  failure?: PayoutFailure
  /** What of it came back after it had arrived. */
  readonly returns: Array<PayoutReturn>
}

export interface PayoutReturn {
  /** The id of the return on the PIX network. */
  readonly returnId: string
  readonly centavos: Centavos
  readonly at: Date
}

export interface PayoutFailure {
  /** `AC03`, or another reason of the network's messages. */
  readonly code: string
  readonly message: string
}

export const accountClosed: PayoutFailure = {
  code: "AC03",
  message: "Conta inexistente ou inválida"
}
