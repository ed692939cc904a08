/**
 * Counters of days and months that are over go. The index holds the date that a key ends with (`CounterPeriod.ts` of core),
 * which is looked at when the counter is made, never when it counts.
 */
const nameOf = (key: string): string =>
  `substring(${key} from '/(?:daily|monthly)/([0-9]{4}-[0-9]{2}(?:-[0-9]{2})?)$')`

// Months and days stand in one order: before a day come those of earlier months, its own month, and its earlier days.
const over = (from: string, to: string): string => `(
      select c.key from pagora.counter c where ${nameOf("c.key")} > ${from} collate "C" and ${nameOf("c.key")} < ${to} collate "C"
      order by ${nameOf("c.key")} limit most for update skip locked
    )`

/**
 * Who may call it need not have the right to delete counters: it deletes those of days and months that are over by the
 * clock of the database, whatever day it is told, and no others.
 */
const forget = `create function pagora.forget_counters(day text, most int) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  today constant text := to_char(clock_timestamp() at time zone 'America/Sao_Paulo', 'YYYY-MM-DD');
  first constant text := least(day collate "C", today collate "C");
  month constant text := left(first, 7);
  forgotten int;
begin
  with earlier as materialized ${over("''", "month")},
    days as materialized ${over("month", "first")},
    over as materialized (select e.key from earlier e union all select d.key from days d limit most)
  delete from pagora.counter c using over where c.key = over.key;
  get diagnostics forgotten = row_count;
  return forgotten;
end $body$`

export const statements: ReadonlyArray<string> = [
  `create index counter_period on pagora.counter (${nameOf("key")})`,
  forget,
  "revoke all on function pagora.forget_counters(text, int) from public"
]
