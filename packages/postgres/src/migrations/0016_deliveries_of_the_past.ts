/**
 * Deliveries that are over go some time after they were made, with their attempts (decision 0089). The index has no other
 * deliveries, so that those of a subscriber that nobody serves any more are not passed over, however many they are.
 */
const over = `create index delivery_over on pagora.delivery (id) where status <> 'queued'`

/**
 * Who may call it need not have the right to delete a delivery or an attempt: it deletes those that are over, and whatever
 * instant it is told, none of the last seven days by the clock of the database. What somebody has locked stays for the next
 * time, and so does a delivery that has more attempts than go at once.
 */
const forget = `create function pagora.forget_deliveries(before timestamptz, most int) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  edge constant timestamptz := greatest('epoch', least(before, clock_timestamp() - interval '7 days'));
  bound constant uuid :=
    rpad(lpad(to_hex((extract(epoch from edge) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  ids constant uuid[] := array(
    select d.id from pagora.delivery d where d.status <> 'queued' and d.id < bound order by d.id limit most
      for update skip locked
  );
  tried int;
  gone int;
begin
  delete from pagora.attempt a where a.ctid = any (array(
    select f.ctid from pagora.attempt f where f.delivery = any (ids) limit most
  ));
  get diagnostics tried = row_count;
  delete from pagora.delivery d where d.id = any (ids)
    and not exists (select 1 from pagora.attempt a where a.delivery = d.id);
  get diagnostics gone = row_count;
  return tried + gone;
end $body$`

export const statements: ReadonlyArray<string> = [
  over,
  // Their rows go at one end of the tables: the room is found again sooner.
  `alter table pagora.attempt set (autovacuum_vacuum_scale_factor = 0.05)`,
  forget,
  "revoke all on function pagora.forget_deliveries(timestamptz, int) from public"
]
