import type {
  Claim,
  Claimed,
  LeaseToken,
  Queue,
  StorageDriverShape,
  StorageError,
  Uuid
} from "@pagora/core"
import { CounterPeriod } from "@pagora/core"
import { Clock, DateTime, Duration, Effect } from "effect"
import type { Database } from "./Database.ts"
import { idPage } from "./Pages.ts"
import {
  bool,
  instant,
  instants,
  int,
  int4s,
  millis,
  text,
  texts,
  uuid,
  uuids
} from "./Parameters.ts"

/** Whose clock is everybody's: the server's, or that of the one process that uses it. */
export type ClockSource = "database" | "process"

/** Work in line: taking it, looking at it, when there will be some, and the clock of all that. */
export const makeClaims = (
  database: Database,
  source: ClockSource
): Pick<
  StorageDriverShape,
  "clock" | "claim" | "heads" | "jobs" | "nextDue" | "purge" | "renew"
> => ({
  clock: source === "process" ? processClock : ofServer(database),
  claim: claiming(database, source),
  renew: ({ id, lease, queue, token }) =>
    Effect.map(
      Effect.flatMap(told(source), (clock) =>
        database.read(renew, [
          text(queue),
          uuid(id),
          uuid(token),
          int(Duration.toMillis(lease)),
          clock
        ])
      ),
      (answers) => answers.length > 0
    ),
  ...linesIn(database),
  purge: (what, before, max) =>
    Effect.map(
      what === "counter"
        ? database.read(purgeCounters, [instant(before), int(max), text(CounterPeriod.zone)])
        : database.read(purges[what], [instant(before), int(max)]),
      (answers) => Number(answers[0]?.["count"] ?? 0)
    )
})

/** What stands in line, whoever takes it. */
const linesIn = (database: Database): Pick<StorageDriverShape, "jobs" | "heads" | "nextDue"> => ({
  jobs: ({ group, queue, ...query }) => {
    const page = idPage("id", { ...query, order: "asc" })
    const ended = page.along(
      { column: "queue", value: page.parameter(text(queue)) },
      ...(group === undefined ? [] : [`grp = ${page.parameter(uuid(group))}`])
    )
    return Effect.map(
      database.read(`select id, grp, due from pagora.job ${ended}`, page.parameters),
      (answers) =>
        answers.map((answer) => ({
          id: answer["id"] as Uuid,
          group: answer["grp"] as Uuid,
          due: DateTime.fromDateUnsafe(answer["due"] as Date)
        }))
    )
  },
  heads: ({ limit, now, queues }) =>
    Effect.map(
      database.read("select grp, due from pagora.heads($1, $2, $3)", [
        texts(queues),
        instant(now),
        int(limit)
      ]),
      (answers) =>
        answers.map((answer) => ({
          group: answer["grp"] as Uuid,
          due: DateTime.fromDateUnsafe(answer["due"] as Date)
        }))
    ),
  nextDue: (queues: ReadonlyArray<Queue>) =>
    Effect.map(database.read("select pagora.next_due($1) as due", [texts(queues)]), (answers) => {
      const due = answers[0]?.["due"]
      return due instanceof Date ? DateTime.fromDateUnsafe(due) : undefined
    })
})

const claim =
  "select token, id, grp, due from pagora.claim_lines($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"

/** In the order of their lines, so that two processes never wait for each other in a circle. */
const inOrder = (claims: ReadonlyArray<Claim>) =>
  claims.toSorted((one, other) => (one.queue < other.queue ? -1 : one.queue > other.queue ? 1 : 0))

/** Whoever lost the answer gets the same jobs again. */
const claiming =
  (database: Database, source: ClockSource): StorageDriverShape["claim"] =>
  (unordered) =>
    Effect.gen(function* () {
      const claims = inOrder(unordered)
      const asking = new Map(unordered.map(({ queue, token }, place) => [token, { queue, place }]))
      const placeOf = ({ token }: Claimed) => asking.get(token)?.place ?? 0
      const bounds = claims.flatMap((one, index) =>
        (one.bounds ?? []).map((bound) => ({ ...bound, at: index + 1 }))
      )
      const spared = claims.flatMap((one, index) =>
        (one.spared ?? []).map((job) => ({ ...job, at: index + 1 }))
      )
      const asked = [
        texts(claims.map(({ queue }) => queue)),
        instants(claims.map(({ now }) => millis(now))),
        int4s(claims.map(({ max }) => max)),
        int4s(claims.map(({ perGroup }) => perGroup)),
        int4s(claims.map(({ perAccount }) => perAccount ?? null)),
        uuids(claims.map(({ token }) => token)),
        int4s(claims.map(({ lease }) => Duration.toMillis(lease))),
        int4s(bounds.map(({ at }) => at)),
        uuids(bounds.map(({ group }) => group)),
        int4s(bounds.map((bound) => bound.max)),
        yield* told(source)
      ]
      const values = (isAgain: boolean) => [
        ...asked,
        bool(isAgain),
        int4s(spared.map(({ at }) => at)),
        uuids(spared.map(({ id }) => id)),
        uuids(spared.map(({ token }) => token))
      ]
      const answers = yield* Effect.catch(database.run(claim, values(false)), () =>
        database.read(claim, values(true))
      )
      return answers
        .map((answer): Claimed => ({
          queue: asking.get(answer["token"] as LeaseToken)?.queue as Queue,
          id: answer["id"] as Uuid,
          group: answer["grp"] as Uuid,
          token: answer["token"] as LeaseToken,
          due: DateTime.fromDateUnsafe(answer["due"] as Date)
        }))
        .toSorted((one, other) => placeOf(one) - placeOf(other))
    })

const renew = `update pagora.job
  set leased_until = coalesce($5::timestamptz, clock_timestamp()) + $4::int * interval '1 millisecond'
  where queue = $1 and id = $2 and token = $3 returning 1`

/** What a statement is told of the time: nothing, where the server knows. */
const told = (source: ClockSource) =>
  source === "process" ? Effect.map(processClock, instant) : Effect.succeed(null)

export const processClock = Effect.map(Clock.currentTimeMillis, (millis) =>
  DateTime.makeUnsafe(millis)
)

const ofServer = (database: Database): Effect.Effect<DateTime.Utc, StorageError> =>
  Effect.map(database.read("select clock_timestamp() as now", []), ([answer]) =>
    DateTime.fromDateUnsafe(answer?.["now"] as Date)
  )

/** The server knows the calendar as well; to the process it is megabytes, and it may have no other use for it. */
const purgeCounters =
  "select pagora.forget_counters(to_char($1 at time zone $3, 'YYYY-MM-DD'), $2) as count"

// Whoever is about to begin such a key anew keeps it: locked rows are left for the next time. What was purged ended at
// the epoch, so that the index by the end holds each key of the past once, and a look passes over none of them.
const purgeKeys = `with over as materialized (
    select i.wallet, i.key, i.route from pagora.idempotency i
      where i.expires_at > 'epoch' and i.expires_at <= $1 order by i.expires_at limit $2
      for no key update skip locked
  ), emptied as (
    update pagora.idempotency i set snapshot = null, expires_at = 'epoch' from over
      where i.wallet = over.wallet and i.key = over.key and i.route = over.route returning 1
  ) select count(*)::int as count from emptied`

const purges = {
  idempotency: purgeKeys,
  delivery: "select pagora.forget_deliveries($1, $2) as count"
} as const
