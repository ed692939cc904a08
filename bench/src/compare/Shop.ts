import type { PspShape } from "@pagora/core"
import { memoryPsp } from "../MemoryPsp.ts"

/** What a way's process says when it serves: where, and as whom it may be used. */
export interface Shop {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** The account that is measured: the same terms as the plain service's (plain/main.ts). */
export const account = {
  name: "Loja Azul",
  fees: { payment: { percent: 1 }, withdrawal: { fixed: 0.5 } }
}

/** Enough for every withdrawal of a run. */
export const funds = { amount: 100_000_000, reason: "Funds for the withdrawals of a run" }

/** As much as the plain service's credential may do. */
export const credential = { permissions: ["FULL_ACCESS"] as const }

const pspId = "00000000-0000-7000-8000-0000000000b2"

/** The PSPs of a deployment: one in memory. */
export const psp = (): {
  readonly default: string
  readonly psps: Readonly<Record<string, PspShape>>
} => ({ default: pspId, psps: { [pspId]: memoryPsp().shape } })
