import type { LeaseToken, Queue, StorageDriver, StorageError, Uuid } from "@pagora/core"
import { DateTime, Duration, Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Pool } from "pg"
import type { Probe } from "./Probe.ts"
import type { Sample } from "./Sample.ts"

type Driver = StorageDriver["Service"]

const batches = 4
const batch = 500
const few = 20

const run = <A>(effect: Effect.Effect<A, StorageError>) => Effect.runPromise(effect)
const before = (period: Duration.Duration) =>
  DateTime.subtractDuration(Effect.runSync(DateTime.now), period)

const looking = (name: string, count: number, call: Probe["call"]): Probe => ({
  name,
  count,
  call,
  isRead: true
})
const taking = (name: string, count: number, call: Probe["call"]): Probe => ({
  name,
  count,
  call,
  isRead: false
})

/** A line that no worker takes from. */
const line: Queue = "subscriber:growth"
const queues: ReadonlyArray<Queue> = ["charge", "inbox", "payout", "return", "reconciliation", line]

/** What workers ask for all day. */
export const workProbes = (driver: Driver, sql: Pool): ReadonlyArray<Probe> => {
  const claim = async (queue: Queue): Promise<number> => {
    const claimed = await run(
      driver.claim([
        {
          queue,
          now: Effect.runSync(DateTime.now),
          lease: Duration.minutes(30),
          max: 64,
          perGroup: 64,
          token: randomUUID() as LeaseToken
        }
      ])
    )
    return claimed.length
  }
  return [
    looking("claim, nothing due", 100, () => claim("reconciliation")),
    looking("next due", 100, () => run(driver.nextDue(queues))),
    looking("heads", 100, () =>
      run(driver.heads({ queues, now: Effect.runSync(DateTime.now), limit: 20 }))
    ),
    taking("claim: making ready", 1, () =>
      sql.query(
        `insert into pagora.job (due, id, grp, queue) select now() - interval '1 minute', gen_random_uuid(),
          ('00000000-0000-7000-8000-' || lpad(to_hex(n % 200), 12, '0'))::uuid, '${line}' from generate_series(1, 3000) as n`
      )
    ),
    taking("claim of 64, 3,000 due", 40, async () => {
      if ((await claim(line)) < 64) throw new Error("A claim got less than there is.")
    }),
    taking("claim: clearing", 1, () => sql.query(`delete from pagora.job where queue = '${line}'`))
  ]
}

/** What is taken away, 500 at a time; what has to be there for that is put there first. */
export const purgeProbes = (driver: Driver, sql: Pool): ReadonlyArray<Probe> => {
  const purging = (
    name: string,
    take: () => Effect.Effect<number, StorageError>,
    prepare?: string
  ): ReadonlyArray<Probe> => [
    taking(`${name}: making ready`, 1, async () => {
      if (prepare !== undefined) await sql.query(prepare)
    }),
    taking(name, batches, async () => {
      const taken = await run(take())
      if (taken < batch) throw new Error(`${name}: only ${taken} were taken.`)
    })
  ]
  const rows = `generate_series(1, ${batches * batch}) as n`
  return [
    ...purging(
      "purge of 500 keys",
      () => driver.purge("idempotency", before(Duration.hours(1)), batch),
      `update pagora.idempotency set expires_at = now() - interval '2 hours', snapshot = '{}'
        where ctid in (select ctid from pagora.idempotency where expires_at = 'epoch' limit ${batches * batch})`
    ),
    ...purging(
      "purge of 500 counters",
      () => driver.purge("counter", before(Duration.days(7)), batch),
      `insert into pagora.counter (value, key) select 1, 'growth/' || n || '/daily/2020-01-01' from ${rows}`
    ),
    ...purging(
      "purge of 500 writes",
      () => driver.forgetWrites(batch),
      `insert into pagora.written (at, id) select now() - interval '2 days',
        ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid from ${rows}`
    ),
    ...purging("purge of 500 deliveries", () =>
      driver.purge("delivery", before(Duration.days(90)), batch)
    )
  ]
}

/** What the audit reads, page by page. */
export const auditProbes = (driver: Driver, { charges }: Sample): ReadonlyArray<Probe> => {
  const after = (index: number) => charges[index % charges.length]?.id as Uuid
  const lines = { queues: ["charge"], statuses: ["pending"] } as const
  return [
    looking("audit: 250 operations", few, (index) =>
      run(driver.audit.subjects({ after: after(index), limit: 250 }, lines))
    ),
    looking("audit: 5,000 of the ledger", few, (index) =>
      run(driver.audit.stretch({ after: after(index) as never, limit: 5_000 }))
    )
  ]
}
