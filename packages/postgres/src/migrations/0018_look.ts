/**
 * What is asked for by a name of its own, many questions at once: each is answered by the id that it finds and, where a row
 * has that id, by the row. Of the names of a transaction the first counts that there is, and no other is looked for then.
 */
export const look = `create function pagora.look(
  tag text[], wallet_id uuid[], row_id uuid[], space_name text[], key_name text[]
) returns table (
  n bigint, tab text, found uuid, kind text, account uuid, wallet uuid, status text, amount bigint,
  ref text, document text, version integer
) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $body$
#variable_conflict use_column
begin
  return query
    with asked as materialized (
      select * from unnest(tag, wallet_id, row_id, space_name, key_name) with ordinality as x (tag, wallet, id, space, key, n)
    )
    select x.n, 'operation', o.id, o.kind, o.account, o.wallet, o.status, o.amount, o.ref, o.document, o.version
      from asked x join pagora.operation o on o.id = x.id where x.tag = 'operation'
    union all
    select x.n, 'registry', r.id, r.kind, r.account, r.wallet, r.status, r.amount, r.ref, r.document, r.version
      from asked x join pagora.registry r on r.id = x.id where x.tag = 'registry'
    union all
    select x.n, t.tab, f.found, t.kind, t.account, t.wallet, t.status, t.amount, t.ref, t.document, t.version
      from asked x cross join lateral (
        select case x.tag
          when 'Key' then (select k.holder from pagora.unique_key k where k.space = x.space and k.key = x.key)
          else coalesce(
            (select o.id from pagora.operation o where o.id = x.id and o.wallet = x.wallet),
            (select l.id from pagora.ledger_tx l where l.id = x.id and (l.wallet = x.wallet or l.other = x.wallet)),
            (select o.id from pagora.operation o where o.wallet = x.wallet and o.ref = x.key order by o.id desc limit 1),
            (select i.entity from pagora.idempotency i where i.wallet = x.wallet and i.key = x.key
              order by i.created_at desc, i.entity desc limit 1)
          )
        end as found
      ) as f left join lateral (
        select 'operation' as tab, o.kind, o.account, o.wallet, o.status, o.amount, o.ref, o.document, o.version
          from pagora.operation o where o.id = f.found
        union all
        select 'registry', r.kind, r.account, r.wallet, r.status, r.amount, r.ref, r.document, r.version
          from pagora.registry r where r.id = f.found
        limit 1
      ) as t on true
      where x.tag in ('Name', 'Key') and f.found is not null;
end $body$`

export const statements: ReadonlyArray<string> = [look]
