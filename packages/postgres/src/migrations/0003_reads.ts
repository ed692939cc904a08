/** Plans that stay the same however the tables grow; see `0002_write.ts`. */
const pinned = `language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

export const facts = `create function pagora.facts(
  operation_id uuid[], registry_id uuid[], key_space text[], key_key text[],
  scope_wallet uuid[], scope_route text[], scope_key text[], job_queue text[], job_id uuid[],
  event_account uuid[], event_key text[], ledger_kind text[], ledger_source uuid[], ledger_leg smallint[],
  attempt_delivery uuid[], attempt_number smallint[], counter_key text[], wallet_id uuid[]
) returns json ${pinned} as $body$
begin
  return json_build_object(
    'rows', (select json_agg(json_build_array(o.id, o.version)) from (
      select o.id, o.version from pagora.operation o where o.id = any (operation_id)
      union all select o.id, o.version from pagora.registry o where o.id = any (registry_id)) as o),
    'keys', (select json_agg(json_build_array(k.space, k.key)) from unnest(key_space, key_key) as x (space, key)
      join pagora.unique_key k on k.space = x.space and k.key = x.key),
    'idempotency', (select json_agg(json_build_array(i.wallet, i.route, i.key, i.entity,
        (extract(epoch from i.expires_at) * 1000)::bigint))
      from unnest(scope_wallet, scope_route, scope_key) as x (wallet, route, key)
      join pagora.idempotency i on i.wallet = x.wallet and i.key = x.key and i.route = x.route),
    'jobs', (select json_agg(json_build_array(j.queue, j.id, j.token))
      from unnest(job_queue, job_id) as x (queue, id) join pagora.job j on j.queue = x.queue and j.id = x.id),
    'events', (select json_agg(json_build_array(e.account, e.key))
      from unnest(event_account, event_key) as x (account, key)
      join pagora.event e on e.account = x.account and e.key = x.key),
    'ledger', (select json_agg(json_build_array(l.kind, l.source, l.leg))
      from unnest(ledger_kind, ledger_source, ledger_leg) as x (kind, source, leg)
      join pagora.ledger_tx l on l.source = x.source and l.kind = x.kind and l.leg = x.leg),
    'attempts', (select json_agg(json_build_array(a.delivery, a.number))
      from unnest(attempt_delivery, attempt_number) as x (delivery, number)
      join pagora.attempt a on a.delivery = x.delivery and a.number = x.number),
    'counters', (select json_agg(json_build_array(c.key, c.value::text))
      from pagora.counter c where c.key = any (counter_key)),
    'wallets', (select json_agg(json_build_array(
        w.id, w.available::text, w.held::text, w.promotional::text, w.lien::text))
      from pagora.wallet w where w.id = any (wallet_id)));
end $body$`

const resolve = `create function pagora.resolve(
  tag text[], wallet_id uuid[], row_id uuid[], space_name text[], key_name text[]
) returns table (n bigint, place text, found uuid) ${pinned} as $body$
begin
  return query select x.n, f.place, f.found
    from unnest(tag, wallet_id, row_id, space_name, key_name) with ordinality as x (tag, wallet, id, space, key, n)
    cross join lateral (
      select 1 as rank, 'operation' as place, o.id as found from pagora.operation o
        where x.tag = 'Id' and o.id = x.id and o.wallet = x.wallet
      union all select 2, 'ledger', l.id from pagora.ledger_tx l
        where x.tag = 'Id' and l.id = x.id and (l.wallet = x.wallet or l.other = x.wallet)
      union all (select 3, 'operation', o.id from pagora.operation o
        where x.tag = 'Ref' and o.wallet = x.wallet and o.ref = x.key order by o.id desc limit 1)
      union all (select 4, 'any', i.entity from pagora.idempotency i
        where x.tag = 'IdempotencyKey' and i.wallet = x.wallet and i.key = x.key
        order by i.created_at desc, i.entity desc limit 1)
      union all select 5, 'any', k.holder from pagora.unique_key k
        where x.tag = 'Key' and k.space = x.space and k.key = x.key
      order by rank limit 1
    ) as f;
end $body$`

const byId = (table: string): string => `create function pagora.${table}_by_id(ids uuid[])
returns setof pagora.${table} ${pinned} as $body$
begin
  return query select t.* from pagora.${table} t where t.id = any (ids);
end $body$`

const postingsOf = `create function pagora.postings_of(txs uuid[])
returns setof pagora.posting ${pinned} as $body$
begin
  return query select p.* from pagora.posting p where p.tx = any (txs) order by p.tx, p.seq;
end $body$`

/**
 * The reads that are asked all the time, by keys. `facts` answers from one snapshot: a stable function sees
 * what the statement that called it sees.
 */
export const statements: ReadonlyArray<string> = [
  facts,
  resolve,
  ...["operation", "registry", "wallet", "ledger_tx", "event", "delivery"].map(byId),
  postingsOf
]
