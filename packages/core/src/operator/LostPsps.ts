import { Effect } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import type { AccountId, PspCredentialId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"

/** How many accounts are read at once. */
const readAtOnce = 200
/** How many accounts are named in a line. */
const namedMax = 20

/** Accounts by their default PSP, where that is not configured. */
const find = Effect.gen(function* (): Effect.gen.Return<
  ReadonlyMap<PspCredentialId, ReadonlyArray<AccountId>>,
  StorageError,
  Storage | PspDirectory
> {
  const storage = yield* Storage
  const directory = yield* PspDirectory
  const lost = new Map<PspCredentialId, Array<AccountId>>()
  for (let after: AccountId | undefined; ;) {
    const page = yield* storage.list(AccountKind, {
      order: "asc",
      limit: readAtOnce,
      ...present({ after })
    })
    for (const { value } of page) {
      const usual = value.psps?.default
      if (value.status === "closed" || usual === undefined || directory.find(usual)) continue
      lost.set(usual, [...(lost.get(usual) ?? []), value.id])
    }
    after = page.at(-1)?.value.id
    if (page.length < readAtOnce) return lost
  }
})

/**
 * Says once, at a start, which accounts stand still because their default PSP has left the configuration (decision 0085).
 * In the background: nobody who is served waits for it.
 */
export const tellLostPsps = find.pipe(
  Effect.flatMap(
    Effect.forEach(([psp, accounts]) =>
      Effect.logError(
        "Accounts use a PSP that is not configured any more: their charges and withdrawals are refused, and what they began there waits. Configure it again, or give them another one: pagora account change <id> --psps <id>."
      ).pipe(
        Effect.annotateLogs({
          psp,
          accounts: accounts.length,
          named: accounts.slice(0, namedMax).join(" ")
        })
      )
    )
  ),
  Effect.catchCause((cause) =>
    Effect.logWarning("The PSPs of the accounts could not be looked at.", safeCause(cause))
  ),
  underGuard,
  Effect.forkScoped
)
