import type { Claimed, Queue, StorageDriverShape, Uuid } from "@pagora/core"
import { DateTime, Effect } from "effect"
import type { Database } from "./Database.ts"
import { idPage } from "./Pages.ts"
import { instant, int, int4s, text, texts, uuid, uuids } from "./Parameters.ts"

/** Work in line: taking it, looking at it, and when there will be some. */
export const makeClaims = (
  database: Database
): Pick<StorageDriverShape, "claim" | "jobs" | "nextDue" | "purge" | "renew"> => ({
  claim: ({ bounds = [], clock, lease, max, now, perAccount, perGroup, queue, token }) =>
    Effect.map(
      database.read(claim, [
        text(queue),
        instant(now),
        instant(clock),
        instant(DateTime.addDuration(clock, lease)),
        int(max),
        int(perGroup),
        uuid(token),
        uuids(bounds.map(({ group }) => group)),
        int4s(bounds.map((bound) => bound.max)),
        perAccount === undefined ? null : int(perAccount)
      ]),
      (answers) =>
        answers.map((answer): Claimed => ({
          queue,
          id: answer["id"] as Uuid,
          group: answer["grp"] as Uuid,
          token,
          due: DateTime.fromDateUnsafe(answer["due"] as Date)
        }))
    ),
  renew: ({ clock, id, lease, queue, token }) =>
    Effect.map(
      database.read(renew, [
        text(queue),
        uuid(id),
        uuid(token),
        instant(DateTime.addDuration(clock, lease))
      ]),
      (answers) => answers.length > 0
    ),
  jobs: ({ group, queue, ...query }) => {
    const page = idPage("id", { ...query, order: "asc" })
    page.where("queue", text(queue))
    if (group !== undefined) page.where("grp", uuid(group))
    return Effect.map(
      database.read(`select id, grp, due from pagora.job ${page.text()}`, page.parameters),
      (answers) =>
        answers.map((answer) => ({
          id: answer["id"] as Uuid,
          group: answer["grp"] as Uuid,
          due: DateTime.fromDateUnsafe(answer["due"] as Date)
        }))
    )
  },
  nextDue: (queues: ReadonlyArray<Queue>) =>
    Effect.map(database.read("select pagora.next_due($1) as due", [texts(queues)]), (answers) => {
      const due = answers[0]?.["due"]
      return due instanceof Date ? DateTime.fromDateUnsafe(due) : undefined
    }),
  purge: (_what, before, max) =>
    Effect.map(database.read(purge, [instant(before), int(max)]), (answers) =>
      Number(answers[0]?.["count"] ?? 0)
    )
})

const claim =
  "select id, grp, due from pagora.claim_places($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"

const renew = `update pagora.job set leased_until = $4 where queue = $1 and id = $2 and token = $3 returning 1`

// Whoever is about to begin such a key anew keeps it: locked rows are left for the next time. What was purged ended at
// the epoch, so that the index by the end holds each key of the past once, and a look passes over none of them.
const purge = `with over as materialized (
    select i.wallet, i.key, i.route from pagora.idempotency i
      where i.expires_at > 'epoch' and i.expires_at <= $1 order by i.expires_at limit $2
      for no key update skip locked
  ), emptied as (
    update pagora.idempotency i set snapshot = null, expires_at = 'epoch' from over
      where i.wallet = over.wallet and i.key = over.key and i.route = over.route returning 1
  ) select count(*)::int as count from emptied`
