export { makeBank } from "./Bank.ts"
export type { Bank } from "./Bank.ts"
export type { BankBook, Forgery, Movement, Told } from "./BankBook.ts"
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
