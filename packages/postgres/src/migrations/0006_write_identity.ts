import { bodyOf, parameters, parts } from "./0002_write.ts"

const pinned = `language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

/**
 * A row for each write: its identity, which keeps it from being in twice and, where it is void, from ever coming in. The
 * ids are in the order of time, so the old ones are at one end.
 */
const written = `create table pagora.written (
    at timestamptz not null default clock_timestamp(),
    id uuid not null constraint written_once primary key,
    void boolean not null default false
  ) with (autovacuum_vacuum_scale_factor = 0.05)`

/** Rows of a table by their keys: how they are found, and what each is called (`RowLocks.ts` of core). */
interface Lockable {
  readonly from: string
  readonly name: string
  readonly lock: string
}

const byIds = (table: string, ids: string, prefix: string, key = "id"): Lockable => ({
  from: `pagora.${table} o where o.${key} = any (${ids})`,
  name: `'${prefix} ' || o.${key}`,
  lock: "no key update of o"
})

const lockables: ReadonlyArray<Lockable> = [
  byIds("wallet", "wallets", "wallet"),
  byIds("operation", "entities", "row"),
  byIds("registry", "entities", "row"),
  byIds("counter", "counters", "counter", "key"),
  byIds("delivery", "deliveries", "delivery"),
  {
    from: `unnest(queues, jobs) as x (queue, id) join pagora.job o on o.queue = x.queue and o.id = x.id`,
    name: "'job ' || o.queue || ' ' || o.id",
    lock: "update of o"
  },
  {
    from: `unnest(owners, keys, routes) as x (wallet, key, route)
        join pagora.idempotency o on o.wallet = x.wallet and o.key = x.key and o.route = x.route`,
    name: "'idempotency ' || o.wallet || ' ' || o.key || ' ' || o.route",
    lock: "no key update of o"
  }
]

const present = lockables.map(({ from, name }) => `select ${name} from ${from}`)
const free = lockables.map(
  ({ from, lock, name }) =>
    `select f.name from (select ${name} as name from ${from} for ${lock} skip locked) as f`
)

/**
 * Which of these rows somebody else holds, by their names: those that are there and cannot be locked at once. Of what
 * somebody is about to insert nothing is seen yet.
 */
const locked = `create function pagora.locked(
  wallets uuid[], entities uuid[], counters text[], deliveries uuid[], queues text[], jobs uuid[],
  owners uuid[], keys text[], routes text[]
) returns text[] ${pinned} as $body$
declare
  found text[] := '{}';
  names text[];
begin
  ${free.map((query) => `names := array(${query});\n  found := found || names;`).join("\n  ")}
  names := array(${present.join(" union all ")});
  return array(select n from unnest(names) as n where n <> all (found) order by n);
end $body$`

// Whoever is changing one of them is awaited without holding anything, so that the next look sees the outcome. Who is
// still at it after that has locked it.
const waiting = `
  if failed = 'expect' then
    for millis in 1 .. 45 loop
      names := array(
        select 'row ' || o.id from pagora.operation o
          where o.id = any (expect_id) and o.xmax <> 0 and pagora.is_at_work(o.xmax)
        union all
        select 'row ' || o.id from pagora.registry o
          where o.id = any (expect_id) and o.xmax <> 0 and pagora.is_at_work(o.xmax)
      );
      exit when names = '{}' or clock_timestamp() >= since + wait_millis * interval '1 millisecond';
      perform pg_sleep(millis / 1000.0);
    end loop;
    if names <> '{}' then failed := 'locked ' || to_json(names); end if;
  end if;`

/** What a later migration adds to the function: what it takes, what it keeps, and what it answers. */
interface WriteParts {
  readonly answer?: string
  readonly taking?: string
  readonly variables?: string
}

/**
 * The function of before, which also stores the identity of the write, as the last thing it does: so whoever makes an
 * identity void never waits for locks that this write waits for. It waits for no lock longer than it is told, and then
 * names what is locked. Processes that know neither call it as before.
 */
export const writeOver = (
  body: string,
  { answer = "failed", taking = "", variables = "" }: WriteParts = {}
): string => `create function pagora.write(
  ${parameters}, write_id uuid default null, wait_millis int default null${taking}
) returns text ${pinned} as $body$
declare
  touched bigint;
  total bigint;
  expected bigint;
  scheduled bigint;
  inserted bigint;
  marks xid[];
  failed text;
  names text[];
  since constant timestamptz := clock_timestamp();${variables}
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    -- With another one "expects" would look at what was before the locks were waited for.
    raise exception 'pagora.write needs read committed' using errcode = 'PAG02';
  end if;
  if wait_millis is not null then
    perform set_config('lock_timeout', wait_millis::text, true);
  end if;
  begin
    ${body}
    if write_id is not null then insert into pagora.written (id) values (write_id); end if;
  exception
    when unique_violation or sqlstate 'PAG01' then
      get stacked diagnostics failed = constraint_name;
      failed := coalesce(nullif(failed, ''), sqlerrm);
    when lock_not_available then
      failed := 'locked ' || to_json(pagora.locked(
        wallet_id || empty_wallet, update_id, counter_key, attempt_delivery, job_queue, job_id,
        begin_wallet || complete_wallet, begin_key || complete_key, begin_route || complete_route
      ));
  end;
  ${waiting}
  return ${answer};
end $body$`

export const write = writeOver(bodyOf(parts))

const settle = `create function pagora.settle_write(write_id uuid, wait_millis int)
returns boolean ${pinned} as $body$
begin
  perform set_config('lock_timeout', wait_millis::text, true);
  insert into pagora.written (id, void) values (write_id, true) on conflict (id) do nothing;
  return not (select w.void from pagora.written w where w.id = write_id);
end $body$`

const forget = `create function pagora.forget_writes(most int) returns int ${pinned} as $body$
declare
  over constant timestamptz := clock_timestamp() - interval '1 day';
  bound constant uuid :=
    rpad(lpad(to_hex((extract(epoch from over) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  forgotten int;
begin
  with old as materialized (
    select w.id from pagora.written w where w.id < bound and w.at < over order by w.id limit most
      for update skip locked
  ) delete from pagora.written w using old where w.id = old.id;
  get diagnostics forgotten = row_count;
  return forgotten;
end $body$`

export const statements: ReadonlyArray<string> = [
  written,
  locked,
  `drop function pagora.write`,
  write,
  settle,
  forget
]
