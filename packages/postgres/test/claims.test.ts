import { assert, layer } from "@effect/vitest"
import type { Claim, LeaseToken, Uuid } from "@pagora/core"
import { MergedUnit, StorageDriver } from "@pagora/core"
import { Clock, DateTime, Duration, Effect, Random } from "effect"
import { layerKnown, layerKnownByProcess, sqlOn, Url } from "./FreshDatabase.test-data.ts"
import { clockTelling } from "./TwoClocks.test-data.ts"
import { at, newId, unitOf } from "./Units.test-data.ts"

/** On a machine whose clock stands still at an instant. */
const atClock = (clock: DateTime.Utc) =>
  Effect.provideService(
    Clock.Clock,
    clockTelling(() => DateTime.toEpochMillis(clock))
  )

/** Claims at an instant of the process's clock. */
const claim = (parts: Partial<Claim> = {}, clock = at()) =>
  StorageDriver.use((driver) =>
    driver.claim([
      {
        queue: "webhook",
        now: at(),
        lease: Duration.seconds(60),
        max: 64,
        perGroup: 16,
        token: newId<LeaseToken>(),
        ...parts
      }
    ])
  ).pipe(atClock(clock))

const schedule = (group: Uuid, count: number) =>
  StorageDriver.use((driver) =>
    driver.write(
      MergedUnit.merge(
        [
          unitOf({
            jobs: Array.from({ length: count }, (_, index) => ({
              _tag: "Schedule" as const,
              queue: "webhook" as const,
              id: newId(),
              group,
              due: at(index - count)
            }))
          })
        ],
        newId()
      )
    )
  )

/** Work that fell due long ago, for one group. */
const backlog = (group: Uuid, count: number) =>
  Effect.flatMap(Url, (url) =>
    sqlOn(
      url,
      `insert into pagora.job (queue, id, grp, due)
         select 'webhook', gen_random_uuid(), '${group}', timestamptz '2030-01-01' + n * interval '1 second'
         from generate_series(1, ${count}) as n`
    )
  )

/** How many rows of jobs the database has looked at so far, by index or otherwise. */
const looked = Effect.flatMap(Url, (url) =>
  Effect.map(
    sqlOn(
      url,
      "select pg_stat_force_next_flush()",
      `select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_user_tables
         where schemaname = 'pagora' and relname = 'job'`
    ),
    ([row]) => Number(row?.["rows"])
  )
)

/** The storage's own sessions tell what they did about once a second. */
const settled = Effect.sleep("1200 millis")

/** What something answers, and at how many rows of jobs the database looked for it. */
const looking = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  yield* settled
  const before = yield* looked
  const value = yield* effect
  yield* settled
  return [value, (yield* looked) - before] as const
})

const countsOf = (claimed: ReadonlyArray<{ readonly group: Uuid }>) =>
  Object.values(Object.groupBy(claimed, ({ group }) => group)).map((jobs) => jobs?.length ?? 0)

interface Line {
  readonly id: Uuid
  readonly group: Uuid
  readonly due: number
  until: number
}

/** What a claim has to give, told as plainly as can be. */
const expected = (
  line: ReadonlyArray<Line>,
  now: number,
  clock: number,
  max: number,
  perGroup: number
) => {
  const turns = Object.values(Object.groupBy(line, ({ group }) => group)).flatMap((jobs = []) => {
    const inFlight = jobs.filter(({ until }) => until > clock).length
    const due = jobs.filter((job) => job.until <= clock && job.due <= now).toSorted(byDue)
    return due.slice(0, Math.max(0, perGroup - inFlight)).map((job, turn) => ({ job, turn }))
  })
  return turns
    .toSorted((a, b) => a.turn - b.turn || byDue(a.job, b.job))
    .slice(0, max)
    .map(({ job }) => job)
    .toSorted(byDue)
}

const byDue = (a: Line, b: Line): number => a.due - b.due || (a.id < b.id ? -1 : 1)

const oneOf = <A>(values: ReadonlyArray<A>) =>
  Effect.map(Random.nextIntBetween(0, values.length - 1), (index) => values[index] ?? assert.fail())

layer(layerKnown, { excludeTestServices: true, timeout: "60 seconds" })(
  "the lease of a process whose clock is wrong",
  (it) => {
    it.effect("goes by the clock of the database, where it is taken and where it is renewed", () =>
      Effect.gen(function* () {
        const driver = yield* StorageDriver
        yield* schedule(newId(), 1)
        const now = yield* driver.clock
        const parts = { now: DateTime.add(now, { days: 3_650 }), lease: Duration.seconds(60) }
        const offBy = (seconds: number) => DateTime.add(now, { seconds })
        const [job] = yield* claim(parts, now)
        assert.isDefined(job)
        assert.deepStrictEqual(yield* claim(parts, offBy(120)), [])
        const renewal = { ...job, queue: "webhook", lease: parts.lease } as const
        assert.isTrue(yield* atClock(offBy(-120))(driver.renew(renewal)))
        assert.deepStrictEqual(yield* claim(parts, now), [])
      })
    )
  }
)

layer(layerKnownByProcess, { excludeTestServices: true, timeout: "60 seconds" })(
  "claims of due work",
  (it) => {
    it.effect(
      "cost the same, and come as evenly, however long the line of one group is",
      () =>
        Effect.gen(function* () {
          const [dead, others] = [newId(), Array.from({ length: 20 }, () => newId())]
          yield* backlog(dead, 100_000)
          for (const group of others) yield* schedule(group, 5)
          const [first, looks] = yield* looking(claim())
          assert.isBelow(looks, 3_000)
          // 21 groups for 64 jobs: three of each, and the oldest fourth ones.
          assert.strictEqual(first.length, 64)
          assert.deepStrictEqual(countsOf(first).toSorted(), [
            ...Array.from({ length: 20 }, () => 3),
            4
          ])

          const rest = yield* claim()
          const more = yield* claim()
          const all = [...first, ...rest, ...more]
          assert.strictEqual(new Set(all.map(({ id }) => id)).size, all.length)
          assert.strictEqual(all.filter(({ group }) => group === dead).length, 16)
          assert.strictEqual(all.length, 16 + 20 * 5)
          assert.strictEqual((yield* claim()).length, 0)
        }),
      60_000
    )

    it.effect("of many groups at once keep every limit exactly", () =>
      Effect.gen(function* () {
        const groups = Array.from({ length: 8 }, () => newId())
        for (const group of groups) yield* schedule(group, 40)
        const claims = Array.from({ length: 12 }, () => claim({ max: 30, perGroup: 7 }))
        const claimed = (yield* Effect.all(claims, { concurrency: "unbounded" })).flat()
        const ours = claimed.filter(({ group }) => groups.includes(group))
        assert.strictEqual(new Set(ours.map(({ id }) => id)).size, ours.length)
        assert.deepStrictEqual(
          countsOf(ours),
          groups.map(() => 7)
        )
      })
    )

    it.effect("give lost work out again when its lease is over, and count it until then", () =>
      Effect.gen(function* () {
        const group = newId()
        yield* schedule(group, 3)
        const mine = (parts: Partial<Claim>, clock = at()) =>
          Effect.map(claim({ perGroup: 2, ...parts }, clock), (jobs) =>
            jobs.filter((job) => job.group === group)
          )
        const lost = yield* mine({ lease: Duration.seconds(10) })
        assert.strictEqual(lost.length, 2)
        assert.strictEqual((yield* mine({}, at(9))).length, 0)
        const again = yield* mine({}, at(10))
        assert.deepStrictEqual(
          again.map(({ id }) => id),
          lost.map(({ id }) => id)
        )
      })
    )

    it.effect(
      "give the oldest of every group before the second of any, in every kind of line",
      () =>
        Effect.gen(function* () {
          const driver = yield* StorageDriver
          for (const [groups, jobs] of [
            [3, 900],
            [40, 900],
            [300, 900],
            [5, 60]
          ] as const) {
            const ids = Array.from({ length: groups }, () => newId())
            const line: Array<Line> = []
            for (let index = 0; index < jobs; index++) {
              const group = yield* oneOf(yield* oneOf([ids, ids.slice(0, 2)]))
              line.push({ id: newId(), group, due: yield* Random.nextIntBetween(0, 200), until: 0 })
            }
            const unit = unitOf({
              jobs: line.map(({ due, group, id }) => ({
                _tag: "Schedule",
                queue: "charge",
                id,
                group,
                due: at(due)
              }))
            })
            assert.isNull(yield* driver.write(MergedUnit.merge([unit], newId())))
            for (let clock = 1; clock < 40; clock++) {
              const [now, max, perGroup] = [
                yield* oneOf([50, 150, 200]),
                yield* oneOf([1, 20, 64]),
                yield* oneOf([1, 5, 64])
              ]
              const wanted = expected(line, now, clock, max, perGroup)
              const seconds = yield* oneOf([2, 1000])
              const lease = Duration.seconds(seconds)
              const request = { queue: "charge", now: at(now), lease, max, perGroup } as const
              const given = yield* claim(request, at(clock))
              assert.deepStrictEqual(
                given.map(({ id }) => id),
                wanted.map(({ id }) => id)
              )
              for (const job of wanted) job.until = clock + seconds
            }
            const over = unitOf({
              jobs: line.map(({ id }) => ({ _tag: "Cancel", queue: "charge", id }))
            })
            assert.isNull(yield* driver.write(MergedUnit.merge([over], newId())))
          }
        }).pipe(Random.withSeed("lines")),
      60_000
    )
  }
)

// In a database of its own: nothing else looks at jobs there.
layer(layerKnownByProcess, { excludeTestServices: true, timeout: "60 seconds" })(
  "claims of due work",
  (it) => {
    it.effect(
      "and the next instant stay quick over thousands of groups",
      () =>
        Effect.gen(function* () {
          const url = yield* Url
          yield* sqlOn(
            url,
            `insert into pagora.job (queue, id, grp, due)
             select 'inbox', gen_random_uuid(), gen_random_uuid(), timestamptz '2040-01-01' + n * interval '1 second'
             from generate_series(1, 5000) as n`
          )
          const [none, claiming] = yield* looking(claim({ queue: "inbox" }))
          assert.strictEqual(none.length, 0)
          assert.isBelow(claiming, 100)
          const [due, asking] = yield* looking(
            StorageDriver.use((driver) => driver.nextDue(["inbox"]))
          )
          assert.strictEqual(due && DateTime.toEpochMillis(due), Date.UTC(2040, 0, 1, 0, 0, 1))
          assert.isBelow(asking, 100)
        }),
      60_000
    )
  }
)
