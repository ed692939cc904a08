/**
 * Claims by the clock of the database, so that all processes have one for their leases. It is read only when the claims
 * before have ended, so that a lease is as long as it was asked for. `clock_at` is for a database that one process alone
 * can use: then the clock of the process tells.
 *
 * Whoever lost the answer asks again with the same token, and gets what it had been given: a claim that had ended before
 * has the lock no more.
 */
const claimByClock = `create function pagora.claim_by_clock(
  line text, now_at timestamptz, most int, most_of_group int, new_token uuid, bounded uuid[], bounds int[],
  most_of_account int, lease_millis int, clock_at timestamptz, is_again boolean
) returns table (id uuid, grp uuid, due timestamptz) language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $body$
begin
  -- The lock of the claim itself; whoever has it gets it again.
  perform pg_advisory_xact_lock(hashtextextended('pagora.job.' || line, 0));
  if is_again then
    return query select j.id, j.grp, j.due from pagora.job j
      where j.queue = line and j.token = new_token order by j.due, j.id;
    if found then return; end if;
  end if;
  clock_at := coalesce(clock_at, clock_timestamp());
  return query select c.id, c.grp, c.due from pagora.claim_places(
    line, now_at, clock_at, clock_at + lease_millis * interval '1 millisecond', most, most_of_group, new_token,
    bounded, bounds, most_of_account
  ) as c;
end $body$`

export const statements: ReadonlyArray<string> = [claimByClock]
