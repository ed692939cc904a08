import { claimPlaces, taking } from "./0021_spared.ts"

// What is locked stays in its place, so that it is found there again without a look into the index.
const takingInPlace = `taken as materialized (
      select j.ctid as place from pagora.job j
        where j.queue = line and j.id = any (ids) and j.due <= now_at
          and (j.token is null or j.leased_until <= clock_at)
        for update skip locked
    ), leased as (
      update pagora.job j set token = new_token, leased_until = until_at from taken t
        where j.ctid = t.place returning j.id, j.grp, j.due`

/**
 * A claim finds what it has locked by its place. Before, it looked for each of the jobs anew, and a session that had planned
 * that while the table was empty read the whole line for each: it has one plan for as long as it lasts.
 */
export const statements: ReadonlyArray<string> = [
  claimPlaces
    .replace("create function", "create or replace function")
    .replace(taking, takingInPlace)
]
