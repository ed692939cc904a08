/** Plans that stay the same however the tables grow; see `0002_write.ts`. */
const pinned = `language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

/** What audits proved of wallets: that their postings up to a transaction sum to this. No business state. */
const audited = `create table pagora.audited (
    available bigint not null,
    held bigint not null,
    promotional bigint not null,
    id uuid not null constraint audited_pkey primary key,
    through uuid not null
  )`

// As text: of a million operations, making JSON would take longer than finding them. None of it has a space.
const booked = `(select string_agg(t.id || ' ' || t.kind || ' ' || t.account || ' ' || t.wallet || ' ' || t.leg || ' '
        || t.amount || coalesce((select string_agg(',' || p.owner || ' ' || p.bucket || ' ' || p.amount, '')
          from pagora.posting p where p.tx = t.id), ''), ';')
      from pagora.ledger_tx t where t.source = o.id)`

const rowOf = `json_build_object('id', o.id, 'kind', o.kind, 'account', o.account, 'wallet', o.wallet,
        'status', o.status, 'amount', o.amount::text, 'ref', o.ref, 'document', o.document, 'version', o.version)`

const subjects = `create function pagora.audit_subjects(
  asked uuid[], after_id uuid, most int, lines text[], attended text[]
) returns table (
  id uuid, kind text, account uuid, wallet uuid, status text, amount bigint, ref text, document text, version int,
  booked text, is_told boolean, queues text[]
) ${pinned} as $body$
#variable_conflict use_column
begin
  if most > 0 then
    asked := array(select o.id from pagora.operation o where o.id > after_id order by o.id limit most);
  end if;
  return query select o.id, o.kind, o.account, o.wallet, o.status, o.amount, o.ref, o.document, o.version,
      ${booked},
      exists (select 1 from pagora.event e where e.account = o.account and e.key = o.id::text),
      case when o.status = any (attended) then
        array(select j.queue from pagora.job j where j.queue = any (lines) and j.id = o.id) end
    from pagora.operation o where o.id = any (asked) order by o.id;
end $body$`

// Postings are read along their own index, so that those of no transaction are met too.
const stretch = `create function pagora.audit_stretch(after_id uuid, up_to uuid, most int) returns json ${pinned} as $body$
declare
  ids constant uuid[] := array(
    select t.id from pagora.ledger_tx t where t.id > after_id and t.id <= up_to order by t.id limit most);
  is_end constant boolean := cardinality(ids) < most;
  edge constant uuid := case when is_end then up_to else ids[most] end;
begin
  return (
    with line as materialized (
      select p.tx, p.owner, p.bucket, p.amount from pagora.posting p where p.tx > after_id and p.tx <= edge
    ) select json_build_object(
      'last', ids[cardinality(ids)],
      'isEnd', is_end,
      'entries', (select count(*) from line),
      'sums', (select json_agg(json_build_array(s.owner, s.bucket, s.amount::text)) from (
        select l.owner, l.bucket, sum(l.amount) as amount from line l group by l.owner, l.bucket) as s),
      'sources', (select json_agg(distinct t.source) from pagora.ledger_tx t where t.id = any (ids)),
      'unsourced', (select json_agg(t.id) from pagora.ledger_tx t where t.id = any (ids)
        and not exists (select 1 from pagora.operation o where o.id = t.source)),
      'orphans', (select json_agg(distinct l.tx) from line l where l.tx not in (select unnest(ids)))
    ));
end $body$`

const openOf = (where: string): string => `(select json_agg(${rowOf}) from pagora.operation o
        where ${where} and o.kind = any (kinds) and o.kind || ' ' || o.status = any (states))`

// By kind, because the index of a wallet's transactions has the kind before the id.
const wallets = `create function pagora.audit_wallets(
  asked uuid[], after_id uuid, most int, from_id uuid[], mark uuid, booked_kinds text[], kinds text[], states text[]
) returns table (
  id uuid, available bigint, held bigint, promotional bigint, lien bigint, proved json, moved json, open json
) ${pinned} as $body$
#variable_conflict use_column
begin
  if most > 0 then
    asked := array(select w.id from pagora.wallet w where w.id > after_id order by w.id limit most);
  end if;
  return query select w.id, w.available, w.held, w.promotional, w.lien,
      case when a.id is not null then
        json_build_array(a.through, a.available::text, a.held::text, a.promotional::text) end,
      (select json_agg(json_build_array(s.bucket, s.before::text, s.after::text)) from (
        select p.bucket, coalesce(sum(p.amount) filter (where t.id <= mark), 0) as before,
          coalesce(sum(p.amount) filter (where t.id > mark), 0) as after
        from (
          select t.id from pagora.ledger_tx t where t.wallet = w.id and t.kind = any (booked_kinds)
            and t.id > coalesce(from_id[1], a.through, '00000000-0000-0000-0000-000000000000')
          union all
          select t.id from pagora.ledger_tx t where t.other = w.id
            and t.id > coalesce(from_id[1], a.through, '00000000-0000-0000-0000-000000000000')
        ) as t join pagora.posting p on p.tx = t.id and p.owner = w.id and p.bucket < 100
        group by p.bucket) as s),
      case when cardinality(kinds) > 0 then ${openOf("o.wallet = w.id")} end
    from pagora.wallet w left join pagora.audited a on a.id = w.id
    where w.id = any (asked) order by w.id;
end $body$`

const suspense = `create function pagora.audit_suspense(
  asked uuid[], suspense int, booked_kinds text[], kinds text[], states text[]
) returns table (account uuid, posted text, open json, open_of_others json) ${pinned} as $body$
begin
  return query select x.account,
      (select coalesce(sum(p.amount), 0)::text from (
        select t.id from pagora.ledger_tx t where t.wallet = x.account and t.kind = any (booked_kinds)
        union all
        select t.id from pagora.ledger_tx t
          where t.account = x.account and t.wallet <> t.account and t.kind = any (booked_kinds)
      ) as t join pagora.posting p on p.tx = t.id and p.owner = x.account and p.bucket = suspense),
      ${openOf("o.wallet = x.account")},
      ${openOf("o.account = x.account and o.wallet is distinct from o.account")}
    from unnest(asked) as x (account);
end $body$`

const deliveries = `create function pagora.audit_deliveries(after_id uuid, most int) returns json ${pinned} as $body$
declare
  ids constant uuid[] := array(
    select d.id from pagora.delivery d where d.id > after_id order by d.id limit most);
begin
  return json_build_object(
    'last', ids[most],
    'loose', (select json_agg(json_build_array(d.id, d.event)) from pagora.delivery d where d.id = any (ids)
      and not exists (select 1 from pagora.event e where e.id = d.event)));
end $body$`

/** What the audit reads. The rules are not here: these answer what there is. */
export const statements: ReadonlyArray<string> = [
  audited,
  subjects,
  stretch,
  wallets,
  suspense,
  deliveries
]
