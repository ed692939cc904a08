import { Context, Effect, Layer, Schema } from "effect"
import type { NotActive } from "../accounts/NotActive.ts"
import { mayStart, notActive } from "../accounts/NotActive.ts"
import type { AccountId, SubAccountId, WalletId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { PageRead } from "../ports/StorageDriver.ts"
import type { Account } from "../accounts/Account.ts"
import { AccountKind } from "../accounts/Account.ts"
import { Accounts, SubAccountNotFound } from "../accounts/Accounts.ts"
import type { SubAccountChange } from "../accounts/SubAccount.ts"
import {
  changed,
  openedSubAccounts,
  principal,
  referencePattern,
  SubAccount,
  SubAccountKind
} from "../accounts/SubAccount.ts"

/** Sub-accounts of one account, closed ones included. */
const subAccountsMax = 10_000n
/** Rows that are read at once. */
const readMax = 1_000

export interface NewSubAccount {
  readonly reference: string
  readonly name: string
}

/** The reference is reserved, or has another form than references have. */
export class InvalidReference extends Schema.TaggedError<InvalidReference>()("InvalidReference", {
  reference: Schema.String
}) {}

/** The account has, or had, a sub-account of this reference. */
export class ReferenceTaken extends Schema.TaggedError<ReferenceTaken>()("ReferenceTaken", {
  reference: Schema.String
}) {}

export class TooManySubAccounts extends Schema.TaggedError<TooManySubAccounts>()(
  "TooManySubAccounts",
  { max: Schema.Int }
) {}

/** It holds something, and cannot be closed. */
export class SubAccountNotEmpty extends Schema.TaggedError<SubAccountNotEmpty>()(
  "SubAccountNotEmpty",
  { reference: Schema.String }
) {}

/** Sub-accounts: opening them, listing them, and what the operator does to them. */
export class SubAccounts extends Context.Service<
  SubAccounts,
  {
    /** Approved at once, with an empty wallet of its own. */
    readonly create: (
      account: Account,
      request: NewSubAccount,
      key?: IdempotencyKey
    ) => Effect.Effect<
      SubAccount,
      | InvalidReference
      | ReferenceTaken
      | TooManySubAccounts
      | NotActive
      | IdempotencyKeyTaken
      | StorageError
    >
    /** All of them, oldest first. */
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<SubAccount>, StorageError>
    /** Newest first. */
    readonly page: (
      account: AccountId,
      page: PageRead
    ) => Effect.Effect<ReadonlyArray<SubAccount>, StorageError>
    /** The references of those wallets that are a sub-account's. */
    readonly references: (
      wallets: ReadonlyArray<WalletId>
    ) => Effect.Effect<ReadonlyMap<WalletId, string>, StorageError>
    /**
     * Closing one that holds nothing begins the end of its pending charges: from this commit on nothing is credited
     * to it, and a worker cancels them here and at the PSP.
     */
    readonly change: (
      account: Kind.Versioned<Account>,
      reference: string,
      change: SubAccountChange
    ) => Effect.Effect<
      SubAccount,
      SubAccountNotFound | NotActive | SubAccountNotEmpty | StorageError
    >
  }
>()("@pagora/core/sub-accounts/SubAccounts") {
  static readonly layer: Layer.Layer<SubAccounts, never, Accounts | Storage | Ids | ServiceTime> =
    Layer.effect(
      SubAccounts,
      Effect.gen(function* () {
        const storage = yield* Storage

        const read = (query: Parameters<typeof storage.list>[1]) =>
          Effect.map(storage.list(SubAccountKind, query), (rows) => rows.map(({ value }) => value))

        const list = Effect.fn("SubAccounts.list")(function* (account: AccountId) {
          const all: Array<SubAccount> = []
          for (;;) {
            const last = all.at(-1)
            const some: ReadonlyArray<SubAccount> = yield* read({
              account,
              ...present({ after: last?.id }),
              order: "asc",
              limit: readMax
            })
            all.push(...some)
            if (some.length < readMax) return all
          }
        })

        const references: SubAccounts["Service"]["references"] = (wallets) =>
          wallets.length === 0
            ? Effect.succeed(new Map())
            : Effect.map(
                storage.findMany(SubAccountKind, wallets),
                (found) => new Map(found.map(({ value }) => [value.id, value.reference]))
              )
        return SubAccounts.of({
          create: yield* makeCreate,
          list,
          page: (account, page) => read({ ...page, account, order: "desc" }),
          references,
          change: yield* makeChange
        })
      })
    )
}

const makeCreate = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  const time = yield* ServiceTime

  const attempt = Effect.fnUntraced(function* (
    { id: accountId }: Account,
    { name, reference }: NewSubAccount,
    key?: IdempotencyKey
  ) {
    // As it is now: whoever closes the account must not miss a sub-account that is being opened.
    const current = yield* storage.find(AccountKind, accountId)
    if (current === undefined) return yield* Effect.die(new Error(`Account ${accountId} is gone.`))
    const { value: account } = current
    yield* Effect.fromResult(mayStart({ account }))
    const id = yield* ids.next<SubAccountId>()
    const createdAt = yield* time.now
    const subAccount = new SubAccount({
      id,
      account: account.id,
      reference,
      name,
      status: "approved",
      fees: {},
      createdAt
    })
    yield* storage
      .commit({
        at: createdAt,
        opens: [id],
        inserts: [SubAccountKind.row(subAccount)],
        expects: [Kind.expectation(AccountKind, current)],
        keys: [{ space: "sub_account", key: `${account.id}/${reference}`, holder: id }],
        counters: [{ key: openedSubAccounts(account.id), add: 1n, max: subAccountsMax }],
        ...begun(key, id, SubAccountKind.snapshot(subAccount))
      })
      .pipe(
        keyTaken,
        refusedFor("DuplicateKey", "LimitExceeded", "StaleVersion"),
        Effect.catchTags({
          DuplicateKey: () => new ReferenceTaken({ reference }),
          LimitExceeded: () => new TooManySubAccounts({ max: Number(subAccountsMax) })
        })
      )
    return subAccount
  })

  return Effect.fn("SubAccounts.create")(function* (
    account: Account,
    request: NewSubAccount,
    key?: IdempotencyKey
  ) {
    const { reference } = request
    if (reference === principal || !referencePattern.test(reference))
      return yield* new InvalidReference({ reference })
    return yield* decideAgain(attempt(account, request, key))
  })
})

const makeChange = Effect.gen(function* () {
  const accounts = yield* Accounts
  const storage = yield* Storage
  const time = yield* ServiceTime

  return Effect.fn("SubAccounts.change")(function* (
    account: Kind.Versioned<Account>,
    reference: string,
    change: SubAccountChange
  ) {
    return yield* decideAgain(
      Effect.gen(function* () {
        const { subAccount: current } = yield* accounts.acting(account, reference)
        if (current === undefined) return yield* new SubAccountNotFound({ reference })
        const at = yield* time.now
        const next = changed(current.value, change, at)
        if (next === undefined) return yield* notActive(current.value)
        if (next === current.value) return next
        const { id } = next
        const group = account.value.id
        yield* storage
          .commit({
            at,
            updates: [Kind.update(SubAccountKind, current, next)],
            ...(next.status === "closed"
              ? {
                  empty: [id],
                  jobs: [{ _tag: "Schedule", queue: "closing", id, group, due: at } as const]
                }
              : {})
          })
          .pipe(
            refusedFor("StaleVersion", "NotEmpty"),
            Effect.catchTag("NotEmpty", () => new SubAccountNotEmpty({ reference }))
          )
        return next
      })
    )
  })
})
