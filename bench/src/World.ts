import type { Account, Charge, Kind, Uuid } from "@pagora/core"
import {
  AccountKind,
  Accounts,
  Charges,
  ChargeWorker,
  Endpoints,
  Ids,
  LeaseToken,
  Money,
  PspCredentialId,
  PspDirectory,
  Services,
  ServiceTime,
  Storage,
  Subscribers
} from "@pagora/core"
import type { Claimed, Unit } from "@pagora/core"
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
}

/** Holds the lease on every notification that is booked here. */
export const inboxLease = LeaseToken.make("00000000-0000-7000-8000-0000000000b1")

const pspCredential = PspCredentialId.make("00000000-0000-7000-8000-0000000000b2")
const price = Money.Centavos.make(12_990n)
const onePercent = Money.Percent.make(10_000)

/**
 * Runs the services of core over a storage that keeps the units they commit instead of writing them. What the
 * bench then writes is what they write in production, to the byte: no imitation can drift from it.
 */
export const makeWorld = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  wallets: number,
  isSubscribed = true
): Effect.fn.Return<World, never, Scope.Scope> {
  const [psp, recorder] = [memoryPsp(), makeRecorder(storage)]
  const base = Layer.mergeAll(
    Layer.orDie(
      SecretsNode.layer({ secret: Redacted.make("a master secret for benchmarks only") })
    ),
    WebhookTransportNode.layer(),
    Layer.succeed(PspDirectory, {
      default: pspCredential,
      all: [pspCredential],
      find: () => psp.shape
    })
  )
  const services = (over: Storage["Service"]) =>
    Services.layer.pipe(
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(ServiceTime.layer),
      Layer.provideMerge(base),
      Layer.provideMerge(Layer.succeed(Storage, over)),
      Layer.build
    )
  const opening = openAccounts(wallets, isSubscribed)
  const accounts = yield* Effect.provideContext(opening, yield* services(storage))
  for (const account of accounts) recorder.rows.set(account.value.id, account)
  return yield* Effect.provideContext(
    Effect.gen(function* () {
      const charges = yield* Charges
      const worker = yield* ChargeWorker

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
      return { accounts, open, pay } satisfies World
    }),
    yield* services(recorder.storage)
  )
})

/** Where a deployment keeps its subscriptions. */
export const subscriptionsId = "00000000-0000-7000-8000-000000000004" as Uuid

/** One subscriber in the process, as most embedded deployments have; or one that has left again. */
const subscribing = (stays: boolean) =>
  Effect.gen(function* () {
    const subscribers = yield* Subscribers
    yield* subscribers.on("payment_completed", { name: "orders" }, () => Effect.void)
    if (!stays) yield* subscribers.off("orders")
  }).pipe(Effect.orDie)

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
  const putOff = ({ jobs, updates }: Unit): Charge | undefined => {
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
        if (later === undefined) units.push(unit)
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
