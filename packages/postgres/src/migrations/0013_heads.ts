/**
 * The groups whose oldest due job has waited longest for somebody to hold it. Each group costs one look into the index, as
 * in a claim, however many jobs it has.
 */
const heads = `create function pagora.heads(lines text[], now_at timestamptz, most int)
returns table (grp uuid, due timestamptz) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $body$
#variable_conflict use_column
begin
  return query select h.grp, min(h.due) from unnest(lines) as l (line) cross join lateral (
    with recursive head as (
      (select j.grp, j.due from pagora.job j where j.queue = l.line and j.token is null
        order by j.grp, j.due, j.id limit 1)
      union all
      select n.grp, n.due from head p cross join lateral (
        select j.grp, j.due from pagora.job j
          where j.queue = l.line and j.token is null and j.grp > p.grp order by j.grp, j.due, j.id limit 1
      ) as n
    ) select p.grp, p.due from head p where p.due <= now_at
  ) as h group by h.grp order by min(h.due), h.grp limit most;
end $body$`

export const statements: ReadonlyArray<string> = [heads]
