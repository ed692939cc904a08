import type { Account, AccountId, Charge, Kind, PspShape, Uuid } from "@pagora/core"
import {
  AccountKind,
  Accounts,
  Charges,
  ChargeWorker,
  Endpoints,
  Ids,
  KeptPsps,
  LeaseToken,
  Money,
  PixKey,
  PspCredentialId,
  PspDirectory,
  Services,
  ServiceTime,
  Storage,
  Subscribers,
  UnitId,
  Withdrawals
} from "@pagora/core"
import type { Claimed, NewUnit, Unit } from "@pagora/core"
import { randomUUID } from "node:crypto"
import { SecretsNode, WebhookTransportNode } from "@pagora/core/node"
import type { Scope } from "effect"
import { Effect, Layer, Redacted } from "effect"
import { memoryPsp } from "./MemoryPsp.ts"

/** A charge as the services opened it, with the two units that did: the intent, and what the PSP answered. */
export interface Opened {
  readonly charge: Kind.Versioned<Charge>
  readonly units: readonly [intent: Unit, registration: Unit]
}

/** A paid charge: what opened it, and the unit that books its payment. */
export interface Paid extends Opened {
  readonly settlement: Unit
}

/** The tenants of one run and the units that our own services make for them. */
export interface World {
  readonly accounts: ReadonlyArray<Kind.Versioned<Account>>
  /** Charges of the first `wallets` accounts in turn. */
  readonly open: (count: number, wallets: number) => Effect.Effect<ReadonlyArray<Opened>>
  readonly pay: (opened: ReadonlyArray<Opened>) => Effect.Effect<ReadonlyArray<Paid>>
  /** What accepts withdrawals of the first `wallets` accounts in turn, of 1.00 each. */
  readonly withdraw: (count: number, wallets: number) => Effect.Effect<ReadonlyArray<Unit>>
}

/** Holds the lease on every notification that is booked here. */
export const inboxLease = LeaseToken.make("00000000-0000-7000-8000-0000000000b1")

const pspCredential = PspCredentialId.make("00000000-0000-7000-8000-0000000000b2")
const price = Money.Centavos.make(12_990n)
const onePercent = Money.Percent.make(10_000)

/**
 * Runs the services of core over a storage that keeps the units they commit instead of writing them. What the
 * bench then writes is what they write in production, to the byte: no imitation can drift from it. The accounts are new,
 * or those that another process has opened.
 */
export const makeWorld = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  wallets: number,
  isSubscribed = true,
  known?: ReadonlyArray<AccountId>
): Effect.fn.Return<World, never, Scope.Scope> {
  const psp = memoryPsp("", known === undefined ? 0 : (process.pid % 4_000) * 1_000_000)
  const recorder = makeRecorder(storage)
  const services = servicesWith(psp.shape)
  const opening = openAccounts(wallets, isSubscribed)
  const accounts =
    known === undefined
      ? yield* Effect.provideContext(opening, yield* services(storage))
      : yield* findAccounts(storage, known)
  for (const account of accounts) recorder.rows.set(account.value.id, account)
  return yield* Effect.provideContext(
    Effect.gen(function* () {
      const charges = yield* Charges
      const worker = yield* ChargeWorker
      const withdrawals = yield* Withdrawals

      const open = Effect.fnUntraced(function* (count: number, among: number) {
        const opened: Array<Opened> = []
        for (let index = 0; index < count; index++) {
          const account = accounts[index % among]
          if (account === undefined) throw new Error("There are no such wallets.")
          const charge = yield* Effect.orDie(
            charges.create({ account, subAccount: undefined }, newCharge(index))
          )
          const [intent, registration] = recorder.take()
          if (intent === undefined || registration === undefined)
            throw new Error("A charge takes two commits.")
          opened.push({ charge: { value: charge, version: 2 }, units: [intent, registration] })
        }
        return opened
      })

      const pay = Effect.fnUntraced(function* (opened: ReadonlyArray<Opened>) {
        for (const { charge } of opened) {
          recorder.rows.set(charge.value.id, charge)
          recorder.due.push(charge.value)
          psp.pay(charge.value)
        }
        yield* Effect.orDie(worker.drain)
        const settlements = new Map(
          recorder.take().map((unit) => [unit.updates?.[0]?.row.id, unit])
        )
        psp.forget()
        return opened.map((entry): Paid => {
          const settlement = settlements.get(entry.charge.value.id)
          if (settlement === undefined) throw new Error("A payment was not booked.")
          recorder.rows.delete(entry.charge.value.id)
          return { ...entry, settlement }
        })
      })
      const withdraw = Effect.fnUntraced(function* (count: number, among: number) {
        for (let index = 0; index < count; index++) {
          const account = accounts[index % among]
          if (account === undefined) throw new Error("There are no such wallets.")
          yield* Effect.orDie(
            withdrawals.create({ account, subAccount: undefined }, newWithdrawal(index))
          )
        }
        return recorder.take()
      })
      return { accounts, open, pay, withdraw } satisfies World
    }),
    yield* services(recorder.storage)
  )
})

/** The services of core over a storage, with one PSP. */
const servicesWith = (shape: PspShape) => {
  const base = Layer.mergeAll(
    Layer.orDie(
      SecretsNode.layer({ secret: Redacted.make("a master secret for benchmarks only") })
    ),
    WebhookTransportNode.layer(),
    Layer.succeed(PspDirectory, {
      default: pspCredential,
      all: [pspCredential],
      find: () => shape
    })
  )
  return (over: Storage["Service"]) =>
    Services.layer.pipe(
      Layer.provideMerge(KeptPsps.none),
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(ServiceTime.layer),
      Layer.provideMerge(base),
      Layer.provideMerge(Layer.succeed(Storage, over)),
      Layer.build
    )
}

/** Where a deployment keeps its subscriptions. */
export const subscriptionsId = "00000000-0000-7000-8000-000000000004" as Uuid

/** One subscriber in the process, as most embedded deployments have; or one that has left again. */
const subscribing = (stays: boolean) =>
  Effect.gen(function* () {
    const subscribers = yield* Subscribers
    yield* subscribers.on("payment_completed", { name: "orders" }, () => Effect.void)
    if (!stays) yield* subscribers.off("orders")
  }).pipe(Effect.orDie)

/** In the order of the process that opened them, so that the first is the same. */
const findAccounts = (storage: Storage["Service"], known: ReadonlyArray<AccountId>) =>
  Effect.map(Effect.orDie(storage.findMany(AccountKind, known)), (found) =>
    found.toSorted((one, other) => known.indexOf(one.value.id) - known.indexOf(other.value.id))
  )

const openAccounts = Effect.fnUntraced(function* (count: number, isSubscribed: boolean) {
  yield* subscribing(isSubscribed)
  const accounts = yield* Accounts
  const endpoints = yield* Endpoints
  const storage = yield* Storage
  return yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    Effect.fnUntraced(function* (index) {
      const account = yield* accounts.create({
        name: `Loja ${index}`,
        fees: { payment: { percent: onePercent } }
      })
      yield* endpoints.create(account.id, {
        url: "https://shop.example.com/pix",
        wallet: account.id
      })
      const stored = yield* storage.find(AccountKind, account.id)
      return stored ?? (yield* Effect.die(new Error("An account is gone.")))
    }, Effect.orDie),
    { concurrency: 64 }
  )
})

const newCharge = (index: number) => ({
  amount: price,
  description: `Pedido ${100_000 + index} da Loja Azul`,
  externalReference: `pedido-${100_000 + index}`,
  customer: { name: "Maria da Silva", document: "52998224725" }
})

const newWithdrawal = (index: number) => ({
  asked: { amount: Money.Centavos.make(100n) },
  pixKey: PixKey.PixKey.make({ type: "email", value: "maria@example.com" }),
  externalReference: `repasse-${100_000 + index}`
})

/** Keeps units in the place of writing them, and answers from memory what the services read before. */
const makeRecorder = (real: Storage["Service"]) => {
  let units: Array<Unit> = []
  const rows = new Map<Uuid, Kind.Versioned<unknown>>()
  const due: Array<Charge> = []
  const claimed = (charge: Charge): Claimed => ({
    queue: "inbox",
    id: charge.id,
    group: charge.account,
    token: inboxLease,
    due: charge.updatedAt
  })
  /** A PSP has no more than so many jobs at once; the others come again. */
  const putOff = ({ jobs, updates }: NewUnit): Charge | undefined => {
    const again = jobs?.find(({ _tag }) => _tag === "Retry")
    return again === undefined || updates !== undefined
      ? undefined
      : (rows.get(again.id)?.value as Charge | undefined)
  }
  const storage = Storage.of({
    ...real,
    commit: (unit) =>
      Effect.sync(() => {
        const later = putOff(unit)
        if (later === undefined) units.push({ ...unit, id: UnitId.make(randomUUID()) })
        else due.push(later)
      }),
    find: <A>(kind: Kind.ReadableKind<A>, id: Uuid) =>
      id === subscriptionsId
        ? real.find(kind, id)
        : Effect.succeed(rows.get(id) as Kind.Versioned<A> | undefined),
    wallet: () => Effect.succeed(undefined),
    claim: ({ max, queue }) =>
      Effect.sync(() => (queue === "inbox" ? due.splice(0, max).map(claimed) : []))
  })
  const take = (): ReadonlyArray<Unit> => {
    const taken = units
    units = []
    return taken
  }
  return { storage, rows, due, take }
}
