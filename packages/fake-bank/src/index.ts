export { startFakeBank } from "./startFakeBank.ts"
export { makeFakeBank } from "./makeFakeBank.ts"
export type { IndoorBank, IndoorBankOptions } from "./makeFakeBank.ts"
export type { IndoorRequest, Indoors } from "./door/Indoors.ts"
export { bankProfiles } from "./bacen/BankProfiles.ts"
export { knownDefects } from "./openapi/KnownDefects.ts"
export { expiresAt } from "./world/Charge.ts"
export { returnable } from "./world/Payment.ts"
export { WorldRefusal } from "./world/World.ts"
export type {
  BankControls,
  BankInHand,
  CallbackControls,
  CertificateControls,
  FakeBank,
  FakeBankClient,
  FakeBankOptions,
  FakeBankUrls,
  WorldControls
} from "./FakeBank.ts"
export type { BankName, BankProfile } from "./bacen/BankProfile.ts"
export type { Callback, NewCallback } from "./callbacks/Courier.ts"
export type { Fault, FaultBook, FaultKind } from "./door/Faults.ts"
export type { WrittenAnswer } from "./door/Wire.ts"
export type { RequestRecord } from "./door/Desk.ts"
export type { KnownDefect } from "./openapi/KnownDefects.ts"
export type { BankFinding } from "./openapi/Findings.ts"
export type { BankAccount, Person } from "./world/BankAccount.ts"
export type { BankClock, BankClockOptions } from "./world/BankClock.ts"
export type { Centavos } from "./world/Centavos.ts"
export type { Charge, ChargeTerms } from "./world/Charge.ts"
export type { Infraction } from "./world/Infraction.ts"
export type { Payment, PaymentReturn, ReturnNature } from "./world/Payment.ts"
export type { Paying, PayingCharge } from "./world/Payments.ts"
export type { Payout, PayoutFailure, PayoutReturn } from "./world/Payout.ts"
export type { NewPayout } from "./world/Payouts.ts"
export type { World, WorldEvent } from "./world/World.ts"
export type { ClientIdentity } from "./tls/BankCertificates.ts"
export type { Certified } from "./tls/Certificates.ts"
