import { assert, describe, it } from "@effect/vitest"
import type { Uuid, WalletId } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import type { LedgerAccount } from "../ledger/LedgerAccount.ts"
import { available, held, promotional } from "../ledger/LedgerAccount.ts"
import { decide, decideAll } from "./Decision.ts"
import type { Facts } from "./Facts.ts"
import { emptyFacts } from "./Facts.ts"
import type { Refused } from "./Refused.ts"
import {
  DuplicateKey,
  InsufficientFunds,
  LeaseLost,
  LimitExceeded,
  NotEmpty,
  StaleVersion
} from "./Refused.ts"
import type { AttemptRow, EventRow, IdempotencyScope, JobWrite, Unit } from "./Unit.ts"
import {
  at,
  idOf,
  moneyIn,
  moneyOut,
  moving,
  opening,
  rowOf,
  unitOf,
  assertRefused
} from "../storage/Units.test-data.ts"

const wallet: WalletId = idOf(0xa)
const id: Uuid = idOf(1)
const row = rowOf({ id })
const scope: IdempotencyScope = { wallet, route: "/pix", key: "order-1" }
const job = { queue: "charge", id } as const
const centavos = (amount: bigint) => Centavos.make(amount)
const event: EventRow = {
  id: idOf(2),
  account: idOf(3),
  wallet,
  key: "paid",
  type: "payment_completed",
  body: "{}",
  at: at(0)
}
const tx = moneyIn(wallet, 5n).ledger?.[0]
assert.isDefined(tx)
const attempt: AttemptRow = {
  delivery: idOf(4),
  number: 1,
  at: at(0),
  outcome: "",
  httpStatus: null,
  durationMillis: 1,
  status: "queued"
}

const begin = (time: number): Unit =>
  unitOf({
    at: at(time),
    idempotency: {
      _tag: "Begin",
      scope,
      fingerprint: "f",
      entity: id,
      expiresAt: at(time + 100),
      snapshot: null
    }
  })
const complete = (entity: Uuid): Unit =>
  unitOf({ idempotency: { _tag: "Complete", scopes: [scope], entity, snapshot: "{}" } })
const finish = unitOf({ jobs: [{ ...job, _tag: "Finish", token: idOf(7) }] })
const counting = (add: bigint, max?: bigint) => ({
  key: "day",
  add: centavos(add),
  ...(max === undefined ? {} : { max: centavos(max) })
})
const lien = (delta: bigint) => unitOf({ liens: [{ wallet, delta: centavos(delta) }] })

/** Facts that an accepted history leaves. */
const after = (...units: ReadonlyArray<Unit>): Facts => {
  const facts = emptyFacts()
  assert.deepStrictEqual(
    decideAll(facts, units),
    units.map(() => undefined)
  )
  return facts
}
const leased = (): Facts => {
  const facts = after(unitOf({ jobs: [{ ...job, _tag: "Schedule", group: idOf(5), due: at(0) }] }))
  facts.jobs.set(`charge\0${id}`, idOf(6))
  return facts
}
const rich = () => after(opening(wallet), moneyIn(wallet, 10n))
/** All of it in another bucket. */
const richIn = (account: LedgerAccount) =>
  after(
    opening(wallet),
    moneyIn(wallet, 10n),
    moving(wallet, [
      { account: available(wallet), amount: -10n },
      { account, amount: 10n }
    ])
  )

const refused: ReadonlyArray<readonly [string, Facts, Unit, Refused]> = [
  [
    "a row that exists is not inserted",
    after(unitOf({ inserts: [row] })),
    unitOf({ inserts: [row] }),
    new DuplicateKey({ space: "row", key: id })
  ],
  [
    "an update of a version that is over",
    after(unitOf({ inserts: [row] }), unitOf({ updates: [{ row, expected: 1 }] })),
    unitOf({ updates: [{ row, expected: 1 }] }),
    new StaleVersion({ id })
  ],
  [
    "an update of nothing",
    after(),
    unitOf({ updates: [{ row, expected: 1 }] }),
    new StaleVersion({ id })
  ],
  [
    "an expectation of a version that is over",
    after(unitOf({ inserts: [row] }), unitOf({ updates: [{ row, expected: 1 }] })),
    unitOf({ expects: [{ table: "operation", id, version: 1 }] }),
    new StaleVersion({ id })
  ],
  [
    "a unique key that is held, in its space",
    after(unitOf({ keys: [{ space: "e2e", key: "E1", holder: id }] })),
    unitOf({ keys: [{ space: "e2e", key: "E1", holder: id }] }),
    new DuplicateKey({ space: "e2e", key: "E1" })
  ],
  [
    "an Idempotency-Key a moment before its end",
    after(begin(0)),
    begin(99),
    new DuplicateKey({ space: "idempotency", key: "order-1" })
  ],
  [
    "completing for another entity",
    after(begin(0)),
    complete(idOf(9)),
    new StaleVersion({ id: idOf(9) })
  ],
  ["completing what was never begun", after(), complete(id), new StaleVersion({ id })],
  [
    "completing what has its answer",
    after(begin(0), complete(id)),
    complete(id),
    new StaleVersion({ id })
  ],
  [
    "an event whose key the account has",
    after(unitOf({ events: [{ event, deliveries: [] }] })),
    unitOf({ events: [{ event: { ...event, id: idOf(8) }, deliveries: [] }] }),
    new DuplicateKey({ space: "event", key: "paid" })
  ],
  [
    "booking the same move again",
    after(opening(wallet), unitOf({ ledger: [tx] })),
    unitOf({ ledger: [{ ...tx, id: idOf(8) }] }),
    new DuplicateKey({ space: "ledger", key: `adjustment ${tx.source} 0` })
  ],
  [
    "an attempt of a number that was made",
    after(unitOf({ attempts: [attempt] })),
    unitOf({ attempts: [attempt] }),
    new DuplicateKey({ space: "attempt", key: `${idOf(4)} 1` })
  ],
  [
    "opening a wallet twice",
    after(opening(wallet)),
    opening(wallet),
    new DuplicateKey({ space: "wallet", key: wallet })
  ],
  ["finishing with another token", leased(), finish, new LeaseLost(job)],
  ["finishing what is gone", after(), finish, new LeaseLost(job)],
  [
    "retrying what was scheduled anew",
    after(unitOf({ jobs: [{ ...job, _tag: "Schedule", group: idOf(5), due: at(0) }] })),
    unitOf({ jobs: [{ ...job, _tag: "Retry", token: idOf(6), due: at(9) }] }),
    new LeaseLost(job)
  ],
  [
    "a counter past its cap, from nothing",
    after(),
    unitOf({ counters: [counting(11n, 10n)] }),
    new LimitExceeded({ key: "day", used: 0n })
  ],
  [
    "a counter past its cap, from what is there",
    after(unitOf({ counters: [counting(6n, 10n)] })),
    unitOf({ counters: [counting(5n, 10n)] }),
    new LimitExceeded({ key: "day", used: 6n })
  ],
  [
    "a counter past its cap in parts",
    after(),
    unitOf({ counters: [counting(6n, 10n), counting(5n)] }),
    new LimitExceeded({ key: "day", used: 0n })
  ],
  [
    "a counter past the lower of two caps",
    after(),
    unitOf({ counters: [counting(6n, 10n), counting(5n, 20n)] }),
    new LimitExceeded({ key: "day", used: 0n })
  ],
  [
    "moving money of a wallet that is not there",
    after(),
    moneyIn(wallet, 5n),
    new StaleVersion({ id: wallet })
  ],
  ["a lien on a wallet that is not there", after(), lien(1n), new StaleVersion({ id: wallet })],
  [
    "emptying a wallet that is not there",
    after(),
    unitOf({ empty: [wallet] }),
    new StaleVersion({ id: wallet })
  ],
  [
    "spending more than there is",
    rich(),
    moneyOut(wallet, 11n),
    new InsufficientFunds({ wallet, bucket: "available" })
  ],
  [
    "taking from held more than there is",
    rich(),
    moving(wallet, [
      { account: held(wallet), amount: -1n },
      { account: available(wallet), amount: 1n }
    ]),
    new InsufficientFunds({ wallet, bucket: "held" })
  ],
  [
    "taking from promotional more than there is",
    rich(),
    moving(wallet, [
      { account: promotional(wallet), amount: -1n },
      { account: available(wallet), amount: 1n }
    ]),
    new InsufficientFunds({ wallet, bucket: "promotional" })
  ],
  [
    "lifting more lien than there is",
    rich(),
    lien(-1n),
    new InsufficientFunds({ wallet, bucket: "lien" })
  ],
  [
    "spending what a lien claims",
    after(opening(wallet), moneyIn(wallet, 10n), lien(4n)),
    moneyOut(wallet, 7n),
    new InsufficientFunds({ wallet, bucket: "spendable" })
  ],
  ["closing a wallet with money", rich(), unitOf({ empty: [wallet] }), new NotEmpty({ wallet })],
  [
    "closing a wallet that holds something",
    richIn(held(wallet)),
    unitOf({ empty: [wallet] }),
    new NotEmpty({ wallet })
  ],
  [
    "closing a wallet with promotional balance",
    richIn(promotional(wallet)),
    unitOf({ empty: [wallet] }),
    new NotEmpty({ wallet })
  ],
  [
    "closing a wallet with a lien",
    after(opening(wallet), lien(1n)),
    unitOf({ empty: [wallet] }),
    new NotEmpty({ wallet })
  ]
]

describe("refuses", () => {
  for (const [sentence, facts, unit, expected] of refused) {
    it(sentence, () => {
      assertRefused(decide(facts, unit), expected)
    })
  }

  it("and leaves the facts as they were", () => {
    for (const [sentence, facts, unit] of refused) {
      const before = structuredClone(facts)
      decideAll(facts, [unit])
      assert.deepStrictEqual(facts, before, sentence)
    }
  })
})

const accepted: ReadonlyArray<readonly [string, Facts, Unit]> = [
  ["an Idempotency-Key at its end", after(begin(0)), begin(100)],
  ["completing what was begun, even late", after(begin(0)), complete(id)],
  [
    "the same key in another space",
    after(unitOf({ keys: [{ space: "e2e", key: "E1", holder: id }] })),
    unitOf({ keys: [{ space: "txid", key: "E1", holder: id }] })
  ],
  [
    "another leg of the same move",
    after(opening(wallet), unitOf({ ledger: [tx] })),
    unitOf({ ledger: [{ ...tx, leg: 1 }] })
  ],
  [
    "the event key of another account",
    after(unitOf({ events: [{ event, deliveries: [] }] })),
    unitOf({ events: [{ event: { ...event, account: idOf(9) }, deliveries: [] }] })
  ],
  [
    "a counter up to its cap",
    after(unitOf({ counters: [counting(6n, 10n)] })),
    unitOf({ counters: [counting(4n, 10n)] })
  ],
  [
    "a release beyond every cap",
    after(unitOf({ counters: [counting(20n)] })),
    unitOf({ counters: [counting(-1n)] })
  ],
  [
    "a counter that ends below its cap",
    after(),
    unitOf({ counters: [counting(-5n), counting(12n, 10n)] })
  ],
  ["spending to the last centavo", rich(), moneyOut(wallet, 10n)],
  [
    "spending to the last centavo beyond the lien",
    after(opening(wallet), moneyIn(wallet, 10n), lien(4n)),
    moneyOut(wallet, 6n)
  ],
  ["a lien beyond what is there", rich(), lien(11n)],
  [
    "money into a wallet whose lien is larger",
    after(opening(wallet), lien(11n)),
    moneyIn(wallet, 1n)
  ],
  [
    "taking what a lien claims where nothing is spent",
    after(opening(wallet), moneyIn(wallet, 10n), lien(10n)),
    moving(wallet, [
      { account: available(wallet), amount: -10n },
      { account: held(wallet), amount: 10n }
    ])
  ],
  [
    "a bucket below zero on the way, since a unit is one step",
    after(opening(wallet)),
    unitOf({
      ledger: [...(moneyOut(wallet, 5n).ledger ?? []), ...(moneyIn(wallet, 5n).ledger ?? [])]
    })
  ],
  [
    "opening a wallet and paying into it",
    after(),
    unitOf({ opens: [wallet], ledger: moneyIn(wallet, 5n).ledger ?? [] })
  ],
  [
    "closing a wallet with the unit that empties it",
    rich(),
    unitOf({ empty: [wallet], ledger: moneyOut(wallet, 10n).ledger ?? [] })
  ],
  [
    "finishing with the token",
    leased(),
    unitOf({ jobs: [{ ...job, _tag: "Finish", token: idOf(6) }] })
  ],
  ["cancelling what somebody holds", leased(), unitOf({ jobs: [{ ...job, _tag: "Cancel" }] })],
  ["cancelling what is gone", after(), unitOf({ jobs: [{ ...job, _tag: "Cancel" }] })]
]

describe("accepts", () => {
  for (const [sentence, facts, unit] of accepted) {
    it(sentence, () => {
      assert.isUndefined(decide(facts, unit))
    })
  }
})

describe("a history", () => {
  it("decides each unit on what the accepted ones before it leave", () => {
    const facts = rich()
    const decisions = decideAll(facts, [
      moneyOut(wallet, 6n),
      moneyOut(wallet, 6n),
      moneyOut(wallet, 4n)
    ])
    const broke = new InsufficientFunds({ wallet, bucket: "available" })
    assertRefused(decisions, [undefined, broke, undefined])
    assert.strictEqual(facts.wallets.get(wallet)?.available, 0n)
  })

  it("takes the lease away from a job that is scheduled anew, and from one to be retried", () => {
    const writes: ReadonlyArray<JobWrite> = [
      { ...job, _tag: "Schedule", group: idOf(5), due: at(9) },
      { ...job, _tag: "Retry", token: idOf(6), due: at(9) }
    ]
    const done = unitOf({ jobs: [{ ...job, _tag: "Finish", token: idOf(6) }] })
    for (const write of writes) {
      const decisions = decideAll(leased(), [unitOf({ jobs: [write] }), done])
      assertRefused(decisions, [undefined, new LeaseLost(job)])
    }
  })

  it("counts the versions of a row from 1", () => {
    const facts = after(unitOf({ inserts: [row] }))
    assert.strictEqual(facts.rows.get(id), 1)
    decideAll(facts, [unitOf({ updates: [{ row, expected: 1 }] })])
    assert.strictEqual(facts.rows.get(id), 2)
  })
})
