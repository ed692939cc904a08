/**
 * Who may call this need not have the right to delete counters: it deletes those of days and months that are over by the
 * clock of the database, whatever day it is told, and no others.
 */
const nameOf = (key: string): string =>
  `substring(${key} from '/(?:daily|monthly)/([0-9]{4}-[0-9]{2}(?:-[0-9]{2})?)$')`

// As before (0011), but for who runs it, and for the day.
const over = (from: string, to: string): string => `(
      select c.key from pagora.counter c where ${nameOf("c.key")} > ${from} collate "C" and ${nameOf("c.key")} < ${to} collate "C"
      order by ${nameOf("c.key")} limit most for update skip locked
    )`

const forget = `create or replace function pagora.forget_counters(day text, most int) returns int
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
  forget,
  "revoke all on function pagora.forget_counters(text, int) from public"
]
