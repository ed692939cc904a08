// Whoever settles a write that is in acknowledges it by that. A server that has crashed shows, once it is up again, what it had
// not brought to its synchronous standby yet; only a commit of one's own waits for the standby. So a row that is there is
// written again as it is.
const settle = `create or replace function pagora.settle_write(write_id uuid, wait_millis int)
returns boolean language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  is_void boolean;
begin
  perform set_config('lock_timeout', wait_millis::text, true);
  insert into pagora.written as w (id, void) values (write_id, true)
    on conflict (id) do update set void = w.void
    returning w.void into is_void;
  return not is_void;
end $body$`

export const statements: ReadonlyArray<string> = [settle]
