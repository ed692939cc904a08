const pinned = `language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

// Of which group so many jobs are in somebody's hands, and how many more may be.
const busy = `busy as materialized (
      select j.grp, count(*) as jobs from pagora.job j
        where j.queue = line and j.token is not null and j.leased_until > clock_at group by j.grp
    )`

/**
 * Takes due work. Where not all of it fits, the oldest of every group comes before the second of any.
 *
 * Mostly the oldest few hundred due jobs tell: they are all there is, or they come from so many groups that one
 * of each is enough. Otherwise somebody has a backlog, and it walks from group to group along the index, never
 * along the line inside a group: a hundred thousand jobs of one endpoint cost nobody else anything.
 *
 * Claims of one queue go one after the other (they last a millisecond or few), so that the limit per group is
 * exact over all processes.
 */
const claim = `create function pagora.claim(
  line text, now_at timestamptz, clock_at timestamptz, until_at timestamptz,
  most int, most_of_group int, new_token uuid
) returns table (id uuid, grp uuid, due timestamptz) ${pinned} as $body$
#variable_conflict use_column
declare
  window_size constant int := greatest(256, 4 * most);
  ids uuid[];
  grps uuid[];
  dues timestamptz[];
begin
  perform pg_advisory_xact_lock(hashtextextended('pagora.job.' || line, 0));
  select array_agg(f.id), array_agg(f.grp), array_agg(f.due) into ids, grps, dues from (
    select j.id, j.grp, j.due from pagora.job j
      where j.queue = line and j.token is null and j.due <= now_at order by j.due, j.id limit window_size
  ) as f;
  if cardinality(ids) = window_size and most > (
    with ${busy}
    select count(distinct g) from unnest(grps) as g left join busy b on b.grp = g
      where coalesce(b.jobs, 0) < most_of_group
  ) then
    with recursive ${busy}, head as (
      (select j.grp, j.due from pagora.job j where j.queue = line and j.token is null
        order by j.grp, j.due, j.id limit 1)
      union all
      select n.grp, n.due from head h cross join lateral (
        select j.grp, j.due from pagora.job j
          where j.queue = line and j.token is null and j.grp > h.grp order by j.grp, j.due, j.id limit 1
      ) as n
    ), open as materialized (
      select h.grp, most_of_group - coalesce(b.jobs, 0) as room from head h left join busy b on b.grp = h.grp
        where h.due <= now_at and coalesce(b.jobs, 0) < most_of_group
    ), share as (
      -- With more groups than jobs to give, one of each is enough to look at.
      select case when count(*) >= most then 1 else most end as jobs from open
    )
    select array_agg(c.id), array_agg(c.grp), array_agg(c.due) into ids, grps, dues
      from open o cross join lateral (
        select j.id, j.grp, j.due from pagora.job j
          where j.queue = line and j.token is null and j.grp = o.grp and j.due <= now_at
          order by j.grp, j.due, j.id limit least(o.room, (select s.jobs from share s))
      ) as c;
  end if;
  with ${busy}, candidate as (
    select * from unnest(ids, grps, dues) as f (id, grp, due)
    union all
    select j.id, j.grp, j.due from pagora.job j
      where j.queue = line and j.token is not null and j.leased_until <= clock_at and j.due <= now_at
  ), ranked as (
    select c.*, row_number() over (partition by c.grp order by c.due, c.id) as place from candidate c
  ), fair as (
    select r.id from ranked r left join busy b on b.grp = r.grp
      where r.place <= most_of_group - coalesce(b.jobs, 0) order by r.place, r.due, r.id limit most
  ) select array_agg(f.id) into ids from fair f;
  return query
    with taken as (
      select j.id from pagora.job j
        where j.queue = line and j.id = any (ids) and j.due <= now_at
          and (j.token is null or j.leased_until <= clock_at)
        for update skip locked
    ), leased as (
      update pagora.job j set token = new_token, leased_until = until_at from taken t
        where j.queue = line and j.id = t.id returning j.id, j.grp, j.due
    ) select l.id, l.grp, l.due from leased l order by l.due, l.id;
end $body$`

const nextDue = `create function pagora.next_due(lines text[]) returns timestamptz stable ${pinned} as $body$
begin
  return (
    select min(n.due) from unnest(lines) as line cross join lateral (
      select j.due from pagora.job j where j.queue = line and j.token is null order by j.due, j.id limit 1
    ) as n);
end $body$`

export const statements: ReadonlyArray<string> = [claim, nextDue]
