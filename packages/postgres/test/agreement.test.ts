import { assert, layer } from "@effect/vitest"
import type {
  IdempotencyWrite,
  JobWrite,
  LeaseToken,
  Row,
  Unit,
  UniqueKey,
  Uuid,
  WalletId
} from "@pagora/core"
import { Decision, Facts, LedgerAccount, LedgerTx, MergedUnit, StorageDriver } from "@pagora/core"
import { Duration, Effect, Random } from "effect"
import { pglite } from "../src/pglite/index.ts"
import { layerFresh } from "./FreshDatabase.test-data.ts"
import { at, brl, deliveryOf, eventOf, newId, rowOf, txOf, unitOf } from "./Units.test-data.ts"
import { templates } from "./Templates.test-data.ts"

/** So few of everything that units keep meeting what others left. */
const world = () => ({
  wallets: Array.from({ length: 5 }, () => newId<WalletId>()),
  rows: Array.from({ length: 6 }, (_, index) =>
    rowOf({ table: index % 3 === 0 ? "registry" : "operation" })
  ),
  jobs: Array.from({ length: 5 }, () => newId()),
  sources: Array.from({ length: 100 }, () => newId()),
  accounts: Array.from({ length: 2 }, () => eventOf().account),
  delivery: deliveryOf(),
  tokens: Array.from({ length: 2 }, () => newId<LeaseToken>()),
  group: newId()
})
type World = ReturnType<typeof world>

const below = (bound: number) => Random.nextIntBetween(0, bound - 1)
const oneOf = <A>(values: ReadonlyArray<A>) =>
  Effect.map(below(values.length), (index) => values[index] ?? assert.fail())
const sometimes = <A, E, R>(chance: number, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Random.next, (dice) =>
    dice < chance ? Effect.asSome(effect) : Effect.succeedNone
  )

const aMove = Effect.fnUntraced(function* ({ sources, wallets }: World, leg = 0) {
  const [from, to] = [yield* oneOf(wallets), yield* oneOf(wallets)]
  const amount = brl((yield* below(60)) + 1)
  const debit = (yield* below(2)) === 0 ? LedgerTx.debit : LedgerTx.spend
  const into = yield* oneOf([
    LedgerAccount.held,
    LedgerAccount.promotional,
    LedgerAccount.available
  ])
  const source = LedgerAccount.pspClearing(newId())
  const taken =
    (yield* below(3)) === 0
      ? debit(LedgerAccount.available(from), amount)
      : LedgerTx.debit(source, amount)
  return txOf(from, amount, [taken, LedgerTx.credit(into(to), amount)], {
    source: (yield* below(2)) === 0 ? yield* oneOf(sources) : newId(),
    leg
  })
})

const aJobWrite = Effect.fnUntraced(function* ({ group, jobs, tokens }: World) {
  const ref = { queue: yield* oneOf(["charge", "webhook"] as const), id: yield* oneOf(jobs) }
  const token = yield* oneOf(tokens)
  const due = at(yield* below(100))
  return yield* oneOf<JobWrite>([
    { _tag: "Schedule", ...ref, group, due },
    { _tag: "Schedule", ...ref, group, due },
    { _tag: "Retry", ...ref, token, due },
    { _tag: "Finish", ...ref, token },
    { _tag: "Cancel", ...ref }
  ])
})

const anIdempotency = Effect.fnUntraced(function* ({ wallets }: World) {
  const scope = {
    wallet: yield* oneOf(wallets),
    route: yield* oneOf(["a", "b"]),
    key: yield* oneOf(["x", "y"])
  }
  const entity = yield* oneOf(wallets)
  const begin = {
    scope,
    entity,
    fingerprint: "f",
    expiresAt: at(yield* below(100)),
    snapshot: null
  }
  return yield* oneOf<IdempotencyWrite>([
    { _tag: "Begin", ...begin },
    { _tag: "Complete", scopes: [scope], entity, snapshot: "done" }
  ])
})

const aVersion = (facts: Facts.Facts, id: Uuid) =>
  Effect.map(below(6), (dice) => (facts.rows.get(id) ?? 0) + (dice === 0 ? 1 : 0))

/** A unit of a few random parts, most of which hold. Each thing stands in it once. */
const aUnit = Effect.fnUntraced(function* (all: World, facts: Facts.Facts) {
  const row: Row = yield* oneOf(all.rows)
  const rested: Row = yield* oneOf(all.rows)
  const wallet = yield* oneOf(all.wallets)
  const key: UniqueKey = {
    space: yield* oneOf(["s", "t"]),
    key: String(yield* below(1000)),
    holder: row.id
  }
  const known = facts.rows.has(row.id)
  const event = eventOf({ account: yield* oneOf(all.accounts), key: String(yield* below(1000)) })
  const attempt = {
    delivery: all.delivery.id,
    number: (yield* below(1000)) + 1,
    at: at(),
    outcome: "o"
  }
  const parts: ReadonlyArray<Effect.Effect<Partial<Unit>>> = [
    Effect.succeed(
      known
        ? {
            updates: [
              {
                row: { ...row, document: `"${newId()}"` },
                expected: yield* aVersion(facts, row.id)
              }
            ]
          }
        : { inserts: [row] }
    ),
    Effect.succeed({
      expects: [{ table: rested.table, id: rested.id, version: yield* aVersion(facts, rested.id) }]
    }),
    Effect.map(aMove(all), (tx) => ({ ledger: [tx] })),
    Effect.map(Effect.all([aMove(all), aMove(all, 1)]), (ledger) => ({ ledger })),
    Effect.succeed({ keys: [key] }),
    Effect.succeed({ liens: [{ wallet, delta: brl((yield* below(61)) - 30) }] }),
    Effect.succeed({
      counters: [{ key: wallet, add: brl((yield* below(40)) - 10), max: brl(100) }]
    }),
    Effect.succeed({ counters: [{ key: wallet, add: brl(yield* below(10)) }] }),
    Effect.map(aJobWrite(all), (job) => ({ jobs: [job] })),
    Effect.map(Effect.all([aJobWrite(all), aJobWrite(all)]), (jobs) => ({ jobs })),
    Effect.map(anIdempotency(all), (idempotency) => ({ idempotency })),
    Effect.succeed({ events: [{ event, deliveries: [deliveryOf()] }] }),
    Effect.succeed({
      attempts: [{ ...attempt, httpStatus: null, durationMillis: 1, status: "queued" }]
    }),
    Effect.succeed(facts.wallets.has(wallet) ? { empty: [wallet] } : { opens: [wallet] })
  ]
  const chosen = yield* Effect.forEach(parts, (part, index) =>
    sometimes(index === 13 ? 0.06 : 0.2, part)
  )
  const found = chosen.flatMap((part) => (part._tag === "Some" ? [part.value] : []))
  return unitOf(Object.assign({ at: at(yield* below(100)) }, ...found))
})

const plain = (facts: Facts.Facts) => ({
  ...facts,
  rows: [...facts.rows].toSorted(),
  keys: [...facts.keys].toSorted(),
  idempotency: [...facts.idempotency].toSorted(),
  jobs: [...facts.jobs].toSorted(),
  events: [...facts.events].toSorted(),
  ledger: [...facts.ledger].toSorted(),
  attempts: [...facts.attempts].toSorted(),
  counters: [...facts.counters].toSorted(),
  wallets: [...facts.wallets].toSorted()
})

/** One unit, or several that meet in wallets and counters only. */
const aGroup = Effect.fnUntraced(function* (all: World, facts: Facts.Facts) {
  const first = yield* aUnit(all, facts)
  if ((first.opens ?? first.empty) !== undefined) return [first]
  const others = yield* Effect.replicateEffect(aMove(all), yield* below(4))
  return [
    first,
    ...others.map((tx) =>
      unitOf({
        ledger: [{ ...tx, source: newId() }],
        counters: [{ key: tx.wallet, add: brl(1), max: brl(100) }]
      })
    )
  ]
})

/** Writes random groups, each decided by the rules first: the database must come to the same end. */
const agrees = Effect.fnUntraced(function* (rounds: number) {
  const driver = yield* StorageDriver
  const all = world()
  yield* driver.write(
    MergedUnit.merge(
      [unitOf({ events: [{ event: eventOf(), deliveries: [all.delivery] }] })],
      newId()
    )
  )
  const outcomes = { done: 0, refused: 0 }
  const knownKeys = Facts.factKeys([unitOf({ inserts: all.rows, empty: all.wallets })])
  for (let round = 0; round < rounds; round++) {
    if (round % 5 === 0) {
      const claim = {
        queue: "charge",
        now: at(1000),
        max: 1,
        perGroup: 5
      } as const
      yield* driver.claim([{ ...claim, lease: Duration.zero, token: yield* oneOf(all.tokens) }])
    }
    const group = yield* aGroup(all, yield* driver.facts(knownKeys))
    const keys = Facts.factKeys(group)
    const facts = yield* driver.facts(keys)
    const before = plain(yield* driver.facts(keys))
    const refused = Decision.decideAll(facts, group).find((refusal) => refusal !== undefined)
    const failed = yield* driver.write(MergedUnit.merge(group, newId()))
    const message = JSON.stringify({ round, refused, failed, group }, (_, value) =>
      typeof value === "bigint" ? String(value) : value
    )
    assert.strictEqual(failed === null, refused === undefined, message)
    const after = plain(yield* driver.facts(keys))
    assert.deepStrictEqual(after, refused === undefined ? plain(facts) : before, message)
    if (refused === undefined) outcomes.done++
    else outcomes.refused++
  }
  return outcomes
})

for (const [name, storage, rounds] of [
  ["PostgreSQL", layerFresh(), 1500],
  ["PGlite", pglite({ templates }), 600]
] as const) {
  layer(storage, { excludeTestServices: true, timeout: "60 seconds" })(name, (it) => {
    it.effect(
      "writes what the rules of the write door accept, and nothing of what they refuse",
      () =>
        Effect.gen(function* () {
          const { done, refused } = yield* Random.withSeed(agrees(rounds), `agreement of ${name}`)
          assert.isAbove(done, rounds / 8)
          assert.isAbove(refused, rounds / 8)
        }),
      120_000
    )
  })
}
