import type { Centavos } from "./Centavos.ts"

/** A customer of the bank, with an account and the PIX keys that lead to it. */
export interface BankAccount {
  readonly id: string
  readonly name: string
  /** CNPJ, 14 digits or capital letters. */
  readonly document: string
  readonly keys: ReadonlyArray<string>
  /** What is in it, whatever of it is blocked. */
  balance: Centavos
  /** What a court or a report of fraud keeps its owner from spending. */
  blocked: { judicial: Centavos; med: Centavos }
}

/** Somebody at another bank. */
export interface Person {
  readonly name: string
  /** CPF or CNPJ, without punctuation. */
  readonly document: string
}

/** Who pays unless a test says who. The number is a valid CPF that is nobody's. */
export const somebody: Person = { name: "Maria da Silva", document: "52998224725" }

/** What its owner can spend. */
export const spendable = ({ balance, blocked }: BankAccount): Centavos =>
  balance - blocked.judicial - blocked.med
