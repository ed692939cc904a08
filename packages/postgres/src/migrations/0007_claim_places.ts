const pinned = `language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

// Of which group so many jobs are in somebody's hands, how many more may be, and whose group it is: the account of
// the row under its id. Where accounts have no bound each group stands for itself.
const places = `busy as materialized (
      select j.grp, count(*) as jobs from pagora.job j
        where j.queue = line and j.token is not null and j.leased_until > clock_at group by j.grp
    ), bound as materialized (
      select * from unnest(bounded, bounds) as b (grp, jobs)
    ), busy_of as materialized (
      select ${ownerOf("b")} as owner, sum(b.jobs) as jobs from busy b group by 1
    )`

function ownerOf(group: string): string {
  return `case when most_of_account is null then ${group}.grp
    else coalesce((select r.account from pagora.registry r where r.id = ${group}.grp), ${group}.grp) end`
}

const roomOf = (group: string): string =>
  `coalesce((select b.jobs from bound b where b.grp = ${group}.grp), most_of_group)
    - coalesce((select b.jobs from busy b where b.grp = ${group}.grp), 0)`

const roomOfOwner = (row: string): string =>
  `most_of_account - coalesce((select b.jobs from busy_of b where b.owner = ${row}.owner), 0)`

// How many jobs there are when one is taken of each group, and no more of an account than it has room for.
const oneOfEach = (groups: string): string => `(
      select coalesce(sum(greatest(0, least(w.groups, ${roomOfOwner("w")}))), 0) from (
        select g.owner, count(*) as groups from ${groups} g where g.room > 0 group by g.owner
      ) as w
    )`

/**
 * Takes due work as \`claim\` does, with a bound of its own for some groups, and one for each account. Where not all fits,
 * accounts take turns, and the groups of each of them.
 */
const claimPlaces = `create function pagora.claim_places(
  line text, now_at timestamptz, clock_at timestamptz, until_at timestamptz, most int, most_of_group int,
  new_token uuid, bounded uuid[], bounds int[], most_of_account int
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
    with ${places}, seen as materialized (
      select d.grp, ${roomOf("d")} as room, ${ownerOf("d")} as owner
        from (select distinct u.grp from unnest(grps) as u (grp)) as d
    ) select ${oneOfEach("seen")}
  ) then
    with recursive ${places}, head as (
      (select j.grp, j.due from pagora.job j where j.queue = line and j.token is null
        order by j.grp, j.due, j.id limit 1)
      union all
      select n.grp, n.due from head h cross join lateral (
        select j.grp, j.due from pagora.job j
          where j.queue = line and j.token is null and j.grp > h.grp order by j.grp, j.due, j.id limit 1
      ) as n
    ), open as materialized (
      select h.grp, ${roomOf("h")} as room, ${ownerOf("h")} as owner from head h where h.due <= now_at
    ), share as materialized (
      -- Where one of each group is enough, no more is looked at.
      select case when ${oneOfEach("open")} >= most then 1 else most end as jobs
    )
    select array_agg(c.id), array_agg(c.grp), array_agg(c.due) into ids, grps, dues
      from open o cross join lateral (
        select j.id, j.grp, j.due from pagora.job j
          where j.queue = line and j.token is null and j.grp = o.grp and j.due <= now_at
          order by j.grp, j.due, j.id limit least(o.room, (select s.jobs from share s))
      ) as c where o.room > 0;
  end if;
  with ${places}, candidate as (
    select * from unnest(ids, grps, dues) as f (id, grp, due)
    union all
    select j.id, j.grp, j.due from pagora.job j
      where j.queue = line and j.token is not null and j.leased_until <= clock_at and j.due <= now_at
  ), ranked as materialized (
    select c.*, row_number() over (partition by c.grp order by c.due, c.id) as place from candidate c
  ), grouped as materialized (
    select d.grp, ${roomOf("d")} as room, ${ownerOf("d")} as owner
      from (select distinct r.grp from ranked r) as d
  ), owned as materialized (
    select r.id, r.place, r.due, g.owner,
        row_number() over (partition by g.owner order by r.place, r.due, r.id) as turn
      from ranked r join grouped g on g.grp = r.grp where r.place <= g.room
  ), fair as (
    select o.id from owned o where most_of_account is null or o.turn <= ${roomOfOwner("o")}
      order by o.turn, o.due, o.id limit most
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

export const statements: ReadonlyArray<string> = [claimPlaces]
