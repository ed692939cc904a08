import { assert, layer } from "@effect/vitest"
import type { AccountId, DeliveryId, EndpointId, StorageError, Uuid, WalletId } from "@pagora/core"
import { StorageDriver } from "@pagora/core"
import { Context, DateTime, Effect, Layer } from "effect"
import { postgres } from "../src/index.ts"
import { sqlOn, Url } from "./FreshDatabase.test-data.ts"

const many = 100_000
/** Of all those, so few are what a filter asks for; they are the oldest, and the newest come first. */
const few = 3

const account = "01900000-0000-7000-8000-00000000000a"
const branch = "01900000-0000-7000-8000-00000000000b"
const busy = "01900000-0000-7000-8000-00000000000c"
const quiet = "01900000-0000-7000-8000-00000000000d"

const ids = (prefix: string): string =>
  `('${prefix}-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
const rare = (value: string, common: string): string =>
  `case when n <= ${few} then '${value}' else '${common}' end`

const rowsOf = (table: string, prefix: string, wallet: string, kind: string, status: string) =>
  `insert into pagora.${table} (version, id, account, wallet, unit, kind, status, document)
    select 1, ${ids(prefix)}, '${account}', '${wallet}', '${account}', '${kind}', ${status}, '{}'
      from generate_series(1, ${many}) as n`

/** An account with a hundred thousand of everything that it is asked for by a filter. */
const filled: ReadonlyArray<string> = [
  rowsOf("operation", "01910000", account, "charge", rare("pending", "completed")),
  rowsOf("operation", "01920000", branch, "charge", rare("pending", "completed")),
  rowsOf("registry", "01930000", account, "discrepancy", rare("open", "resolved")),
  rowsOf("registry", "01940000", account, "project", "'active'"),
  `update pagora.registry set wallet = '${branch}' where kind = 'project' and id <= '01940000-0000-7000-8000-00000000000${few}'`,
  `insert into pagora.event (at, id, account, wallet, key, type, body)
    select now(), ${ids("01950000")}, '${account}', '${account}', n::text, 'payment_completed', '{}'
      from generate_series(1, ${many}) as n`,
  `insert into pagora.delivery (id, event, endpoint, account, status)
    select ${ids("01960000")}, ${ids("01950000")}, ${rare(quiet, busy)}::uuid, '${account}',
      ${rare("exhausted", "delivered")} from generate_series(1, ${many}) as n`,
  `insert into pagora.unique_key (space, key, holder)
    select 'project', '${account}/' || n, ${ids("01940000")} from generate_series(1, ${many}) as n`,
  `insert into pagora.job (due, id, grp, queue)
    select now() - n * interval '1 second', ${ids("01960000")}, ${rare(quiet, busy)}::uuid, 'webhook'
      from generate_series(1, ${many}) as n`,
  `insert into pagora.job (due, id, grp, queue) values (now(), '${branch}', '${branch}', 'expiry')`,
  "vacuum analyze"
]

const page = { order: "desc", limit: 20 } as const
const first = "01910000-0000-7000-8000-000000000001" as Uuid
const middle = "01910000-0000-7000-8000-00000000c350" as Uuid
const middleDelivery = "01960000-0000-7000-8000-00000000c350" as DeliveryId
const wallet = account as WalletId
const later = DateTime.makeUnsafe(Date.now() + 60_000)
const owner = account as AccountId

type Read = (
  driver: StorageDriver["Service"]
) => Effect.Effect<ReadonlyArray<unknown>, StorageError>

const discrepancies = { table: "registry", kind: "discrepancy", ...page } as const
const charges = [{ kind: "charge", statuses: ["creating", "pending"] }]

const lists: ReadonlyArray<readonly [string, Read]> = [
  [
    "transactions of a wallet by status",
    (driver) => driver.operations({ wallet, kinds: charges, ...page })
  ],
  [
    "transactions of an account by status",
    (driver) =>
      Effect.map(driver.operations({ account: owner, kinds: charges, ...page }), (rows) =>
        rows.filter((row) => row.wallet === account)
      )
  ],
  [
    "one kind of operation of a wallet by status",
    (driver) =>
      driver.list({ table: "operation", kind: "charge", wallet, status: "pending", ...page })
  ],
  [
    "transactions of a wallet in every status",
    (driver) =>
      driver.operations({ wallet, kinds: [{ kind: "charge" }], order: "desc", limit: few })
  ],
  [
    "one kind of operation of an account in every status",
    (driver) =>
      driver.list({
        table: "operation",
        kind: "charge",
        account: owner,
        order: "desc",
        limit: few
      })
  ],
  [
    "transactions of a wallet in every status, from the middle on",
    (driver) =>
      driver.operations({
        wallet,
        kinds: [{ kind: "charge" }],
        after: middle,
        first,
        order: "asc",
        limit: few
      })
  ],
  [
    "deliveries in every status, from the middle back",
    (driver) =>
      driver.deliveries({
        account: owner,
        after: middleDelivery,
        order: "desc",
        limit: few
      })
  ],
  [
    "a kind of the registry by status",
    (driver) => driver.list({ ...discrepancies, status: "open" })
  ],
  [
    "a kind of the registry by account and status",
    (driver) => driver.list({ ...discrepancies, account: owner, status: "open" })
  ],
  [
    "a kind of the registry by wallet",
    (driver) =>
      driver.list({
        table: "registry",
        kind: "project",
        account: owner,
        wallet: branch as WalletId,
        ...page
      })
  ],
  [
    "deliveries by status",
    (driver) => driver.deliveries({ account: owner, status: "exhausted", ...page })
  ],
  [
    "deliveries by endpoint",
    (driver) => driver.deliveries({ account: owner, endpoint: quiet as EndpointId, ...page })
  ],
  [
    "deliveries by endpoint and status, as a recovery reads them",
    (driver) =>
      driver.deliveries({
        account: owner,
        endpoint: quiet as EndpointId,
        status: "exhausted",
        ...page,
        order: "asc"
      })
  ],
  [
    "a kind of the registry by wallet and position",
    (driver) => driver.positions({ wallet, kind: "project", order: "desc", skip: 40, limit: few })
  ],
  [
    "the endpoints that wait longest",
    (driver) => driver.heads({ queues: ["webhook", "expiry"], now: later, limit: 20 })
  ],
  [
    "names by their position",
    (driver) =>
      driver.positions({ space: "project", under: account, order: "desc", skip: 40, limit: few })
  ]
]

/** So often a session plans anew for each value that is asked for; then it may keep a plan for all of them. */
const times = 8

/** Pages of tables and indexes that the list reads, on the whole, in a session of its own. */
const pagesRead = Effect.fnUntraced(function* (url: string, read: Read) {
  yield* sqlOn(url, "select pg_stat_reset()")
  const found = yield* Effect.scoped(
    Effect.gen(function* () {
      const context = yield* Layer.build(postgres({ url, poolMax: 1 }))
      const driver = Context.get(context, StorageDriver)
      for (let time = 1; time < times; time++) yield* read(driver)
      return yield* read(driver)
    })
  )
  const [told] = yield* Effect.repeat(
    sqlOn(
      url,
      `select coalesce(sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit), 0)::int as pages
         from pg_statio_user_tables where schemaname = 'pagora' and relname <> 'schema_version'`
    ),
    // A session tells what it did when it ends.
    { until: ([sum]) => Number(sum?.["pages"]) > 0 }
  )
  return { found: found.length, pages: Number(told?.["pages"]) }
})

const layerFilled = Layer.effectDiscard(
  Effect.gen(function* () {
    const url = yield* Url
    yield* Effect.scoped(Layer.build(postgres({ url })))
    yield* sqlOn(url, ...filled)
  })
).pipe(Layer.provideMerge(Url.layer))

layer(layerFilled, { excludeTestServices: true, timeout: "60 seconds" })("lists", (it) => {
  it.effect.each(lists)("read no more of 100,000 rows than they show: %s", ([, read]) =>
    Effect.gen(function* () {
      const { found, pages } = yield* pagesRead(yield* Url, read)
      assert.strictEqual(found, few)
      assert.isBelow(pages / times, 120)
    })
  )
})
