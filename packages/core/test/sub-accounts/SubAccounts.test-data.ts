import type { Journey } from "@pagora/testkit"
import { DateTime, Effect } from "effect"
import { SubAccount, SubAccountKind } from "../../src/accounts/SubAccount.ts"
import type { SubAccountId } from "../../src/kernel/Ids.ts"
import { Ids } from "../../src/time/Ids.ts"
import * as Kind from "../../src/units/Kind.ts"
import { Storage } from "../../src/storage/Storage.ts"

/** Opens a sub-account as its management does: a wallet of its own, and a reference that is unique in the account. */
export const opened = Effect.fnUntraced(function* (
  { shop }: Pick<Journey, "shop">,
  reference: string,
  settings: Partial<Pick<SubAccount, "status" | "fees">> = {}
) {
  const storage = yield* Storage
  const ids = yield* Ids
  const now = yield* DateTime.now
  const subAccount = new SubAccount({
    id: yield* ids.next<SubAccountId>(),
    account: shop.id,
    reference,
    name: reference,
    status: "approved",
    fees: {},
    createdAt: now,
    ...settings
  })
  yield* storage.commit({
    at: now,
    opens: [subAccount.id],
    inserts: [SubAccountKind.row(subAccount)],
    keys: [{ space: "sub_account", key: `${shop.id}/${reference}`, holder: subAccount.id }]
  })
  return subAccount
})

/** Puts a sub-account into a status, whatever it holds. */
export const subAccountBecomes = Effect.fnUntraced(function* (
  { shop }: Pick<Journey, "shop">,
  reference: string,
  status: SubAccount["status"]
) {
  const storage = yield* Storage
  const key = { _tag: "Key", space: "sub_account", key: `${shop.id}/${reference}` } as const
  const found = yield* storage.resolve(key)
  const current = found && (yield* storage.find(SubAccountKind, found))
  if (current === undefined) return yield* Effect.die(new Error(`There is no ${reference}.`))
  yield* storage.commit({
    at: yield* DateTime.now,
    updates: [Kind.update(SubAccountKind, current, new SubAccount({ ...current.value, status }))]
  })
})

/** Calls of the shop as one of its sub-accounts. */
export const as = ({ shop }: Pick<Journey, "shop">, reference: string) => {
  const headers = { "x-sub-account": reference }
  return {
    call: <const Method extends string, const Path extends string>(
      method: Method,
      path: Path,
      body?: unknown
    ) => shop.call(method, path, { headers, ...(body === undefined ? {} : { body }) }),
    available: Effect.map(
      shop.call("GET", "/account", { headers }),
      ({ json }) => json.balance.available.amount
    )
  }
}
