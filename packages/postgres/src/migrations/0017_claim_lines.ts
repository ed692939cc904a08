/**
 * Several claims as one. Each is a claim of its own, in the order in which they come, which is that of their lines: so two
 * processes never wait for each other in a circle. A line in which nothing waits costs two looks into an index and no lock.
 *
 * `bound_at` says which of the claims a bound belongs to, counted from 1.
 */
const claimLines = `create function pagora.claim_lines(
  lines text[], nows timestamptz[], mosts int[], mosts_of_group int[], mosts_of_account int[], tokens uuid[],
  leases_millis int[], bound_at int[], bound_grp uuid[], bound_jobs int[], clock_at timestamptz, is_again boolean
) returns table (token uuid, id uuid, grp uuid, due timestamptz) language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $body$
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
        array(select b.grp from unnest(bound_at, bound_grp) with ordinality as b (at, grp, nth)
          where b.at = place order by b.nth),
        array(select b.jobs from unnest(bound_at, bound_jobs) with ordinality as b (at, jobs, nth)
          where b.at = place order by b.nth),
        mosts_of_account[place], leases_millis[place], clock_at, is_again
      ) as c;
    end if;
  end loop;
end $body$`

export const statements: ReadonlyArray<string> = [claimLines]
