import { bodyOf, expectations, fail, parts } from "./0002_write.ts"
import { writeOver } from "./0006_write_identity.ts"
import { widened } from "./0010_attempt_numbers.ts"
import { isOver } from "./0014_write_by_place.ts"

/** The jobs, as rows, with what they are born leased by. */
const rows = `unnest(job_op, job_queue, job_id, job_grp, job_token, job_due, birth_token, birth_until)
  as x (op, queue, id, grp, token, due, lease, until)`

// A function has a hundred arguments at most, so what few jobs have comes as one text: a list of which job, by its place from
// 1, its token, for how long, and of how many of its group. Leases that are held now count, and those that are born before in
// this write. A claim or a write of somebody else that is going on is not seen: it may pass the bound by what each takes.
const leases = `
        if births is not null then
          with asked as materialized (
            select l.nth, job_queue[l.nth] as queue, job_grp[l.nth] as grp, l.token, l.most,
                coalesce(l.clock, since) as clock, coalesce(l.clock, since) + l.millis * interval '1 millisecond' as until,
                row_number() over (partition by job_queue[l.nth], job_grp[l.nth] order by l.nth) as turn
              from jsonb_to_recordset(births::jsonb)
                as l (nth int, token uuid, millis int, most int, clock timestamptz)
          ), busy as materialized (
            select g.queue, g.grp, (
                select count(*) from pagora.job j where j.queue = g.queue and j.grp = g.grp
                  and j.token is not null and j.leased_until > g.clock
              ) as jobs from (
                select a.queue, a.grp, min(a.clock) as clock from asked a group by a.queue, a.grp
              ) as g
          ), judged as materialized (
            select a.*, a.turn + b.jobs <= a.most as has_room
              from asked a join busy b on b.queue = a.queue and b.grp = a.grp
          ) select
              array_agg(j.token order by n) filter (where not j.has_room),
              array_agg(case when j.has_room then j.token end order by n),
              array_agg(case when j.has_room then j.until end order by n)
            into leaseless, birth_token, birth_until
            from generate_subscripts(job_op, 1) as n left join judged j on j.nth = n;
        end if;`

// As before, with a lease where a job is to be born with one.
const jobs = `
    if job_op is not null then
      declare
        ended tid[];
        kept tid[];
        kept_grp uuid[];
        kept_due timestamptz[];
        kept_lease uuid[];
        kept_until timestamptz[];
        birth_token uuid[];
        birth_until timestamptz[];
      begin
        ${leases}
        scheduled := (select count(*) from unnest(job_op) as op where op = 'Schedule');
        inserted := 0;
        if scheduled > 0 then
          insert into pagora.job (queue, id, grp, due, token, leased_until)
            select x.queue, x.id, x.grp, x.due, x.lease, x.until from ${rows} where x.op = 'Schedule'
            on conflict (queue, id) do nothing;
          get diagnostics inserted = row_count;
        end if;
        total := 0;
        if inserted < cardinality(job_op) then
          with locked as materialized (
            select x.op, coalesce(x.grp, j.grp) as grp, x.due, x.token = j.token as is_held, j.ctid as place,
                x.lease, x.until
              from ${rows} join pagora.job j on j.queue = x.queue and j.id = x.id
              where x.op <> 'Schedule' or inserted < scheduled
              order by j.queue, j.id for update of j
          ) select
              count(*) filter (where op = 'Schedule'), count(*) filter (where is_held),
              array_agg(place) filter (where op in ('Finish', 'Cancel')),
              array_agg(place) filter (where op in ('Schedule', 'Retry')),
              array_agg(grp) filter (where op in ('Schedule', 'Retry')),
              array_agg(due) filter (where op in ('Schedule', 'Retry')),
              array_agg(lease) filter (where op in ('Schedule', 'Retry')),
              array_agg(until) filter (where op in ('Schedule', 'Retry'))
            into touched, total, ended, kept, kept_grp, kept_due, kept_lease, kept_until from locked;
          if inserted < scheduled and touched < scheduled then ${fail("job")}; end if;
          if ended is not null then
            delete from pagora.job j where j.ctid = any (ended);
          end if;
          if kept is not null then
            update pagora.job j set grp = x.grp, due = x.due, token = x.lease, leased_until = x.until
              from unnest(kept, kept_grp, kept_due, kept_lease, kept_until) as x (place, grp, due, lease, until)
              where j.ctid = x.place;
          end if;
        end if;
        if total < (select count(*) from unnest(job_token) as token where token is not null) then
          ${fail("job")};
        end if;
      end;
    end if;`

/** The function `write`, over these parts. */
export const writeOf = (of: typeof parts): string =>
  widened(
    writeOver(bodyOf({ ...of, jobs, expectations: expectations(isOver) }), {
      taking: ", births text default null",
      variables: "\n  leaseless uuid[];",
      answer: "coalesce(failed, 'leaseless ' || to_json(leaseless))"
    })
  )

/**
 * A job may be born leased to whoever writes it. Leases that found no room in their group are answered by their tokens, and
 * all else is written. Processes that know nothing of it call the function as before.
 */
export const statements: ReadonlyArray<string> = ["drop function pagora.write", writeOf(parts)]
