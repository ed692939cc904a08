import type {
  AccountId,
  AttemptRow,
  Centavos,
  DeliveryId,
  EventRow,
  IdempotencyScope,
  LedgerTxId,
  PspCredentialId,
  Row,
  Unit,
  UnitId,
  Uuid,
  WalletId
} from "@pagora/core"
import { Facts, LedgerAccount, LedgerTx, Storage, StorageDriver } from "@pagora/core"
import { assert } from "@effect/vitest"
import type { Scope } from "effect"
import { Cause, DateTime, Effect, Exit } from "effect"

/** What must hold of every storage. */
export interface StorageLaw {
  /** Reads as a sentence, for it is the name of the test. */
  readonly title: string
  readonly proof: Effect.Effect<void, unknown, Storage | StorageDriver | Scope.Scope>
}

let lastMillis = 0
let count = 0

/**
 * An id that nothing in the storage has, in the order they are made. Every law builds its own world of them,
 * so that suites can share one database.
 */
export const newId = <Id extends Uuid>(): Id => {
  const millis = Date.now()
  if (millis > lastMillis) {
    lastMillis = millis
    count = 0
  } else if (++count > 0xfff) {
    lastMillis++
    count = 0
  }
  const time = lastMillis.toString(16).padStart(12, "0")
  const tail = crypto.randomUUID().slice(19)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}-${tail}` as Id
}

/** A text that nothing in the storage has. */
export const newName = (): string => crypto.randomUUID()

/** Business time in the laws, so many seconds after its beginning. */
export const at = (seconds: number): DateTime.Utc =>
  DateTime.makeUnsafe(Date.UTC(2031, 2, 4, 5, 6, 7, 89) + seconds * 1_000)

export const brl = (amount: bigint): Centavos => amount as Centavos

export const unitOf = (...parts: ReadonlyArray<Partial<Unit>>): Unit => {
  const unit: Record<string, unknown> = { id: newId<UnitId>(), at: at(0) }
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    const known = unit[name]
    unit[name] = Array.isArray(known) && Array.isArray(value) ? [...known, ...value] : value
  }
  return unit as unknown as Unit
}

export const rowOf = (parts: Partial<Row> = {}): Row => ({
  table: "operation",
  id: newId(),
  kind: "thing",
  account: newId(),
  wallet: newId(),
  status: "new",
  amount: null,
  ref: null,
  document: "{}",
  ...parts
})

export const scopeOf = (parts: Partial<IdempotencyScope> = {}): IdempotencyScope => ({
  wallet: newId(),
  route: "POST /pix",
  key: newName(),
  ...parts
})

/** The part of a unit that begins an Idempotency-Key, by default for a day. */
export const beginning = (
  scope: IdempotencyScope,
  options: {
    readonly entity?: Uuid
    readonly seconds?: number
    readonly expiresIn?: number
    /** By when the one before must have been over, where that is not when it is begun. */
    readonly asOf?: number
  } = {}
): Pick<Unit, "at" | "idempotency"> => {
  const { asOf, entity = newId(), expiresIn = 86_400, seconds = 0 } = options
  return {
    at: at(seconds),
    idempotency: {
      _tag: "Begin",
      scope,
      fingerprint: "digest",
      entity,
      expiresAt: at(seconds + expiresIn),
      ...(asOf === undefined ? {} : { asOf: at(asOf) }),
      snapshot: null
    }
  }
}

/** The account of a PSP at which the laws' money comes in and goes out: it has no floor. */
export const outside = LedgerAccount.pspClearing(newId<PspCredentialId>())

/** The part of a unit that moves money. */
export const movement = (
  wallet: WalletId,
  amount: bigint,
  postings: ReadonlyArray<LedgerTx.Posting>
): { readonly ledger: readonly [LedgerTx.LedgerTx] } => ({
  ledger: [
    LedgerTx.post({
      id: newId<LedgerTxId>(),
      kind: "adjustment",
      account: wallet as Uuid as AccountId,
      wallet,
      source: newId(),
      leg: 0,
      amount: brl(amount),
      document: null,
      postings
    })
  ]
})

/** Money from outside, into the available bucket unless told otherwise. */
export const moneyIn = (wallet: WalletId, amount: bigint, into = LedgerAccount.available(wallet)) =>
  movement(wallet, amount, [
    LedgerTx.debit(outside, brl(amount)),
    LedgerTx.credit(into, brl(amount))
  ])

/** Money that the wallet's owner spends. */
export const moneyOut = (wallet: WalletId, amount: bigint) =>
  movement(wallet, amount, [
    LedgerTx.spend(LedgerAccount.available(wallet), brl(amount)),
    LedgerTx.credit(outside, brl(amount))
  ])

/** Money that one owner gives another. */
export const transfer = (from: WalletId, to: WalletId, amount: bigint) =>
  movement(from, amount, [
    LedgerTx.spend(LedgerAccount.available(from), brl(amount)),
    LedgerTx.credit(LedgerAccount.available(to), brl(amount))
  ])

export const commit = (...parts: ReadonlyArray<Partial<Unit>>) =>
  Storage.use((storage) => storage.commit(unitOf(...parts)))

/** The unit must be refused; answers how. */
export const refusal = (...parts: ReadonlyArray<Partial<Unit>>) => Effect.flip(commit(...parts))

/** A wallet that holds so much, all of it available. */
export const aWallet = Effect.fnUntraced(function* (available = 0n) {
  const id = newId<WalletId>()
  yield* commit({ opens: [id] })
  if (available > 0n) yield* commit(moneyIn(id, available))
  return id
})

/** A row that is stored, at version 1. */
export const aRow = Effect.fnUntraced(function* (parts: Partial<Row> = {}) {
  const row = rowOf(parts)
  yield* commit({ inserts: [row] })
  return row
})

export const walletOf = Effect.fnUntraced(function* (id: WalletId) {
  const wallet = yield* Storage.use((storage) => storage.wallet(id))
  return wallet ?? assert.fail(`The storage has no wallet ${id}.`)
})

/** What the wallet has available. */
export const availableOf = (id: WalletId) => Effect.map(walletOf(id), (wallet) => wallet.available)

/** What the storage knows about everything that these parts ask about. */
export const factsOf = (...parts: ReadonlyArray<Partial<Unit>>) =>
  StorageDriver.use((driver) => driver.facts(Facts.factKeys(parts.map((part) => unitOf(part)))))

export const counterOf = (key: string) =>
  Effect.map(factsOf({ counters: [{ key, add: brl(0n) }] }), (facts) => facts.counters.get(key))

/** Everything at once, each answered by itself. */
export const exits = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.forEach(effects, (effect) => Effect.exit(effect), { concurrency: "unbounded" })

export const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

/**
 * Compares instants by what they say, and errors by all they tell: the assertions of the test runner look at
 * nothing but an error's message.
 */
export const assertSame = (actual: unknown, expected: unknown, message?: string): void =>
  assert.deepStrictEqual(plain(actual), plain(expected), message)

const plain = (value: unknown): unknown => {
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Exit.isExit(value)) {
    return Exit.isSuccess(value)
      ? { _tag: "Success", value: plain(value.value) }
      : { _tag: "Failure", reasons: value.cause.reasons.map(plainReason) }
  }
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Error) return { ...members(value), name: value.name, message: value.message }
  const isPlain =
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return isPlain ? members(value) : value
}

const plainReason = (reason: Cause.Reason<unknown>): unknown =>
  Cause.isFailReason(reason)
    ? { fail: plain(reason.error) }
    : Cause.isDieReason(reason)
      ? { die: plain(reason.defect) }
      : "interrupted"

const members = (value: object) =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]))

export const byId = <A extends { readonly id: string }>(
  values: ReadonlyArray<A>
): ReadonlyArray<A> => values.toSorted((left, right) => (left.id < right.id ? -1 : 1))

export const eventOf = (parts: Partial<EventRow> = {}): EventRow => ({
  id: newId(),
  account: newId(),
  wallet: newId(),
  key: newName(),
  type: "payment_completed",
  body: '{"event":"payment_completed"}',
  at: at(0),
  ...parts
})

export const attemptOf = (delivery: DeliveryId, parts: Partial<AttemptRow> = {}): AttemptRow => ({
  delivery,
  number: 1,
  at: at(1),
  outcome: "timeout",
  httpStatus: null,
  durationMillis: 15_000,
  status: "queued",
  ...parts
})
