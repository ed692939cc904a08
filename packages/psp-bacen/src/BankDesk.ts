import type { BacenHttp } from "./http/BacenHttp.ts"
import type { BankProfile } from "./profiles/BankProfile.ts"

/** What every part of the layer works with: the bank, our key there, and how it is called. */
export interface BankDesk {
  readonly profile: BankProfile
  readonly http: BacenHttp
  /** The Pix key that charges are paid to, and that payouts go out from. */
  readonly pixKey: string
  /** Written into codes that the bank leaves to us. */
  readonly merchant: { readonly name: string; readonly city: string } | undefined
}
