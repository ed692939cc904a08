const columns = (row: string): string =>
  `${row}.kind, ${row}.account, ${row}.wallet, ${row}.status, ${row}.amount, ${row}.ref, ${row}.document, ${row}.version`

const ofTable = (table: string): string => `
  if '${table}' = any (tag) then
    return query select x.n, '${table}', t.id, ${columns("t")}
      from unnest(tag, row_id) with ordinality as x (tag, id, n) join pagora.${table} t on t.id = x.id
      where x.tag = '${table}';
  end if;`

/** The row under an id, of whichever table it is; none, where the id is of something else. */
const rowUnder = (id: string): string => `(
        select 'operation' as tab, ${columns("o")} from pagora.operation o where o.id = ${id}
        union all
        select 'registry', ${columns("r")} from pagora.registry r where r.id = ${id}
        limit 1
      )`

// What a transaction may be called: its id, its caller's reference, and what else has a name.
const named =
  "unnest(tag, wallet_id, row_id, key_name) with ordinality as x (tag, wallet, id, key, n)"
const isOfId = "x.tag = 'Name' and o.id = x.id and o.wallet = x.wallet"
const ofReference =
  "select p.id from pagora.operation p where p.wallet = x.wallet and p.ref = x.key order by p.id desc limit 1"

const look = `create or replace function pagora.look(
  tag text[], wallet_id uuid[], row_id uuid[], space_name text[], key_name text[]
) returns table (
  n bigint, tab text, found uuid, kind text, account uuid, wallet uuid, status text, amount bigint,
  ref text, document text, version integer
) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $body$
#variable_conflict use_column
declare
  names bigint;
  answered bigint;
begin${ofTable("registry")}${ofTable("operation")}
  if 'Key' = any (tag) then
    return query select x.n, t.tab, k.holder, ${columns("t")}
      from unnest(tag, space_name, key_name) with ordinality as x (tag, space, key, n)
        join pagora.unique_key k on k.space = x.space and k.key = x.key
        left join lateral ${rowUnder("k.holder")} as t on true
      where x.tag = 'Key';
  end if;
  if 'Only' = any (tag) then
    return query select x.n, 'registry', r.id, ${columns("r")}
      from unnest(tag, wallet_id, key_name) with ordinality as x (tag, wallet, key, n)
        cross join lateral (
          select (array_agg(p.id))[1] as id from (
            select s.id from pagora.registry s where s.wallet = x.wallet and s.kind = x.key limit 2
          ) as p having count(*) = 1
        ) as f join pagora.registry r on r.id = f.id
      where x.tag = 'Only';
  end if;
  names := (select count(*) from unnest(tag) as t where t = 'Name');
  if names > 0 then
    return query select x.n, 'operation', o.id, ${columns("o")}
      from ${named} join pagora.operation o on o.id = x.id
      where ${isOfId};
    get diagnostics answered = row_count;
    names := names - answered;
  end if;
  if names > 0 then
    return query select x.n, 'operation', o.id, ${columns("o")}
      from ${named} cross join lateral (${ofReference}) as f join pagora.operation o on o.id = f.id
      where x.tag = 'Name' and x.id is null;
    get diagnostics answered = row_count;
    names := names - answered;
  end if;
  if names > 0 then
    return query select x.n, t.tab, f.found, ${columns("t")}
      from ${named} cross join lateral (
          select coalesce(
            (select l.id from pagora.ledger_tx l where l.id = x.id and (l.wallet = x.wallet or l.other = x.wallet)),
            (${ofReference}),
            (select i.entity from pagora.idempotency i where i.wallet = x.wallet and i.key = x.key
              order by i.created_at desc, i.entity desc limit 1)
          ) as found
        ) as f left join lateral ${rowUnder("f.found")} as t on true
      where x.tag = 'Name' and f.found is not null and case when x.id is null then (${ofReference})
        else (select o.id from pagora.operation o where ${isOfId}) end is null;
  end if;
end $body$`

/**
 * Each kind of question has a statement of its own, and only those run that are asked. Before, one statement had them all:
 * PostgreSQL opened every table and index of it each time, which took ten times as long as the answer.
 */
export const statements: ReadonlyArray<string> = [look]
