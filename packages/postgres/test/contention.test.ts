import { assert, layer } from "@effect/vitest"
import type { Refused, Row, StorageError, Unit, WalletId } from "@pagora/core"
import {
  completeAudit,
  GroupCommit,
  LedgerAccount,
  LedgerTx,
  MergedUnit,
  StorageDriver
} from "@pagora/core"
import { Context, Effect, Exit, Layer, Random } from "effect"
import { postgres } from "../src/index.ts"
import { clientOf, layerKnown, sqlOn, Url } from "./FreshDatabase.test-data.ts"
import {
  at,
  brl,
  eventOf,
  moneyIn,
  newId,
  rowOf,
  transfer,
  txOf,
  unitOf
} from "./Units.test-data.ts"

/** Write doors of as many processes: each has a pool and a lane of its own. */
const doors = (url: string, count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function* () {
      // On a machine with other work a turn at a hot row takes longer than a lock is waited for.
      const options = { url, poolMax: 4, lockTimeout: "3 seconds" } as const
      const driver = Context.get(yield* Layer.build(postgres(options)), StorageDriver)
      return { driver, commit: yield* GroupCommit.groupCommit(driver) }
    })
  )

const below = (bound: number) => Random.nextIntBetween(0, bound - 1)
const oneOf = <A>(values: ReadonlyArray<A>) =>
  Effect.map(below(values.length), (index) => values[index] ?? assert.fail())

const funds = brl(200)
const cap = brl(400)

/** What everybody fights over. */
const aWorld = () => ({
  wallets: Array.from({ length: 40 }, () => newId<WalletId>()),
  rows: Array.from({ length: 40 }, (_, index) =>
    rowOf({ table: index % 8 === 0 ? "registry" : "operation" })
  ),
  jobs: Array.from({ length: 20 }, () => newId()),
  account: eventOf().account
})
type World = ReturnType<typeof aWorld>

/** A unit that touches several things at once, in no order; some of what it read is out of date. */
const aUnit = Effect.fnUntraced(function* (world: World, read: (row: Row) => number) {
  const [row, rested, job] = [
    yield* oneOf(world.rows),
    yield* oneOf(world.rows),
    yield* oneOf(world.jobs)
  ]
  const kind = yield* below(10)
  const moves = yield* Effect.replicateEffect(
    Effect.gen(function* () {
      const [from, to] = [yield* oneOf(world.wallets), yield* oneOf(world.wallets)]
      return from === to ? moneyIn(from, brl(1)) : transfer(from, to, brl((yield* below(30)) + 1))
    }),
    (yield* below(3)) + 1
  )
  const expects =
    rested.id === row.id ? [] : [{ table: rested.table, id: rested.id, version: read(rested) }]
  const unit: Partial<Unit> = {
    ledger: moves,
    ...(kind < 6
      ? { updates: [{ row: { ...row, document: `"${kind}"` }, expected: read(row) }] }
      : {}),
    ...(kind % 3 === 0 ? { expects } : {}),
    ...(kind === 4
      ? { keys: [{ space: "s", key: String(yield* below(200)), holder: row.id }] }
      : {}),
    ...(kind === 5 ? { counters: [{ key: "limit", add: brl(7), max: cap }] } : {}),
    ...(kind === 6
      ? {
          idempotency: {
            _tag: "Begin",
            scope: { wallet: row.id as WalletId, route: "r", key: String(yield* below(3)) },
            fingerprint: "f",
            entity: row.id,
            expiresAt: at(yield* below(50)),
            snapshot: null
          }
        }
      : {}),
    ...(kind === 7
      ? {
          events: [
            {
              event: eventOf({ account: world.account, key: String(yield* below(300)) }),
              deliveries: []
            }
          ]
        }
      : {}),
    ...(kind > 6
      ? {
          jobs: [
            { _tag: "Schedule", queue: "charge", id: job, group: world.account, due: at() },
            { _tag: "Cancel", queue: "inbox", id: yield* oneOf(world.jobs) },
            {
              _tag: "Schedule",
              queue: "webhook",
              id: yield* oneOf(world.jobs),
              group: job,
              due: at()
            }
          ]
        }
      : {})
  }
  return unitOf({ at: at(yield* below(100)), ...unit })
})

interface Told {
  readonly unit: Unit
  readonly exit: Exit.Exit<void, Refused | StorageError>
}

const refusalOf = ({ exit }: Told) => {
  const reason = Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined
  return reason?._tag === "Fail" ? reason.error : undefined
}

const balancesOf = (world: World, done: ReadonlyArray<Unit>) => {
  const balances = new Map<string, bigint>(world.wallets.map((wallet) => [wallet, funds]))
  for (const { account, amount } of done
    .flatMap((unit) => unit.ledger ?? [])
    .flatMap((tx) => tx.postings)) {
    const known = balances.get(account.owner)
    if (known !== undefined) balances.set(account.owner, known + amount)
  }
  return [...balances.values()]
}

layer(layerKnown, { excludeTestServices: true, timeout: "60 seconds" })(
  "processes that share a database",
  (it) => {
    it.effect(
      "each get the truth, whatever they fight over, and never wait for each other in a circle",
      () =>
        Effect.gen(function* () {
          const url = yield* Url
          const world = aWorld()
          const processes = yield* doors(url, 3)
          const [first] = processes
          const { commit, driver } = first ?? assert.fail()
          yield* commit(unitOf({ inserts: world.rows }))
          for (const wallet of world.wallets) {
            yield* commit(unitOf({ opens: [wallet], ledger: [moneyIn(wallet, funds)] }))
          }
          const told: Array<Told> = []
          const caller = Effect.fnUntraced(function* (process: (typeof processes)[number]) {
            const known = new Map(world.rows.map(({ id }) => [id, 1]))
            for (let turn = 0; turn < 60; turn++) {
              if (turn % 2 === 0) {
                for (const table of ["operation", "registry"] as const) {
                  const rows = yield* process.driver.rows(
                    table,
                    world.rows.map(({ id }) => id)
                  )
                  for (const { id, version } of rows) known.set(id, version)
                }
              }
              const unit = yield* aUnit(world, ({ id }) => known.get(id) ?? 0)
              const exit = yield* Effect.exit(process.commit(unit))
              for (const { row } of Exit.isSuccess(exit) ? (unit.updates ?? []) : []) {
                known.set(row.id, (known.get(row.id) ?? 0) + 1)
              }
              told.push({ unit, exit })
            }
          })
          yield* Random.withSeed(
            Effect.forEach(
              Array.from({ length: 60 }, (_, index) => processes[index % 3] ?? assert.fail()),
              caller,
              { concurrency: "unbounded" }
            ),
            "a fight"
          )

          const done = told.filter(({ exit }) => Exit.isSuccess(exit)).map(({ unit }) => unit)
          assert.isAbove(done.length, told.length / 10)
          const versions = new Map<string, number>()
          for (const table of ["operation", "registry"] as const) {
            const rows = yield* driver.rows(
              table,
              world.rows.map(({ id }) => id)
            )
            for (const { id, version } of rows) versions.set(id, version)
          }
          for (const { id } of world.rows) {
            const changes = done
              .flatMap((unit) => unit.updates ?? [])
              .filter(({ row }) => row.id === id)
            assert.strictEqual(versions.get(id), changes.length + 1)
            assert.strictEqual(
              new Set(changes.map(({ expected }) => expected)).size,
              changes.length
            )
          }
          const keys = done.flatMap((unit) => (unit.keys ?? []).map(({ key }) => key))
          assert.strictEqual(new Set(keys).size, keys.length)
          const events = done.flatMap((unit) => (unit.events ?? []).map(({ event }) => event.key))
          assert.strictEqual(new Set(events).size, events.length)
          const used = BigInt(done.filter((unit) => unit.counters !== undefined).length) * 7n
          assert.isTrue(used <= cap)
          const shown = yield* driver.wallets(world.wallets)
          assert.deepStrictEqual(
            shown.map(({ available }): bigint => available),
            balancesOf(world, done)
          )
          for (const one of told) {
            const refusal = refusalOf(one)
            if (refusal === undefined) assert.isTrue(Exit.isSuccess(one.exit))
            else if (refusal._tag === "StaleVersion") {
              const rested = [
                ...(one.unit.expects ?? []),
                ...(one.unit.updates ?? []).map(({ expected, row }) => ({
                  id: row.id,
                  version: expected
                }))
              ].find(({ id }) => id === refusal.id)
              assert.isBelow(rested?.version ?? assert.fail(), versions.get(refusal.id) ?? 0)
            } else if (refusal._tag === "DuplicateKey" && refusal.space !== "idempotency") {
              assert.include([...keys, ...events], refusal.key)
            } else if (refusal._tag === "LimitExceeded") {
              assert.isTrue(used + 7n > cap)
            } else {
              assert.include(["InsufficientFunds", "DuplicateKey"], refusal._tag)
            }
          }
          assert.deepStrictEqual((yield* completeAudit(driver)).violations, [])
          const [counts] = yield* sqlOn(
            url,
            "select deadlocks::int from pg_stat_database where datname = current_database()"
          )
          assert.deepStrictEqual(counts, { deadlocks: 0 })
        }),
      120_000
    )

    it.effect(
      "never both do what each of them rests on the other not having done",
      () =>
        Effect.gen(function* () {
          const [left, right] = yield* doors(yield* Url, 2)
          assert.isDefined(left)
          assert.isDefined(right)
          for (let round = 0; round < 150; round++) {
            const tables =
              round % 2 === 0
                ? (["operation", "registry"] as const)
                : (["operation", "operation"] as const)
            const [one, other] = tables.map((table) => rowOf({ table }))
            assert.isDefined(one)
            assert.isDefined(other)
            yield* left.commit(unitOf({ inserts: [one, other] }))
            const changing = (mine: Row, theirs: Row) =>
              unitOf({
                updates: [{ row: { ...mine, status: "taken" }, expected: 1 }],
                expects: [{ table: theirs.table, id: theirs.id, version: 1 }]
              })
            const answers = yield* Effect.all(
              [
                Effect.exit(left.commit(changing(one, other))),
                Effect.exit(right.commit(changing(other, one)))
              ],
              { concurrency: 2 }
            )
            assert.strictEqual(answers.filter(Exit.isSuccess).length, 1)
          }
        }),
      60_000
    )

    it.effect("rest on a row that somebody has locked or tried to change, once he has gone", () =>
      Effect.gen(function* () {
        const url = yield* Url
        const [door] = yield* doors(url, 1)
        const row = rowOf({ table: "registry" })
        yield* (door ?? assert.fail()).commit(unitOf({ inserts: [row] }))
        const { driver } = door ?? assert.fail()
        const resting = Effect.suspend(() =>
          driver.write(
            MergedUnit.merge(
              [
                unitOf({
                  expects: [{ table: row.table, id: row.id, version: 1 }],
                  inserts: [rowOf()]
                })
              ],
              newId()
            )
          )
        )
        const sql = yield* clientOf(url)
        for (const change of [
          `select 1 from pagora.registry where id = '${row.id}' for update`,
          `update pagora.registry set version = 2 where id = '${row.id}'`
        ]) {
          const held = sql.withTransaction(
            Effect.gen(function* () {
              yield* sql.unsafe(change)
              assert.deepStrictEqual(yield* resting, {
                expectation: "locked",
                locked: [`row ${row.id}`]
              })
              return yield* Effect.fail("changed his mind")
            })
          )
          yield* Effect.flip(held)
          assert.isNull(yield* resting)
        }
      })
    )

    it.effect(
      "keep what they hold apart: holds, releases and liens never let a bucket go below zero",
      () =>
        Effect.gen(function* () {
          const processes = yield* doors(yield* Url, 2)
          const { commit, driver } = processes[0] ?? assert.fail()
          const wallet = newId<WalletId>()
          yield* commit(unitOf({ opens: [wallet], ledger: [moneyIn(wallet, brl(300))] }))
          const [available, held] = [LedgerAccount.available(wallet), LedgerAccount.held(wallet)]
          const hold = unitOf({
            ledger: [
              txOf(wallet, brl(5), [
                LedgerTx.spend(available, brl(5)),
                LedgerTx.credit(held, brl(5))
              ])
            ]
          })
          const release = unitOf({
            ledger: [
              txOf(wallet, brl(5), [
                LedgerTx.debit(held, brl(5)),
                LedgerTx.credit(available, brl(5))
              ])
            ]
          })
          const claim = unitOf({ liens: [{ wallet, delta: brl(3) }] })
          const anew = (unit: Unit): Unit => ({
            ...unit,
            id: newId(),
            ...(unit.ledger === undefined
              ? {}
              : { ledger: unit.ledger.map((tx) => ({ ...tx, id: newId(), source: newId() })) })
          })
          const answers = yield* Effect.forEach(
            Array.from({ length: 900 }, (_, index) => index),
            (index) => {
              const unit = anew([hold, hold, release, claim][index % 4] ?? assert.fail())
              return Effect.map(
                Effect.exit((processes[index % 2] ?? assert.fail()).commit(unit)),
                (exit) => ({ exit, unit })
              )
            },
            { concurrency: 64 }
          )
          const counts = (wanted: string) =>
            BigInt(
              answers.filter(({ exit, unit }) => Exit.isSuccess(exit) && kindOf(unit) === wanted)
                .length
            )
          const [shown] = yield* driver.wallets([wallet])
          assert.strictEqual(shown?.held, 5n * (counts("hold") - counts("release")))
          assert.strictEqual(shown?.available, 300n - (shown?.held ?? 0n))
          assert.strictEqual(shown?.lien, 3n * counts("lien"))
        }),
      60_000
    )
  }
)

const kindOf = (unit: Unit): string => {
  const spends = unit.ledger?.[0]?.postings.some((posting) => posting.spends)
  return spends === undefined ? "lien" : spends ? "hold" : "release"
}
