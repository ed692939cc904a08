import { assert, layer } from "@effect/vitest"
import type { AccountId, LeaseToken, Unit, WalletId } from "@pagora/core"
import { CounterPeriod, Facts, MergedUnit, StorageDriver } from "@pagora/core"
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { postgres } from "../src/index.ts"
import { layerKnown, sqlOn, Url } from "./FreshDatabase.test-data.ts"
import { aPaidCharge, at, brl, eventOf, newId, rowOf, unitOf } from "./Units.test-data.ts"

const tables = [
  "attempt",
  "audited",
  "counter",
  "delivery",
  "event",
  "idempotency",
  "job",
  "ledger_tx",
  "operation",
  "posting",
  "registry",
  "unique_key",
  "wallet",
  "written"
]

/** Fills every table with so many rows of somebody else's. */
const fill = (count: number): ReadonlyArray<string> => {
  const many = `generate_series(1, ${count}) as n`
  const id = "gen_random_uuid()"
  const row = (kind: string) =>
    `select 1, ${id}, ${id}, ${id}, ${id}, '${kind}', 'new', 'r' || n, '{}' from ${many}`
  const columns = "(version, id, account, wallet, unit, kind, status, ref, document)"
  return [
    `insert into pagora.operation ${columns} ${row("charge")}`,
    `insert into pagora.registry ${columns} ${row("account")}`,
    `insert into pagora.wallet (id, updated_at) select ${id}, '2030-01-01' from ${many}`,
    `insert into pagora.ledger_tx (amount, id, source, account, wallet, leg, kind)
       select 1, ${id}, ${id}, ${id}, ${id}, 0, 'payment' from ${many}`,
    `insert into pagora.posting (amount, tx, owner, seq, bucket, spends)
       select 1, ${id}, ${id}, 0, 100, false from ${many}`,
    `insert into pagora.event (at, id, account, wallet, key, type, body)
       select '2030-01-01', ${id}, ${id}, ${id}, 'k' || n, 't', '{}' from ${many}`,
    `insert into pagora.delivery (id, event, endpoint, account) select ${id}, ${id}, ${id}, ${id} from ${many}`,
    `insert into pagora.attempt (at, delivery, duration_millis, number, status, outcome)
       select '2030-01-01', ${id}, 1, 1, 'queued', 'o' from ${many}`,
    `insert into pagora.idempotency (expires_at, created_at, wallet, entity, key, route, fingerprint)
       select case when n % 2 = 0 then '2040-01-01' else 'epoch' end::timestamptz,
         '2030-01-01', ${id}, ${id}, 'k' || n, 'r', 'f' from ${many}`,
    `insert into pagora.unique_key (holder, space, key) select ${id}, 's', 'k' || n from ${many}`,
    `insert into pagora.written (at, id) select '2030-01-01', ${id} from ${many}`,
    `insert into pagora.audited (id, through, available, held, promotional) select ${id}, ${id}, 0, 0, 0 from ${many}`,
    `insert into pagora.counter (value, key) select 1, 'withdrawal/' || n || '/daily/2040-01-01' from ${many}`,
    `insert into pagora.job (due, id, grp, queue)
       select timestamptz '2040-01-01', ${id}, '00000000-0000-7000-8000-000000000000', 'inbox' from ${many}`
  ]
}

const rowsOfOthers = 20_000

/** How often indexes were looked at, and how many entries of them were read. */
const looksAt = (url: string, indexes: string) =>
  Effect.map(
    sqlOn(
      url,
      `select sum(idx_scan)::int as scans, sum(idx_tup_read)::int as read from pg_stat_user_indexes
         where schemaname = 'pagora' and ${indexes}`
    ),
    ([row]) => ({ scans: Number(row?.["scans"]), read: Number(row?.["read"]) })
  )

/** What the service does all day, once, with every part that a unit can have. */
const aDay = (driver: StorageDriver["Service"]) =>
  Effect.gen(function* () {
    const write = (unit: Unit) => driver.write(MergedUnit.merge([unit], newId()))
    const wallet = newId<WalletId>()
    const scope = { wallet, route: "r", key: "k" }
    const { delivered, opened, paid, row } = aPaidCharge(wallet)
    const account = rowOf({ table: "registry", id: wallet, kind: "account" })
    const begin = {
      scope,
      fingerprint: "f",
      entity: row.id,
      expiresAt: at(60),
      snapshot: null
    } as const
    const rests = { expects: [{ table: "registry", id: account.id, version: 1 }] } as const
    yield* write(unitOf({ opens: [wallet], inserts: [account] }))
    yield* write({ ...opened, ...rests, idempotency: { _tag: "Begin", ...begin } })
    const complete = { _tag: "Complete", scopes: [scope], entity: row.id, snapshot: "{}" } as const
    yield* write({
      ...paid,
      ...rests,
      idempotency: complete,
      counters: [{ key: wallet, add: brl(1), max: brl(9) }]
    })
    yield* write(delivered)
    yield* write(unitOf({ updates: [{ row: account, expected: 1 }], empty: [] }))
    yield* driver.facts(Facts.factKeys([opened, paid, delivered]))

    const [publication] = paid.events ?? []
    const [delivery] = publication?.deliveries ?? []
    assert.isDefined(delivery)
    const page = { order: "desc", limit: 20 } as const
    yield* driver.rows("operation", [row.id])
    yield* driver.rows("registry", [account.id])
    yield* driver.wallets([wallet])
    yield* driver.idempotency([scope])
    yield* driver.look([
      { _tag: "Row", table: "operation", id: row.id },
      { _tag: "Row", table: "registry", id: account.id },
      { _tag: "Name", wallet, id: row.id, name: row.id },
      { _tag: "Name", wallet, name: row.ref ?? "" },
      { _tag: "Name", wallet, name: "k" },
      { _tag: "Key", space: "e2e", key: row.id }
    ])
    yield* driver.list({ table: "operation", kind: "charge", wallet, ...page })
    yield* driver.list({
      table: "operation",
      kind: "charge",
      account: wallet,
      after: row.id,
      ...page
    })
    yield* driver.list({ table: "registry", kind: "account", account: wallet, ...page })
    yield* driver.list({ table: "registry", kind: "account", status: "new", ...page })
    yield* driver.list({ table: "operation", kind: "charge", wallet, status: "pending", ...page })
    yield* driver.positions({ wallet, kind: "account", order: "desc", skip: 0, limit: 20 })
    yield* driver.positions({ space: "e2e", under: "x", order: "asc", skip: 0, limit: 20 })
    yield* driver.ledgerTxs((paid.ledger ?? []).map(({ id }) => id))
    yield* driver.operations({
      wallet,
      kinds: [{ kind: "charge", statuses: ["completed"] }, { kind: "deposit" }],
      ...page
    })
    yield* driver.operations({ wallet, kinds: [{ kind: "charge" }], ref: "r", ...page })
    yield* driver.movements({ wallet, ...page })
    yield* driver.movements({ wallet, kinds: ["fee", "internal_transfer"], ...page })
    const owner = wallet as string as AccountId
    yield* driver.movements({ account: owner, ...page })
    yield* driver.movements({ account: owner, kinds: ["fee", "internal_transfer"], ...page })
    yield* driver.operations({
      account: owner,
      kinds: [{ kind: "charge" }, { kind: "deposit" }],
      ...page
    })
    yield* driver.list({ table: "registry", kind: "account", after: row.id, ...page })
    yield* driver.events([publication?.event.id ?? eventOf().id])
    yield* driver.deliveries({ ids: [delivery.id] })
    yield* driver.deliveries({ account: owner, status: "delivered", ...page })
    yield* driver.deliveries({ account: owner, ...page })
    yield* driver.deliveries({ account: owner, endpoint: delivery.endpoint, ...page })
    yield* driver.attempts([delivery.id])
    yield* driver.resolveWrite(newId())
    yield* driver.forgetWrites(100)
    const lease = { lease: Duration.seconds(1), token: newId<LeaseToken>(), max: 10, perGroup: 5 }
    yield* driver.claim([{ queue: "inbox", now: at(), ...lease }])
    yield* driver.nextDue(["inbox", "charge"])
    yield* driver.heads({ queues: ["inbox", "charge"], now: at(), limit: 20 })
    yield* driver.purge("idempotency", at(-3600), 100)
    yield* driver.purge("counter", at(-86_400 * 90), 100)
    yield* driver.purge("delivery", at(-86_400 * 90), 100)
    const [tx] = paid.ledger ?? []
    assert.isDefined(tx)
    const open = [{ kind: "charge", statuses: ["pending"] }]
    const lines = { queues: ["charge"], statuses: ["completed"] } as const
    yield* driver.audit.subjects({ ids: [row.id] }, lines)
    yield* driver.audit.subjects({ after: row.id, limit: 5 }, lines)
    yield* driver.audit.stretch({ after: tx.id, limit: 5 })
    yield* driver.audit.wallets({ ids: [wallet] }, { from: "proved", mark: tx.id, open })
    yield* driver.audit.wallets({ after: wallet, limit: 5 }, { mark: tx.id, open })
    yield* driver.audit.suspense([owner], { kinds: ["deposit"], open })
    yield* driver.audit.deliveries({ after: delivery.id, limit: 5 })
    const sums = { available: 1n, held: 0n, promotional: 0n }
    yield* driver.audit.keep([{ id: wallet, through: tx.id, ...sums }])
  })

layer(layerKnown, { excludeTestServices: true, timeout: "60 seconds" })("plans", (it) => {
  it.effect(
    "that were made while the tables were empty read no table from end to end when they are full",
    () =>
      Effect.gen(function* () {
        const url = yield* Url
        // One session, so that each statement has its plan from the first days.
        yield* Effect.scoped(
          Effect.gen(function* () {
            const context = yield* Layer.build(postgres({ url, poolMax: 1 }))
            const driver = Context.get(context, StorageDriver)
            for (let day = 0; day < 8; day++) yield* aDay(driver)
            yield* sqlOn(url, ...fill(rowsOfOthers), "select pg_stat_reset()")
            for (let day = 0; day < 3; day++) yield* aDay(driver)
          })
        )
        const read = yield* Effect.repeat(
          sqlOn(
            url,
            `select relname as table, seq_tup_read::int as read, n_tup_ins::int as written from pg_stat_user_tables
               where schemaname = 'pagora' and relname <> 'schema_version' order by 1`
          ),
          // A session tells what it did when it ends.
          {
            until: (rows) =>
              rows.every(({ table, written }) => table === "counter" || Number(written) > 0)
          }
        )
        assert.deepStrictEqual(
          read.map(({ table }) => table),
          tables
        )
        assert.deepStrictEqual(
          read.filter(({ read }) => Number(read) >= rowsOfOthers),
          []
        )
      }),
    60_000
  )

  it.effect("find the counters that are over without passing over those that still count", () =>
    Effect.gen(function* () {
      const url = yield* Url
      const now = yield* DateTime.now
      const counters = (period: "daily" | "monthly") =>
        `insert into pagora.counter (value, key)
           select 1, 'w/' || n || '/${period}/${CounterPeriod.nameOf(period, now)}' from generate_series(1, 5000) as n`
      yield* sqlOn(url, "truncate pagora.counter", counters("daily"), counters("monthly"))
      const looks = looksAt(url, "indexrelname = 'counter_period'")
      const before = yield* looks
      yield* Effect.scoped(
        Effect.gen(function* () {
          const driver = Context.get(yield* Layer.build(postgres({ url })), StorageDriver)
          assert.strictEqual(yield* driver.purge("counter", now, 500), 0)
        })
      )
      // A session tells what it did when it ends.
      const after = yield* Effect.repeat(looks, { until: ({ scans }) => scans > before.scans })
      assert.isBelow(after.read - before.read, 10)
    })
  )

  it.effect("find the deliveries that are over without passing over those that are not", () =>
    Effect.gen(function* () {
      const url = yield* Url
      const looks = looksAt(url, "relname = 'delivery'")
      const waiting = `insert into pagora.delivery (id, event, endpoint, account)
        select ('01000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, gen_random_uuid(), gen_random_uuid(), gen_random_uuid()
          from generate_series(1, 5000) as n`
      yield* sqlOn(url, waiting)
      const before = yield* looks
      yield* Effect.scoped(
        Effect.gen(function* () {
          const driver = Context.get(yield* Layer.build(postgres({ url })), StorageDriver)
          assert.strictEqual(yield* driver.purge("delivery", yield* DateTime.now, 500), 0)
        })
      )
      // A session tells what it did when it ends.
      const after = yield* Effect.repeat(looks, { until: ({ scans }) => scans > before.scans })
      assert.isBelow(after.read - before.read, 10)
    })
  )

  it.effect("of claims that were made while few waited do not read a long line for each job", () =>
    Effect.gen(function* () {
      const url = yield* Url
      const looks = looksAt(url, "relname = 'job'")
      const waiting = (count: number) =>
        sqlOn(
          url,
          `insert into pagora.job (due, id, grp, queue)
             select timestamptz '2020-01-01', gen_random_uuid(), gen_random_uuid(), 'payout'
             from generate_series(1, ${count})`
        )
      // As new, so that the planner knows nothing of it.
      yield* sqlOn(url, "truncate pagora.job")
      const [claimed, before] = yield* Effect.scoped(
        Effect.gen(function* () {
          const context = yield* Layer.build(postgres({ url, poolMax: 1 }))
          const driver = Context.get(context, StorageDriver)
          const claim = Effect.suspend(() =>
            driver.claim([
              {
                queue: "payout",
                now: at(),
                lease: Duration.minutes(1),
                token: newId<LeaseToken>(),
                max: 20,
                perGroup: 5
              }
            ])
          )
          for (let day = 0; day < 8; day++) {
            yield* waiting(1)
            assert.strictEqual((yield* claim).length, 1)
          }
          yield* waiting(5_000)
          const seen = yield* looks
          return [yield* claim, seen] as const
        })
      )
      assert.strictEqual(claimed.length, 20)
      // A session tells what it did when it ends.
      const after = yield* Effect.repeat(looks, { until: ({ scans }) => scans > before.scans })
      assert.isBelow(after.read - before.read, 5_000)
    })
  )

  it.effect("of what is looked up open nothing that was not asked for", () =>
    Effect.gen(function* () {
      const url = yield* Url
      const opened = (tag: string) =>
        Effect.map(
          sqlOn(
            url,
            `select array(
                 select distinct l.relation::regclass::text from pg_locks l join pg_class c on c.oid = l.relation
                   where l.pid = pg_backend_pid() and c.relkind = 'r' and c.relnamespace = 'pagora'::regnamespace order by 1
               ) as tables
               from (select count(*) as found from pagora.look(
                 array['${tag}'], array[gen_random_uuid()], array[gen_random_uuid()], array['s'], array['k']
               )) as l where l.found = 0`
          ),
          ([row]) => row?.["tables"]
        )
      assert.deepStrictEqual(yield* opened("registry"), ["pagora.registry"])
      assert.deepStrictEqual(yield* opened("operation"), ["pagora.operation"])
      assert.deepStrictEqual(yield* opened("Only"), ["pagora.registry"])
      const holders = ["pagora.operation", "pagora.registry", "pagora.unique_key"]
      assert.deepStrictEqual(yield* opened("Key"), holders)
    })
  )

  it.effect("are pinned on every function that is called all the time", () =>
    Effect.gen(function* () {
      const functions = yield* sqlOn(
        yield* Url,
        `select p.proname as name, p.proconfig as settings from pg_proc p
           join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'pagora' and p.proname <> 'is_at_work' order by 1`
      )
      assert.isAbove(functions.length, 8)
      for (const { settings } of functions) {
        assert.includeMembers(settings as Array<string>, [
          "plan_cache_mode=force_generic_plan",
          "enable_seqscan=off",
          "enable_hashjoin=off",
          "enable_mergejoin=off"
        ])
      }
    })
  )
})
