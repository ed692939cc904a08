import { Effect, Schema } from "effect"
import type { SubAccountId, Uuid } from "../kernel/Ids.ts"
import { Centavos, zero } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import * as Kind from "../units/Kind.ts"
import type { NotEmpty, StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Account, AccountChange } from "./Account.ts"
import { AccountKind, changed } from "./Account.ts"
import { notActive } from "./NotActive.ts"
import type { SubAccount } from "./SubAccount.ts"
import { openedSubAccounts, SubAccountKind } from "./SubAccount.ts"

/** What stands in the way of closing an account: what its main wallet holds, and sub-accounts that are open. */
export class AccountNotEmpty extends Schema.TaggedError<AccountNotEmpty>()("AccountNotEmpty", {
  id: Schema.String,
  available: Centavos,
  held: Centavos,
  promotional: Centavos,
  /** What balance blocks claim. */
  claimed: Centavos,
  /** References of open sub-accounts, the first of them. */
  subAccounts: Schema.Array(Schema.String)
}) {}

/** How many open sub-accounts a refusal names. */
const namedMax = 10
/** Rows that are read at once. */
const readMax = 1_000

/** Changes accounts; closes them. */
export const makeChange = Effect.gen(function* () {
  const storage = yield* Storage
  const time = yield* ServiceTime

  const subAccountsOf = countSubAccounts(storage)

  const obstacles = Effect.fnUntraced(function* ({ id }: Account, subAccounts: Array<string>) {
    const wallet = yield* storage.wallet(id)
    return new AccountNotEmpty({
      id,
      available: wallet?.available ?? zero,
      held: wallet?.held ?? zero,
      promotional: wallet?.promotional ?? zero,
      claimed: wallet?.lien ?? zero,
      subAccounts: subAccounts.slice(0, namedMax)
    })
  })

  /** `subAccounts`: how many were looked at before a closing. One that was opened since is not passed over. */
  const write = Effect.fnUntraced(function* (
    current: Kind.Versioned<Account>,
    next: Account,
    subAccounts: bigint
  ): Effect.fn.Return<void, StaleVersion | NotEmpty | StorageError> {
    const { id, updatedAt: at } = next
    const isClosing = next.status === "closed"
    yield* storage
      .commit({
        at,
        updates: [Kind.update(AccountKind, current, next)],
        // Its main wallet has its id; the sub-accounts have been closed before.
        ...(isClosing
          ? {
              empty: [id],
              counters: [{ key: openedSubAccounts(id), add: 0n, max: subAccounts }],
              jobs: [{ _tag: "Schedule", queue: "closing", id, group: id, due: at } as const]
            }
          : {})
      })
      .pipe(
        refusedFor("StaleVersion", "NotEmpty", "LimitExceeded"),
        Effect.catchTag("LimitExceeded", () => new StaleVersion({ id }))
      )
  })

  return <E extends { readonly _tag: string }>(
    find: (id: Uuid) => Effect.Effect<Kind.Versioned<Account>, E | StorageError>
  ) =>
    Effect.fn("Accounts.change")(function* (id: Uuid, request: AccountChange) {
      return yield* decideAgain(
        Effect.gen(function* () {
          const current = yield* find(id)
          const next = changed(current.value, request, yield* time.now)
          if (next === undefined) return yield* notActive(current.value)
          if (next === current.value) return next
          const isClosing = next.status === "closed"
          const { count, open } = isClosing ? yield* subAccountsOf(next) : { count: 0n, open: [] }
          if (open.length > 0) return yield* yield* obstacles(next, open)
          yield* write(current, next, count).pipe(
            Effect.catchTag("NotEmpty", () => Effect.flatMap(obstacles(next, []), Effect.fail))
          )
          return next
        })
      )
    })
})

/** How many sub-accounts there are, closed ones included, and the references of those that are open. */
const countSubAccounts = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* ({ id: account }: Account) {
    const open: Array<string> = []
    let count = 0n
    for (let after: SubAccountId | undefined; ;) {
      const page: ReadonlyArray<Kind.Versioned<SubAccount>> = yield* storage.list(SubAccountKind, {
        account,
        ...present({ after }),
        order: "asc",
        limit: readMax
      })
      count += BigInt(page.length)
      for (const { value } of page) if (value.status !== "closed") open.push(value.reference)
      if (page.length < readMax) return { count, open }
      after = page.at(-1)?.value.id
    }
  })
