import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { AccountId, Uuid, WalletId } from "../kernel/Ids.ts"
import { LedgerTxId } from "../kernel/Ids.ts"
import { CentavosString, negated } from "../kernel/Money.ts"
import { Recent } from "../kernel/Recent.ts"
import { present } from "../kernel/Present.ts"
import { available, equity, promotional } from "../ledger/LedgerAccount.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { credit, debit, post, spend } from "../ledger/LedgerTx.ts"
import type { Wallet } from "../ledger/Wallet.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import { hasPsp, PspDirectory } from "../ports/Psp.ts"
import type { InsufficientFunds, StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { PageRead } from "../ports/StorageDriver.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { AccountChange, PspChoice } from "./Account.ts"
import { Account, AccountKind } from "./Account.ts"
import type { AccountNotEmpty } from "./AccountChanges.ts"
import { makeChange } from "./AccountChanges.ts"
import type { ActingWallet } from "./ActingWallet.ts"
import { walletOf } from "./ActingWallet.ts"
import type { NotActive } from "./NotActive.ts"
import { mayReceive } from "./NotActive.ts"
import type { SubAccount } from "./SubAccount.ts"
import { principal, SubAccountKind } from "./SubAccount.ts"

export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {
  id: Schema.String
}) {}

export class SubAccountNotFound extends Schema.TaggedError<SubAccountNotFound>()(
  "SubAccountNotFound",
  {
    reference: Schema.String
  }
) {}

/** No PSP is configured under this id, so that no account can use it. */
export class PspNotConfigured extends Schema.TaggedError<PspNotConfigured>()("PspNotConfigured", {
  id: Schema.String
}) {}

export interface NewAccount {
  readonly name: string
  readonly document?: string
  readonly fees?: Account["fees"]
  readonly policy?: Partial<Account["policy"]>
  readonly limits?: Account["limits"]
  readonly psps?: PspChoice
}

/** The wallet of a reference: as this process knew it last, and as it turns out to be now. */
export interface ClaimedWallet {
  readonly known: ActingWallet | undefined
  /** With the same sub-account as `known`, where nothing has changed. */
  readonly live: Effect.Effect<ActingWallet, SubAccountNotFound | StorageError>
}

/** Sub-accounts that a process knows: those that it saw last, up to twice as many. */
const knownMax = 5_000

/** An adjustment under the id of its transaction. */
const BookedAdjustment = Schema.Struct({
  id: LedgerTxId,
  amount: CentavosString,
  bucket: Schema.Literals(["available", "promotional"]),
  reason: Schema.String
})
export type BookedAdjustment = typeof BookedAdjustment.Type
export type Adjustment = Omit<BookedAdjustment, "id">

const adjustmentCodec = Schema.fromJsonString(BookedAdjustment)
const encodeAdjustment = Schema.encodeSync(adjustmentCodec)
/** What an adjustment was answered, of its snapshot. */
export const adjustmentFrom = Schema.decodeUnknownSync(adjustmentCodec)

/** Accounts, their configuration and what they hold. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly create: (
      account: NewAccount,
      key?: IdempotencyKey
    ) => Effect.Effect<Account, PspNotConfigured | IdempotencyKeyTaken | StorageError>
    readonly find: (
      id: Uuid
    ) => Effect.Effect<Kind.Versioned<Account>, AccountNotFound | StorageError>
    /** Newest first. */
    readonly page: (
      query: PageRead & { readonly status?: Account["status"] }
    ) => Effect.Effect<ReadonlyArray<Account>, StorageError>
    /**
     * Named schedules, limits and PSPs are replaced whole; what is not named stays. Closing one that holds nothing, with no
     * open sub-account, begins the end of its pending charges: from this commit on nothing is credited to it.
     */
    readonly change: (
      id: Uuid,
      change: AccountChange
    ) => Effect.Effect<
      Account,
      AccountNotFound | NotActive | AccountNotEmpty | PspNotConfigured | StorageError
    >
    /** The wallet of a reference; `principal` or none is the main one. */
    readonly acting: (
      account: Kind.Versioned<Account>,
      reference: string | undefined
    ) => Effect.Effect<ActingWallet, SubAccountNotFound | StorageError>
    /** Asks for it now, and does not wait for the answer. */
    readonly beginActing: (
      account: Kind.Versioned<Account>,
      reference: string | undefined
    ) => Effect.Effect<ClaimedWallet>
    readonly balance: (wallet: WalletId) => Effect.Effect<Wallet, StorageError>
    /** A correction by the operator; it may not take more than is spendable, and not touch what is closed. */
    readonly adjust: (
      acting: ActingWallet,
      adjustment: Adjustment,
      key?: IdempotencyKey
    ) => Effect.Effect<
      BookedAdjustment,
      InsufficientFunds | NotActive | IdempotencyKeyTaken | StorageError
    >
  }
>()("@pagora/core/accounts/Accounts") {
  static readonly layer: Layer.Layer<Accounts, never, Storage | PspDirectory | Ids | ServiceTime> =
    Layer.effect(
      Accounts,
      Effect.gen(function* () {
        const storage = yield* Storage
        const directory = yield* PspDirectory
        const ids = yield* Ids
        const time = yield* ServiceTime

        const create = Effect.fn("Accounts.create")(function* (
          request: NewAccount,
          key?: IdempotencyKey
        ) {
          yield* refuseUnconfigured(directory, request.psps)
          const now = yield* time.now
          const id = yield* ids.next<AccountId>()
          const account = opened(request, id, now)
          yield* storage
            .commit({
              at: now,
              opens: [id],
              inserts: [AccountKind.row(account)],
              ...begun(key, id, AccountKind.snapshot(account))
            })
            .pipe(keyTaken, refusedFor())
          return account
        })

        const find = Effect.fnUntraced(function* (id: Uuid) {
          const account = yield* storage.find(AccountKind, id)
          return account === undefined ? yield* new AccountNotFound({ id }) : account
        })

        const page: Accounts["Service"]["page"] = (query) =>
          Effect.map(storage.list(AccountKind, { ...query, order: "desc" }), (rows) =>
            rows.map(({ value }) => value)
          )

        const write = (yield* makeChange)(find)
        const change: Accounts["Service"]["change"] = (id, request) =>
          Effect.andThen(refuseUnconfigured(directory, request.psps), write(id, request))

        const balance = Effect.fnUntraced(function* (id: WalletId) {
          const wallet = yield* storage.wallet(id)
          return wallet ?? (yield* Effect.die(new Error(`Wallet ${id} is gone.`)))
        })

        const adjust = yield* makeAdjust
        return Accounts.of({ create, find, page, change, ...actingIn(storage), balance, adjust })
      })
    )
}

const makeAdjust = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  const time = yield* ServiceTime

  return Effect.fn("Accounts.adjust")(function* (
    wallet: ActingWallet,
    adjustment: Adjustment,
    key?: IdempotencyKey
  ) {
    const id = yield* ids.next<LedgerTxId>()
    const tx = adjustmentTx(wallet, adjustment, id)
    const booked = { id, ...adjustment }
    return yield* decideAgain(
      Effect.gen(function* () {
        const account = yield* storage.find(AccountKind, wallet.account.value.id)
        // What comes back late to a closed account can still be taken out of it.
        if (adjustment.amount > 0n)
          yield* Effect.fromResult(mayReceive({ account: account?.value }))
        const owner =
          wallet.subAccount && (yield* storage.find(SubAccountKind, wallet.subAccount.value.id))
        yield* Effect.fromResult(mayReceive({ subAccount: owner?.value }))
        yield* storage
          .commit({
            at: yield* time.now,
            ledger: [tx],
            expects: [
              ...(account === undefined ? [] : [Kind.expectation(AccountKind, account)]),
              ...(owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)])
            ],
            ...begun(key, id, encodeAdjustment(booked))
          })
          .pipe(keyTaken, refusedFor("InsufficientFunds", "StaleVersion"))
        return booked
      })
    )
  })
})

const actingIn = (
  storage: Storage["Service"]
): Pick<Accounts["Service"], "acting" | "beginActing"> => {
  const known = new Recent<string, Kind.Versioned<SubAccount>>(knownMax)
  const beginNamed = Effect.fnUntraced(function* (
    account: Kind.Versioned<Account>,
    reference: string
  ): Effect.fn.Return<ClaimedWallet> {
    const key = `${account.value.id}/${reference}`
    const name = { _tag: "Key", space: "sub_account", key } as const
    const looked = yield* storage.beginLook([SubAccountKind], name)
    const last = known.get(key)
    return {
      known: last && { account, subAccount: last },
      live: Effect.gen(function* () {
        const subAccount = (yield* looked)?.entity
        if (subAccount === undefined) return yield* new SubAccountNotFound({ reference })
        if (last !== undefined && Kind.isAsRead(last, subAccount))
          return { account, subAccount: last }
        known.set(key, subAccount)
        return { account, subAccount }
      })
    }
  })
  const beginActing: Accounts["Service"]["beginActing"] = (account, reference) => {
    if (reference !== undefined && reference !== principal) return beginNamed(account, reference)
    const acting = { account, subAccount: undefined }
    return Effect.succeed({ known: acting, live: Effect.succeed(acting) })
  }
  return {
    beginActing,
    acting: (account, reference) =>
      Effect.flatMap(beginActing(account, reference), ({ live }) => live)
  }
}

const refuseUnconfigured = (
  directory: PspDirectory["Service"],
  psps: PspChoice | undefined
): Effect.Effect<void, PspNotConfigured> => {
  const unknown = psps?.allowed.find((id) => !hasPsp(directory, id))
  return unknown === undefined ? Effect.void : Effect.fail(new PspNotConfigured({ id: unknown }))
}

const opened = (request: NewAccount, id: AccountId, now: DateTime.Utc): Account =>
  new Account({
    id,
    name: request.name,
    ...present({ document: request.document }),
    status: "approved",
    fees: request.fees ?? {},
    policy: { blockCnpjPayers: false, onUnknownPayer: "accept", ...request.policy },
    limits: request.limits ?? {},
    ...present({ psps: request.psps }),
    routes: [],
    createdAt: now,
    updatedAt: now
  })

const adjustmentTx = (acting: ActingWallet, adjustment: Adjustment, id: LedgerTxId): LedgerTx => {
  const wallet = walletOf(acting)
  const account = acting.account.value.id
  const bucket = adjustment.bucket === "available" ? available(wallet) : promotional(wallet)
  const size = adjustment.amount < 0n ? negated(adjustment.amount) : adjustment.amount
  return post({
    id,
    kind: "adjustment",
    account,
    wallet,
    source: id,
    leg: 0,
    amount: adjustment.amount,
    document: JSON.stringify({ description: adjustment.reason }),
    postings:
      adjustment.amount < 0n
        ? [
            adjustment.bucket === "available" ? spend(bucket, size) : debit(bucket, size),
            credit(equity(account), size)
          ]
        : [debit(equity(account), size), credit(bucket, size)]
  })
}
