import { bancoDoBrasil } from "./BancoDoBrasil.ts"
import { bradesco } from "./Bradesco.ts"
import { efi } from "./Efi.ts"
import { inter } from "./Inter.ts"
import { itau } from "./Itau.ts"
import { pagBank } from "./PagBank.ts"
import { santander } from "./Santander.ts"
import { sicoob } from "./Sicoob.ts"
import { sicredi } from "./Sicredi.ts"

/** The banks that are known, by the name that configuration gives them. */
export const banks = {
  efi,
  inter,
  bb: bancoDoBrasil,
  bradesco,
  itau,
  santander,
  sicoob,
  sicredi,
  pagbank: pagBank
} as const

export type BankName = keyof typeof banks
