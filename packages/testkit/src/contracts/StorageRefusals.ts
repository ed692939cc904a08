import type { Refused, Storage, StorageDriver, Unit, WalletId } from "@pagora/core"
import {
  DuplicateKey,
  InsufficientFunds,
  LeaseLost,
  LedgerAccount,
  LedgerTx,
  LimitExceeded,
  NotEmpty,
  StaleVersion
} from "@pagora/core"
import type { Scope } from "effect"
import { Effect } from "effect"
import { aHeldJob } from "./StorageJobs.ts"
import {
  aRow,
  attemptOf,
  aWallet,
  beginning,
  brl,
  commit,
  eventOf,
  moneyIn,
  moneyOut,
  movement,
  newId,
  newName,
  outside,
  rowOf,
  scopeOf
} from "./StorageLaws.ts"

/** Parts that a storage must refuse, and how. */
export interface Refusal {
  readonly parts: Partial<Unit>
  readonly refused: Refused
}

type Breaking = (
  /** A wallet with 100 available, of which the unit at hand spends 10 and gets a lien of 5. */
  wallet: WalletId
) => Effect.Effect<Refusal, unknown, Storage | StorageDriver | Scope.Scope>

const stale = Effect.fnUntraced(function* (version: number) {
  const row = yield* aRow()
  return { row, version, refused: new StaleVersion({ id: row.id }) }
})

const rows: Record<string, Breaking> = {
  "an update is of a version that is over": () =>
    Effect.gen(function* () {
      const { refused, row } = yield* stale(1)
      yield* commit({ updates: [{ row, expected: 1 }] })
      return { parts: { updates: [{ row, expected: 1 }] }, refused }
    }),
  "an update is of a version to come": () =>
    Effect.map(stale(2), ({ refused, row }) => ({
      parts: { updates: [{ row, expected: 2 }] },
      refused
    })),
  "an update is of a row that is not there": () =>
    Effect.sync(() => {
      const row = rowOf()
      return {
        parts: { updates: [{ row, expected: 1 }] },
        refused: new StaleVersion({ id: row.id })
      }
    }),
  "an expected row has another version": () =>
    Effect.map(stale(2), ({ refused, row: { id, table } }) => ({
      parts: { expects: [{ table, id, version: 2 }] },
      refused
    })),
  "an expected row is not there": () =>
    Effect.sync(() => {
      const id = newId()
      return {
        parts: { expects: [{ table: "registry", id, version: 1 }] },
        refused: new StaleVersion({ id })
      }
    })
}

const jobs: Record<string, Breaking> = {
  "it finishes a job that another token holds": () =>
    Effect.map(aHeldJob(), ({ job }) => ({
      parts: { jobs: [{ _tag: "Finish", ...job, token: newId() }] },
      refused: new LeaseLost(job)
    })),
  "it retries a job that another token holds": () =>
    Effect.map(aHeldJob(), ({ job }) => ({
      parts: { jobs: [{ _tag: "Retry", ...job, token: newId(), due: eventOf().at }] },
      refused: new LeaseLost(job)
    })),
  "it finishes a job that is not there": () =>
    Effect.sync(() => {
      const job = { queue: "webhook", id: newId() } as const
      return {
        parts: { jobs: [{ _tag: "Finish", ...job, token: newId() }] },
        refused: new LeaseLost(job)
      }
    })
}

const names: Record<string, Breaking> = {
  "a row is there already": () =>
    Effect.map(aRow(), (row) => ({
      parts: { inserts: [row] },
      refused: new DuplicateKey({ space: "row", key: row.id })
    })),
  "a unique key is held": () =>
    Effect.gen(function* () {
      const key = { space: "law", key: newName(), holder: newId() }
      yield* commit({ keys: [key] })
      return {
        parts: { keys: [{ ...key, holder: newId() }] },
        refused: new DuplicateKey({ space: "law", key: key.key })
      }
    }),
  "an Idempotency-Key is begun already": () =>
    Effect.gen(function* () {
      const scope = scopeOf()
      yield* commit(beginning(scope))
      return {
        parts: beginning(scope),
        refused: new DuplicateKey({ space: "idempotency", key: scope.key })
      }
    }),
  "an Idempotency-Key is completed for another entity": () =>
    Effect.gen(function* () {
      const scope = scopeOf()
      yield* commit(beginning(scope))
      const entity = newId()
      return {
        parts: { idempotency: { _tag: "Complete", scopes: [scope], entity, snapshot: "{}" } },
        refused: new StaleVersion({ id: entity })
      }
    }),
  "an Idempotency-Key is completed that has its answer": () =>
    Effect.gen(function* () {
      const [answered, open, entity] = [scopeOf(), scopeOf(), newId()]
      const completing = (...scopes: ReadonlyArray<ReturnType<typeof scopeOf>>) =>
        ({ idempotency: { _tag: "Complete", scopes, entity, snapshot: "{}" } }) as const
      yield* commit(beginning(answered, { entity }))
      yield* commit(beginning(open, { entity }))
      yield* commit(completing(answered))
      return { parts: completing(open, answered), refused: new StaleVersion({ id: entity }) }
    }),
  "an Idempotency-Key is completed that was never begun": () =>
    Effect.sync(() => {
      const entity = newId()
      return {
        parts: { idempotency: { _tag: "Complete", scopes: [scopeOf()], entity, snapshot: "{}" } },
        refused: new StaleVersion({ id: entity })
      }
    }),
  "the account has an event of this key": () =>
    Effect.gen(function* () {
      const event = eventOf()
      yield* commit({ events: [{ event, deliveries: [] }] })
      return {
        parts: { events: [{ event: { ...event, id: newId() }, deliveries: [] }] },
        refused: new DuplicateKey({ space: "event", key: event.key })
      }
    }),
  "money was moved for this source, kind and leg": (wallet) =>
    Effect.gen(function* () {
      const { ledger } = moneyIn(wallet, 7n)
      yield* commit({ ledger })
      const { kind, leg, source } = ledger[0]
      return {
        parts: { ledger: [{ ...ledger[0], id: newId() }] },
        refused: new DuplicateKey({ space: "ledger", key: `${kind} ${source} ${leg}` })
      }
    }),
  "the delivery has an attempt of this number": () =>
    Effect.gen(function* () {
      const attempt = attemptOf(newId())
      const deliveries = [{ id: attempt.delivery, endpoint: newId<never>() }]
      yield* commit({ events: [{ event: eventOf(), deliveries }], attempts: [attempt] })
      return {
        parts: { attempts: [{ ...attempt, outcome: "another" }] },
        refused: new DuplicateKey({
          space: "attempt",
          key: `${attempt.delivery} ${attempt.number}`
        })
      }
    }),
  "a wallet is open already": () =>
    Effect.map(aWallet(), (wallet) => ({
      parts: { opens: [wallet] },
      refused: new DuplicateKey({ space: "wallet", key: wallet })
    }))
}

const shortOf = (
  wallet: WalletId,
  bucket: InsufficientFunds["bucket"],
  parts: Partial<Unit>
): Effect.Effect<Refusal> =>
  Effect.succeed({ parts, refused: new InsufficientFunds({ wallet, bucket }) })

const taking = (wallet: WalletId, from: LedgerAccount.LedgerAccount, amount: bigint) =>
  movement(wallet, amount, [
    LedgerTx.debit(from, brl(amount)),
    LedgerTx.credit(outside, brl(amount))
  ])

const full = Effect.fnUntraced(function* (
  bucket: (wallet: WalletId) => LedgerAccount.LedgerAccount
) {
  const wallet = yield* aWallet()
  yield* commit(moneyIn(wallet, 1n, bucket(wallet)))
  return { parts: { empty: [wallet] }, refused: new NotEmpty({ wallet }) }
})

const money: Record<string, Breaking> = {
  "it takes a centavo more than is available": (wallet) =>
    shortOf(wallet, "available", taking(wallet, LedgerAccount.available(wallet), 91n)),
  "it takes more than is held": (wallet) =>
    shortOf(wallet, "held", taking(wallet, LedgerAccount.held(wallet), 1n)),
  "it takes more than is promotional": (wallet) =>
    shortOf(wallet, "promotional", taking(wallet, LedgerAccount.promotional(wallet), 1n)),
  "it spends a centavo that a lien claims": (wallet) =>
    shortOf(wallet, "spendable", moneyOut(wallet, 86n)),
  "it lifts more lien than there is": (wallet) =>
    shortOf(wallet, "lien", { liens: [{ wallet, delta: brl(-6n) }] }),
  "it moves money of a wallet that is not there": () =>
    Effect.sync(() => {
      const wallet = newId<WalletId>()
      return { parts: moneyIn(wallet, 1n), refused: new StaleVersion({ id: wallet }) }
    }),
  "it puts a lien on a wallet that is not there": () =>
    Effect.sync(() => {
      const wallet = newId<WalletId>()
      return {
        parts: { liens: [{ wallet, delta: brl(1n) }] },
        refused: new StaleVersion({ id: wallet })
      }
    }),
  "a counter would pass its cap at once": () =>
    Effect.sync(() => {
      const key = newName()
      return {
        parts: { counters: [{ key, add: brl(11n), max: brl(10n) }] },
        refused: new LimitExceeded({ key, used: 0n })
      }
    }),
  "a counter would pass its cap": () =>
    Effect.gen(function* () {
      const key = newName()
      yield* commit({ counters: [{ key, add: brl(6n) }] })
      return {
        parts: { counters: [{ key, add: brl(5n), max: brl(10n) }] },
        refused: new LimitExceeded({ key, used: 6n })
      }
    }),
  "a wallet that has to be empty has money available": () => full(LedgerAccount.available),
  "a wallet that has to be empty has money held": () => full(LedgerAccount.held),
  "a wallet that has to be empty has promotional money": () => full(LedgerAccount.promotional),
  "a wallet that has to be empty has a lien": () =>
    Effect.gen(function* () {
      const wallet = yield* aWallet()
      yield* commit({ liens: [{ wallet, delta: brl(1n) }] })
      return { parts: { empty: [wallet] }, refused: new NotEmpty({ wallet }) }
    }),
  "a wallet that has to be empty is not there": () =>
    Effect.sync(() => {
      const wallet = newId<WalletId>()
      return { parts: { empty: [wallet] }, refused: new StaleVersion({ id: wallet }) }
    })
}

/** Every expectation that can fail, by the sentence that says so. */
export const refusals: Record<string, Breaking> = { ...rows, ...jobs, ...names, ...money }
