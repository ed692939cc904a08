export { makeBank } from "./Bank.ts"
export type { Bank, BankHoldings, BankInfraction, BankReports } from "./Bank.ts"
export type { BankBook, BankRecords, Forgery, Movement, Told } from "./BankBook.ts"
// Of what one's own bank is made, behind another protocol.
export { aWhile, makeAgenda } from "./BankAgenda.ts"
export type { BankAgenda } from "./BankAgenda.ts"
export { makeRecords } from "./BankBook.ts"
export type { Forging, Letter } from "./BankForger.ts"
export { makePost } from "./BankPost.ts"
export type { BankPost, NoticeFate } from "./BankPost.ts"
export {
  bankMethods,
  callFaults,
  canMeet,
  moneyFaults,
  noticeFaults,
  roughFaults
} from "./BankOptions.ts"
export type {
  BankFaults,
  BankMethod,
  BankOptions,
  CallFault,
  MoneyFault,
  NoticeFault
} from "./BankOptions.ts"
export { lieReasons } from "./BankUntruths.ts"
export type { ContradictionReason, LieName, Untruth } from "./BankUntruths.ts"
