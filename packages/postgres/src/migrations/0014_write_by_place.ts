import { bodyOf, expectations, fail, newJobs, parts, rows } from "./0002_write.ts"
import { writeOver } from "./0006_write_identity.ts"
import { widened } from "./0010_attempt_numbers.ts"

// As before: new jobs are put in before any is locked, and all that were there are locked in one go. What is locked stays
// in its place, so that it is found there again without a look into the index.
const jobs = `
    if job_op is not null then
      declare
        ended tid[];
        kept tid[];
        kept_grp uuid[];
        kept_due timestamptz[];
      begin
        ${newJobs}
        total := 0;
        if inserted < cardinality(job_op) then
          with locked as materialized (
            select x.op, coalesce(x.grp, j.grp) as grp, x.due, x.token = j.token as is_held, j.ctid as place
              from ${rows("job")} join pagora.job j on j.queue = x.queue and j.id = x.id
              where x.op <> 'Schedule' or inserted < scheduled
              order by j.queue, j.id for update of j
          ) select
              count(*) filter (where op = 'Schedule'), count(*) filter (where is_held),
              array_agg(place) filter (where op in ('Finish', 'Cancel')),
              array_agg(place) filter (where op in ('Schedule', 'Retry')),
              array_agg(grp) filter (where op in ('Schedule', 'Retry')),
              array_agg(due) filter (where op in ('Schedule', 'Retry'))
            into touched, total, ended, kept, kept_grp, kept_due from locked;
          if inserted < scheduled and touched < scheduled then ${fail("job")}; end if;
          if ended is not null then
            delete from pagora.job j where j.ctid = any (ended);
          end if;
          if kept is not null then
            update pagora.job j set grp = x.grp, due = x.due, token = null, leased_until = null
              from unnest(kept, kept_grp, kept_due) as x (place, grp, due) where j.ctid = x.place;
          end if;
        end if;
        if total < (select count(*) from unnest(job_token) as token where token is not null) then
          ${fail("job")};
        end if;
      end;
    end if;`

// The oldest transaction that was going on when the statement began: what bears the mark of an older one shows what
// became of it.
export const isOver = "age(o.xmax) > (select age(pg_snapshot_xmin(pg_current_snapshot())::xid))"

/**
 * A write looks up each job once, and a row that it only rests on once as well, where nobody changed that since the oldest
 * transaction that goes on began. Before, a job was looked up two or three times, and a row that ever bore a mark three
 * times.
 */
export const statements: ReadonlyArray<string> = [
  widened(writeOver(bodyOf({ ...parts, jobs, expectations: expectations(isOver) }))).replace(
    "create function",
    "create or replace function"
  )
]
