const pinned = `language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

// Of which group so many jobs are in somebody's hands, how many more may be, and whose group it is: the account of
// the row under its id. Where accounts have no bound each group stands for itself.
const places = `busy as materialized (
      select * from unnest(busy_grps, busy_jobs) as b (grp, jobs)
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

export const taking = `taken as (
      select j.id from pagora.job j
        where j.queue = line and j.id = any (ids) and j.due <= now_at
          and (j.token is null or j.leased_until <= clock_at)
        for update skip locked
    ), leased as (
      update pagora.job j set token = new_token, leased_until = until_at from taken t
        where j.queue = line and j.id = t.id returning j.id, j.grp, j.due`

/**
 * Takes due work as it did before. What the claimer holds and has done with but for saying so is spared: it takes no place.
 * What is in somebody's hands is counted once, under the lock of the line: until the claim ends it can only become less,
 * but for what is born, which claims need not see.
 */
export const claimPlaces = `create function pagora.claim_places(
  line text, now_at timestamptz, clock_at timestamptz, until_at timestamptz, most int, most_of_group int,
  new_token uuid, bounded uuid[], bounds int[], most_of_account int,
  spared uuid[] default null, spared_tokens uuid[] default null
) returns table (id uuid, grp uuid, due timestamptz) ${pinned} as $body$
#variable_conflict use_column
declare
  window_size constant int := greatest(256, 4 * most);
  busy_grps uuid[];
  busy_jobs bigint[];
  ids uuid[];
  grps uuid[];
  dues timestamptz[];
begin
  perform pg_advisory_xact_lock(hashtextextended('pagora.job.' || line, 0));
  select array_agg(b.grp), array_agg(b.jobs) into busy_grps, busy_jobs from (
    select j.grp, count(*) as jobs from pagora.job j
      where j.queue = line and j.token is not null and j.leased_until > clock_at and not exists (
        select 1 from unnest(spared, spared_tokens) as s (id, token) where s.id = j.id and s.token = j.token
      ) group by j.grp
  ) as b;
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
    with ${taking}
    ) select l.id, l.grp, l.due from leased l order by l.due, l.id;
end $body$`

const claimByClock = `create function pagora.claim_by_clock(
  line text, now_at timestamptz, most int, most_of_group int, new_token uuid, bounded uuid[], bounds int[],
  most_of_account int, lease_millis int, clock_at timestamptz, is_again boolean,
  spared uuid[] default null, spared_tokens uuid[] default null
) returns table (id uuid, grp uuid, due timestamptz) ${pinned} as $body$
begin
  -- The lock of the claim itself; whoever has it gets it again.
  perform pg_advisory_xact_lock(hashtextextended('pagora.job.' || line, 0));
  if is_again then
    return query select j.id, j.grp, j.due from pagora.job j
      where j.queue = line and j.token = new_token order by j.due, j.id;
    if found then return; end if;
  end if;
  clock_at := coalesce(clock_at, clock_timestamp());
  return query select c.id, c.grp, c.due from pagora.claim_places(
    line, now_at, clock_at, clock_at + lease_millis * interval '1 millisecond', most, most_of_group, new_token,
    bounded, bounds, most_of_account, spared, spared_tokens
  ) as c;
end $body$`

const ofPlace = (column: string, arrays: string): string =>
  `array(select b.${column} from unnest(${arrays}) with ordinality as b (at, ${column}, nth)
          where b.at = place order by b.nth)`

const claimLines = `create function pagora.claim_lines(
  lines text[], nows timestamptz[], mosts int[], mosts_of_group int[], mosts_of_account int[], tokens uuid[],
  leases_millis int[], bound_at int[], bound_grp uuid[], bound_jobs int[], clock_at timestamptz, is_again boolean,
  spared_at int[] default null, spared_id uuid[] default null, spared_token uuid[] default null
) returns table (token uuid, id uuid, grp uuid, due timestamptz) ${pinned} as $body$
#variable_conflict use_column
begin
  for place in 1 .. cardinality(lines) loop
    if is_again or exists (
      select 1 from pagora.job j where j.queue = lines[place] and j.token is null and j.due <= nows[place]
    ) or exists (
      select 1 from pagora.job j
        where j.queue = lines[place] and j.token is not null and j.due <= nows[place]
          and j.leased_until <= coalesce(clock_at, clock_timestamp())
    ) then
      return query select tokens[place], c.id, c.grp, c.due from pagora.claim_by_clock(
        lines[place], nows[place], mosts[place], mosts_of_group[place], tokens[place],
        ${ofPlace("grp", "bound_at, bound_grp")},
        ${ofPlace("jobs", "bound_at, bound_jobs")},
        mosts_of_account[place], leases_millis[place], clock_at, is_again,
        ${ofPlace("id", "spared_at, spared_id")},
        ${ofPlace("token", "spared_at, spared_token")}
      ) as c;
    end if;
  end loop;
end $body$`

/**
 * A claim is told what its claimer has done with but for saying so, which then takes no place. Processes that know nothing of
 * it call the functions as before.
 */
export const statements: ReadonlyArray<string> = [
  "drop function pagora.claim_lines",
  "drop function pagora.claim_by_clock",
  "drop function pagora.claim_places",
  claimPlaces,
  claimByClock,
  claimLines
]
