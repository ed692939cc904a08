import type { LedgerTxId, StorageDriverShape, WalletId } from "@pagora/core"
import { instantOf } from "@pagora/core"
import { DateTime, Effect } from "effect"
import { present } from "../Present.ts"

/** What one thing did to what a wallet has available: everything that was booked for it at the same time, in one sum. */
export interface Movement {
  readonly wallet: WalletId
  readonly source: string
  readonly amount: bigint
  /** As the ids of its bookings say; the service's clocks differ a little from true time. */
  readonly at: number
}

const pageMax = 500

/** What goes out of a wallet again, or comes back later, is a movement of its own. */
const later: ReadonlySet<string> = new Set(["release", "chargeback", "adjustment"])

/** All movements of all wallets of some accounts. */
export const readMovements = (
  driver: StorageDriverShape,
  accounts: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Movement>> =>
  Effect.gen(function* () {
    const sums = new Map<string, Movement>()
    for (const account of accounts) {
      for (let after: LedgerTxId | undefined; ;) {
        const page = yield* driver.movements({
          account: account as never,
          order: "asc",
          limit: pageMax,
          ...present({ after })
        })
        for (const { id, kind, postings, source } of page)
          for (const posting of postings) {
            if (posting.account.bucket !== "available") continue
            const wallet = posting.account.owner as WalletId
            const name = `${wallet} ${source} ${later.has(kind) ? id : ""}`
            const at = DateTime.toEpochMillis(instantOf(id))
            const before = sums.get(name) ?? { wallet, source, amount: 0n, at }
            sums.set(name, { ...before, amount: before.amount + posting.amount })
          }
        after = page.at(-1)?.id
        if (page.length < pageMax) break
      }
    }
    return [...sums.values()]
  }).pipe(Effect.orDie)
