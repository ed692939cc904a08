export { startFakeBank } from "./startFakeBank.ts"
export { bankProfiles } from "./bacen/BankProfiles.ts"
export { knownDefects } from "./openapi/KnownDefects.ts"
export { WorldRefusal } from "./world/World.ts"
export type {
  BankControls,
  CallbackControls,
  CertificateControls,
  FakeBank,
  FakeBankClient,
  FakeBankOptions,
  FakeBankUrls
} from "./FakeBank.ts"
export type { BankName, BankProfile } from "./bacen/BankProfile.ts"
export type { Callback } from "./callbacks/Courier.ts"
export type { Fault, FaultBook, FaultKind } from "./door/Faults.ts"
export type { RequestRecord } from "./door/Desk.ts"
export type { KnownDefect } from "./openapi/KnownDefects.ts"
export type { BankFinding } from "./openapi/Findings.ts"
