import type { BankAccount } from "../world/BankAccount.ts"
import type { Settling } from "../world/Settling.ts"
import type { World } from "../world/World.ts"
import type { KeyLookUps } from "./KeyLookUps.ts"
import type { WooviKeys } from "./WooviKeys.ts"

/** What every part of the fake works with: who paid whom, and what only Woovi has. */
export interface WooviOffice {
  readonly world: World
  /** Of its one customer. */
  readonly account: BankAccount
  readonly pixKey: string
  readonly settling: Settling
  readonly keyLookUps: KeyLookUps
  readonly keys: WooviKeys
  /** Whether the AppID may not approve payouts: somebody does in the panel. */
  readonly needsApproval: boolean
  readonly webhooks: Array<WooviWebhook>
  /** Most transactions of a page. */
  readonly pageMax: number
  /** Sends a webhook what a new one is sent (docs/webhook/webhook-test). */
  readonly test: (webhook: WooviWebhook) => void
}

/** An address that is told of the events of one name. */
export interface WooviWebhook {
  readonly id: string
  readonly name: string
  readonly event: string
  readonly url: string
  readonly authorization?: string
  readonly isActive: boolean
  readonly hmacSecretKey: string
}
