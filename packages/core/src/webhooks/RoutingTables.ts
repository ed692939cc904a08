import { Effect } from "effect"
import { Account, AccountKind } from "../accounts/Account.ts"
import { RoutingTable, RoutingTableKind, tableIdOf } from "../accounts/RoutingTable.ts"
import type { AccountId, WalletId } from "../kernel/Ids.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"

type Table = Kind.Versioned<RoutingTable>

/** The tables that say where the events of a wallet go: its own and its account's, which can be the same. */
export interface Tables {
  readonly own: Table
  readonly main: Table
}

/**
 * Reads the tables of wallets. They are there from the first question on, because what is not there cannot be rested on:
 * that of the main wallet begins with what stood in the account's row, and so do those of the wallets named there.
 */
export const makeRoutingTables = Effect.gen(function* () {
  const storage = yield* Storage
  const time = yield* ServiceTime

  const begin = Effect.fnUntraced(function* (account: Kind.Versioned<Account>, wallet: WalletId) {
    const { id, routes } = account.value
    const main = yield* storage.find(RoutingTableKind, tableIdOf(id))
    const known = main === undefined ? routes.map((route) => route.wallet) : []
    const wallets = new Set(main === undefined ? [id, ...known, wallet] : [wallet])
    yield* storage
      .commit({
        at: yield* time.now,
        inserts: [...wallets].map((of) =>
          RoutingTableKind.row(
            new RoutingTable({
              account: id,
              wallet: of,
              routes: main === undefined ? routes.filter((route) => route.wallet === of) : []
            })
          )
        ),
        // A process of the version before may be changing them there.
        expects: main === undefined ? [Kind.expectation(AccountKind, account)] : []
      })
      .pipe(
        refusedFor("StaleVersion", "DuplicateKey"),
        // Another process was faster.
        Effect.catchTag("DuplicateKey", () => new StaleVersion({ id: tableIdOf(wallet) }))
      )
  })

  const look = Effect.fnUntraced(function* (account: AccountId, wallet: WalletId) {
    const wanted = [...new Set([tableIdOf(wallet), tableIdOf(account)])]
    const found = yield* storage.findMany(RoutingTableKind, wanted)
    const own = found.find(({ value }) => value.wallet === wallet)
    const main = found.find(({ value }) => value.wallet === account)
    return own === undefined || main === undefined ? undefined : { own, main }
  })

  return Effect.fnUntraced(function* (
    account: AccountId,
    wallet: WalletId
  ): Effect.fn.Return<Tables, StorageError> {
    return yield* decideAgain(
      Effect.gen(function* () {
        const found = yield* look(account, wallet)
        if (found !== undefined) return found
        const owner = yield* storage.find(AccountKind, account)
        if (owner === undefined) return yield* Effect.die(new Error(`Account ${account} is gone.`))
        yield* begin(owner, wallet)
        return yield* new StaleVersion({ id: tableIdOf(wallet) })
      })
    )
  })
})

/** Takes routes of the version before out of the account's row, now that the tables say what they said. */
export const makeTakenOver = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* (id: AccountId) {
    const account = yield* storage.find(AccountKind, id)
    return account === undefined || account.value.routes.length === 0
      ? []
      : [Kind.update(AccountKind, account, new Account({ ...account.value, routes: [] }))]
  })
