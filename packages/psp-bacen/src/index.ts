export { bacen } from "./Bacen.ts"
export { BacenMisconfigured } from "./BacenOptions.ts"
export type { BacenOptions } from "./BacenOptions.ts"
export type { CallbackProof } from "./callbacks/CallbackProof.ts"
export { lookAtCertificate } from "./certificates/CertificateLook.ts"
export type { CertificateLook } from "./certificates/CertificateLook.ts"
export { Certificate, CertificateUnreadable } from "./certificates/Certificate.ts"
export type {
  CertificateSource,
  ClientIdentity,
  SourceOptions
} from "./certificates/Certificate.ts"
export type { EfiSettings } from "./efi/EfiSettings.ts"
export type { Exchanged, HttpAnswer, HttpRequest, Transport } from "@pagora/core/psp"
export { banks } from "./profiles/Banks.ts"
export type { BankName } from "./profiles/Banks.ts"
export type {
  BankHosts,
  BankProfile,
  Budget,
  ScopeSet,
  Source,
  TokenRequest
} from "./profiles/BankProfile.ts"
