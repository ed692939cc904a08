import type { DateTime } from "effect"
import { Context, Effect, Layer, Schema } from "effect"
import { ChargeKind } from "../charges/Charge.ts"
import type { AccountId, LedgerTxId, Uuid, WalletId } from "../kernel/Ids.ts"
import { idsAt } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { otherWalletOf } from "../ledger/LedgerTx.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Looked } from "../storage/ReadDoor.ts"
import { Storage } from "../storage/Storage.ts"
import type { IdRange } from "../ports/StorageDriver.ts"
import { ReturnKind } from "../returns/Return.ts"
import { lookupOf } from "./Lookups.ts"
import type {
  Transaction,
  TransactionStatus,
  TransactionType
} from "../transactions/Transaction.ts"
import { bookedTypes, ofLedgerTx } from "./ShownTransaction.ts"
import type { ShownOperation } from "./TransactionKind.ts"
import { transactionKinds } from "./TransactionKind.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

export class TransactionNotFound extends Schema.TaggedError<TransactionNotFound>()(
  "TransactionNotFound",
  {
    id: Schema.String
  }
) {}

/** Which transactions of a wallet are wanted, from just after one of them, newest first. */
export interface TransactionQuery {
  readonly type?: TransactionType
  readonly status?: TransactionStatus
  readonly externalReference?: string
  /** Made at this instant or later. */
  readonly from?: DateTime.Utc
  /** Made at this instant or before. */
  readonly to?: DateTime.Utc
  readonly after?: Uuid
  readonly limit: number
}

/** Whose transactions: those of one wallet, or of an account over all its wallets. */
export type TransactionScope = { readonly wallet: WalletId } | { readonly account: AccountId }

/** A transaction, and the wallet in whose statement it stands: of one between two wallets, the one that it leaves. */
export interface WalletTransaction {
  readonly wallet: WalletId | null
  readonly transaction: Transaction
}

export interface TransactionPage {
  readonly transactions: ReadonlyArray<Transaction>
  /** What to go on after; undefined at the end. */
  readonly next: Uuid | undefined
}

/** The requests that create a transaction by a path of their own: the scopes of their Idempotency-Keys. */
const creations = ["POST /pix", "POST /withdrawals", "POST /internal-transfers"]

/** How often more is read for one page, where much of what is stored is no transaction of its own. */
const readsMax = 10

/** Reads what happened in a wallet. */
export class Transactions extends Context.Service<
  Transactions,
  {
    /** By the transaction's id, then the caller's reference, then the Idempotency-Key (spec, Endpoint rules 2). */
    readonly find: (
      wallet: WalletId,
      name: string
    ) => Effect.Effect<Transaction, TransactionNotFound | StorageError>
    /** Newest first. What comes later never moves a page that was read. */
    readonly list: (
      wallet: WalletId,
      query: TransactionQuery
    ) => Effect.Effect<TransactionPage, StorageError>
    /** The same of one wallet or of all wallets of an account, each with its wallet. */
    readonly history: (
      scope: TransactionScope,
      query: TransactionQuery
    ) => Effect.Effect<
      { readonly lines: ReadonlyArray<WalletTransaction>; readonly next: Uuid | undefined },
      StorageError
    >
    /** By the transaction's id alone. */
    readonly findById: (
      wallet: WalletId,
      id: Uuid
    ) => Effect.Effect<Transaction, TransactionNotFound | StorageError>
  }
>()("@pagora/core/history/Transactions") {
  static readonly layer: Layer.Layer<Transactions, never, Storage> = Layer.effect(
    Transactions,
    Effect.gen(function* () {
      const storage = yield* Storage
      const shown = showing(storage)
      const shownAlone = showingOne(storage)

      const ofLedger = Effect.fnUntraced(function* (wallet: WalletId, id: Uuid) {
        const tx = yield* storage.ledgerTx(id as LedgerTxId)
        const isOurs = tx?.wallet === wallet || (tx && otherWalletOf(tx) === wallet)
        return tx === undefined || !isOurs ? undefined : ofLedgerTx(tx)
      })

      const ofFound = (
        wallet: WalletId,
        { entity, id }: Pick<Looked<ShownOperation>, "entity" | "id">
      ): Effect.Effect<Transaction | undefined, StorageError> =>
        // An Idempotency-Key may lead to a movement between two other wallets of the account.
        entity?.value.wallet === wallet ? shownAlone(entity.value) : ofLedger(wallet, id)

      /** The newest of those that were created with a key, where the key was used for something else since. */
      const createdWith = Effect.fnUntraced(function* (wallet: WalletId, key: string) {
        const records = yield* Effect.forEach(
          creations,
          (route) => storage.idempotency({ wallet, route, key }),
          { concurrency: "unbounded" }
        )
        const ids = records.flatMap((record) => record?.entity ?? []).toSorted()
        const newest = ids.at(-1)
        if (newest === undefined) return undefined
        const operation = yield* storage.findAny(transactionKinds, newest)
        return yield* ofFound(wallet, { id: newest, entity: operation })
      })

      const find = spannedFn("Transactions.find")(function* (wallet: WalletId, name: string) {
        const lookup = lookupOf(wallet, name)
        const found = lookup && (yield* storage.look(transactionKinds, lookup))
        const transaction =
          found && ((yield* ofFound(wallet, found)) ?? (yield* createdWith(wallet, name)))
        return transaction ?? (yield* new TransactionNotFound({ id: name }))
      })

      const findById = Effect.fnUntraced(function* (wallet: WalletId, id: Uuid) {
        const found = yield* storage.look(transactionKinds, { _tag: "Name", wallet, id })
        const transaction = found && (yield* ofFound(wallet, found))
        return transaction ?? (yield* new TransactionNotFound({ id }))
      })

      const history = historyIn(linesIn(storage, shown))
      const list = spannedFn("Transactions.list")(function* (
        wallet: WalletId,
        query: TransactionQuery
      ) {
        const { lines, next } = yield* history({ wallet }, query)
        return { transactions: lines.map(({ transaction }) => transaction), next }
      })
      return Transactions.of({ find, findById, history, list })
    })
  )
}

interface Line extends Pick<WalletTransaction, "wallet"> {
  readonly id: Uuid
  readonly transaction: Transaction | undefined
}

/** Reads until a page is full. */
const historyIn = (linesOf: ReturnType<typeof linesIn>) =>
  Effect.fn("Transactions.history")(function* (scope: TransactionScope, query: TransactionQuery) {
    // One more than asked for tells whether there is a next page.
    const wanted = query.limit + 1
    const page: Array<WalletTransaction> = []
    let after = query.after
    for (let reads = 0; reads < readsMax; reads++) {
      const read = yield* linesOf(scope, { ...query, limit: wanted }, after)
      page.push(
        ...read.lines.flatMap(({ transaction, wallet }) =>
          transaction === undefined ? [] : { transaction, wallet }
        )
      )
      if (page.length >= wanted || read.isEnd) {
        const lines = page.slice(0, query.limit)
        return {
          lines,
          next: page.length > query.limit ? lines.at(-1)?.transaction.id : undefined
        }
      }
      after = read.lines.at(-1)?.id
    }
    return { lines: page, next: after }
  })

/** An operation as a transaction, with the others that it is shown with. */
const showingOne =
  (storage: Storage["Service"], together = showingTogether(storage)) =>
  ({
    related,
    transaction
  }: ShownOperation): Effect.Effect<Transaction | undefined, StorageError> =>
    related.returning === undefined && related.charge === undefined
      ? Effect.succeed(transaction({ returning: undefined, charge: undefined }))
      : together({ related, transaction })

const showingTogether = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* ({
    related,
    transaction
  }: Pick<ShownOperation, "related" | "transaction">): Effect.fn.Return<
    Transaction | undefined,
    StorageError
  > {
    const returning = related.returning && (yield* storage.begin(ReturnKind, related.returning))
    const charge = related.charge && (yield* storage.begin(ChargeKind, related.charge))
    return transaction({
      returning: returning && (yield* returning)?.value,
      charge: charge && (yield* charge)?.value
    })
  })

/** Operations as transactions, with the others that they are shown with. */
const showing = (storage: Storage["Service"]) => {
  const idsOf = <Id>(ids: ReadonlyArray<Id | undefined>): ReadonlyArray<Id> => [
    ...new Set(ids.filter((id) => id !== undefined))
  ]
  const byId = <A extends { readonly id: Uuid }>(found: ReadonlyArray<{ readonly value: A }>) =>
    new Map<Uuid, A>(found.map(({ value }) => [value.id, value]))

  return Effect.fnUntraced(function* (
    operations: ReadonlyArray<ShownOperation>
  ): Effect.fn.Return<ReadonlyArray<Line>, StorageError> {
    const returns = idsOf(operations.map(({ related }) => related.returning))
    const charges = idsOf(operations.map(({ related }) => related.charge))
    const none = Effect.succeed([])
    const [returning, paid] = yield* Effect.all(
      [
        returns.length === 0 ? none : storage.findMany(ReturnKind, returns),
        charges.length === 0 ? none : storage.findMany(ChargeKind, charges)
      ],
      { concurrency: "unbounded" }
    )
    const [returnOf, chargeOf] = [byId(returning), byId(paid)]
    return operations.map(({ id, related, transaction, wallet }) => ({
      id,
      wallet,
      transaction: transaction({
        returning: related.returning && returnOf.get(related.returning),
        charge: related.charge && chargeOf.get(related.charge)
      })
    }))
  })
}

/** Operations and movements in one order, from just after one of them. */
const linesIn = (storage: Storage["Service"], shown: ReturnType<typeof showing>) =>
  Effect.fnUntraced(function* (
    scope: TransactionScope,
    query: TransactionQuery,
    after: Uuid | undefined
  ): Effect.fn.Return<
    { readonly lines: ReadonlyArray<Line>; readonly isEnd: boolean },
    StorageError
  > {
    const page = {
      ...scope,
      order: "desc",
      limit: query.limit,
      ...rangeOf(query),
      ...present({ after })
    } as const
    const { externalReference: ref } = query
    const kinds = bookedOf(query)
    const [operations, movements] = yield* Effect.all(
      [
        storage.operations({
          ...page,
          kinds: kindsOf(query),
          ...present({ ref })
        }),
        kinds.length === 0 ? Effect.succeed([]) : storage.movements({ ...page, kinds })
      ],
      { concurrency: "unbounded" }
    )
    const booked = movements.map((tx): Line => {
      const { id, wallet } = tx
      return { id, wallet, transaction: ofLedgerTx(tx) }
    })
    const all = [...(yield* shown(operations)), ...booked].toSorted((left, right) =>
      left.id < right.id ? 1 : left.id > right.id ? -1 : 0
    )
    const lines = all.slice(0, query.limit)
    return {
      // A transfer has the id of its booking, and tells more.
      lines: lines.filter(({ id }, index) => id !== lines[index - 1]?.id),
      isEnd: all.length < query.limit
    }
  })

const rangeOf = ({ from, to }: TransactionQuery): IdRange =>
  present({ first: from && idsAt(from).first, last: to && idsAt(to).last })

/** The kinds of operation that may match, each with the statuses that do. */
const kindsOf = ({ status, type }: TransactionQuery) =>
  transactionKinds
    .filter((kind) => type === undefined || kind.type === type)
    .map((kind) => {
      const known = Object.keys(kind.statuses)
      const statuses = status && known.filter((name) => kind.statuses[name] === status)
      return { kind, ...present({ statuses }) }
    })
    .filter(({ statuses }) => statuses === undefined || statuses.length > 0)

/** The bookings that may match: they are completed as soon as they are there, and carry no reference. */
const bookedOf = ({ externalReference, status, type }: TransactionQuery) =>
  externalReference !== undefined || (status !== undefined && status !== "completed")
    ? []
    : bookedTypes.filter((kind) => type === undefined || kind === type)
