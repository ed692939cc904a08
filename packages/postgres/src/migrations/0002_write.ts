/** What `write` takes: for each kind of thing one array per column, all of one length, or none at all. */
const things = {
  begin: [
    "wallet uuid, route text, key text, fingerprint text, entity uuid, expires timestamptz",
    "at timestamptz, snapshot text"
  ],
  complete: ["wallet uuid, route text, key text, entity uuid, snapshot text"],
  key: ["space text, key text, holder uuid"],
  job: ["op text, queue text, id uuid, grp uuid, token uuid, due timestamptz"],
  update: [
    "tab text, id uuid, expected int, unit uuid, kind text, account uuid, wallet uuid, status text",
    "amount bigint, ref text, document text"
  ],
  insert: [
    "tab text, id uuid, unit uuid, kind text, account uuid, wallet uuid, status text, amount bigint",
    "ref text, document text"
  ],
  ledger: [
    "id uuid, kind text, account uuid, wallet uuid, other uuid, source uuid, leg smallint",
    "amount bigint, document text"
  ],
  posting: ["tx uuid, seq smallint, owner uuid, bucket smallint, amount bigint, spends boolean"],
  event: ["id uuid, account uuid, wallet uuid, key text, type text, body text, at timestamptz"],
  delivery: ["id uuid, event uuid, endpoint uuid, account uuid"],
  attempt: [
    "delivery uuid, number smallint, at timestamptz, outcome text, http_status smallint",
    "duration_millis int, status text"
  ],
  counter: ["key text, add bigint, highest bigint"],
  open: ["wallet uuid, at timestamptz"],
  wallet: [
    "id uuid, at timestamptz, available bigint, held bigint, promotional bigint, lien bigint",
    "lowest_available bigint, lowest_held bigint, lowest_promotional bigint, lowest_lien bigint",
    "lowest_spendable bigint"
  ],
  empty: ["wallet uuid"],
  expect: ["tab text, id uuid, version int"]
}

type Thing = keyof typeof things

const columnsOf = (thing: Thing): ReadonlyArray<string> => things[thing].join(", ").split(", ")

export const parameters = (Object.keys(things) as ReadonlyArray<Thing>)
  .flatMap((thing) => columnsOf(thing).map((column) => `${thing}_${column}[] default null`))
  .join(", ")

/** The arrays of one kind of thing, as rows. */
export const rows = (thing: Thing): string => {
  const names = columnsOf(thing).map((column) => column.replace(/ .*/, ""))
  return `unnest(${names.map((name) => `${thing}_${name}`).join(", ")}) as x (${names.join(", ")})`
}

export const fail = (expectation: string): string =>
  `raise exception '${expectation}' using errcode = 'PAG01'`

/** Refuses unless the statement before it found every one of these things as it had to be. */
const failUnlessAll = (thing: Thing, array: string): string => `
      get diagnostics touched = row_count;
      if touched < cardinality(${array}) then ${fail(thing)}; end if;`

const idempotency = `
    if begin_wallet is not null then
      insert into pagora.idempotency as i
        (wallet, route, key, fingerprint, entity, expires_at, created_at, snapshot)
        select * from ${rows("begin")}
        on conflict (wallet, key, route) do update set
          fingerprint = excluded.fingerprint, entity = excluded.entity, expires_at = excluded.expires_at,
          created_at = excluded.created_at, snapshot = excluded.snapshot
        where i.expires_at <= excluded.created_at;
      ${failUnlessAll("begin", "begin_wallet")}
    end if;
    if complete_wallet is not null then
      perform 1 from ${rows("complete")}
        join pagora.idempotency i on i.wallet = x.wallet and i.key = x.key and i.route = x.route
        order by i.wallet, i.key, i.route for no key update of i;
      update pagora.idempotency i set snapshot = x.snapshot from ${rows("complete")}
        where i.wallet = x.wallet and i.key = x.key and i.route = x.route and i.entity = x.entity;
      ${failUnlessAll("complete", "complete_wallet")}
    end if;`

const keys = `
    if key_space is not null then
      insert into pagora.unique_key (space, key, holder) select * from ${rows("key")};
    end if;`

/** Puts in what is not there yet. */
export const newJobs = `scheduled := (select count(*) from unnest(job_op) as op where op = 'Schedule');
      inserted := 0;
      if scheduled > 0 then
        insert into pagora.job (queue, id, grp, due)
          select x.queue, x.id, x.grp, x.due from ${rows("job")} where x.op = 'Schedule'
          on conflict (queue, id) do nothing;
        get diagnostics inserted = row_count;
      end if;`

// New jobs are put in before any is locked, and all that were there are locked in one go. So whoever waits for
// somebody's new job holds no lock that he could wait for. A job that went in between is looked for anew.
const jobs = `
    if job_op is not null then
      ${newJobs}
      if inserted < cardinality(job_op) then
        with locked as materialized (
          select x.op, x.token = j.token as is_held from ${rows("job")}
            join pagora.job j on j.queue = x.queue and j.id = x.id
            where x.op <> 'Schedule' or inserted < scheduled
            order by j.queue, j.id for update of j
        ) select count(*) filter (where op = 'Schedule'), count(*) filter (where is_held)
          into touched, total from locked;
        if inserted < scheduled and touched < scheduled then ${fail("job")}; end if;
        delete from pagora.job j using ${rows("job")}
          where x.op in ('Finish', 'Cancel') and j.queue = x.queue and j.id = x.id;
        if inserted < scheduled or 'Retry' = any (job_op) then
          update pagora.job j set
            grp = coalesce(x.grp, j.grp), due = x.due, token = null, leased_until = null
            from ${rows("job")}
            where x.op in ('Schedule', 'Retry') and j.queue = x.queue and j.id = x.id;
        end if;
      else
        total := 0;
      end if;
      if total < (select count(*) from unnest(job_token) as token where token is not null) then
        ${fail("job")};
      end if;
    end if;`

const updateIn = (table: string): string => `
      if '${table}' = any (update_tab) then
        perform 1 from pagora.${table} o where o.id = any (update_id) order by o.id for no key update;
        update pagora.${table} o set
          version = o.version + 1, unit = x.unit, kind = x.kind, account = x.account, wallet = x.wallet,
          status = x.status, amount = x.amount, ref = x.ref, document = x.document
          from ${rows("update")} where x.tab = '${table}' and o.id = x.id and o.version = x.expected;
        get diagnostics touched = row_count;
        total := total + touched;
      end if;`

const insertIn = (table: string): string => `
    if '${table}' = any (insert_tab) then
      insert into pagora.${table}
        (id, unit, kind, account, wallet, status, amount, ref, document, version)
        select x.id, x.unit, x.kind, x.account, x.wallet, x.status, x.amount, x.ref, x.document, 1
          from ${rows("insert")} where x.tab = '${table}';
    end if;`

const entities = `
    if update_id is not null then
      total := 0;
      ${updateIn("operation")}
      ${updateIn("registry")}
      if total < cardinality(update_id) then ${fail("update")}; end if;
    end if;
    ${insertIn("operation")}
    ${insertIn("registry")}`

const facts = `
    if ledger_id is not null then
      insert into pagora.ledger_tx (id, kind, account, wallet, other, source, leg, amount, document)
        select * from ${rows("ledger")};
      insert into pagora.posting (tx, seq, owner, bucket, amount, spends)
        select * from ${rows("posting")};
    end if;
    if event_id is not null then
      insert into pagora.event (id, account, wallet, key, type, body, at) select * from ${rows("event")};
    end if;
    if delivery_id is not null then
      insert into pagora.delivery (id, event, endpoint, account) select * from ${rows("delivery")};
    end if;
    if attempt_delivery is not null then
      insert into pagora.attempt
        (delivery, number, at, outcome, http_status, duration_millis, status)
        select * from ${rows("attempt")};
      perform 1 from pagora.delivery d where d.id = any (attempt_delivery) order by d.id for no key update;
      update pagora.delivery d set status = x.status, attempts = d.attempts + x.tries
        from (
          select x.delivery, count(*) as tries, (array_agg(x.status order by x.number desc))[1] as status
            from ${rows("attempt")} group by x.delivery
        ) as x where d.id = x.delivery;
    end if;`

const counters = `
    if counter_key is not null then
      if (select count(*) from pagora.counter c where c.key = any (counter_key)) < cardinality(counter_key)
      then
        insert into pagora.counter (key, value) select x.key, 0 from unnest(counter_key) as x (key)
          on conflict (key) do nothing;
      end if;
      perform 1 from pagora.counter c where c.key = any (counter_key) order by c.key for no key update;
      update pagora.counter c set value = c.value + x.add from ${rows("counter")}
        where c.key = x.key and (x.highest is null or c.value <= x.highest);
      ${failUnlessAll("counter", "counter_key")}
    end if;`

// The floor of a bucket holds at every unit's place when the balance covers its lowest running sum.
const wallets = `
    if open_wallet is not null then
      insert into pagora.wallet (id, updated_at) select * from ${rows("open")};
    end if;
    if wallet_id is not null or empty_wallet is not null then
      perform 1 from pagora.wallet w where w.id = any (wallet_id || empty_wallet)
        order by w.id for no key update;
    end if;
    if wallet_id is not null then
      update pagora.wallet w set
        available = w.available + x.available, held = w.held + x.held,
        promotional = w.promotional + x.promotional, lien = w.lien + x.lien,
        updated_at = greatest(w.updated_at, x.at)
        from ${rows("wallet")}
        where w.id = x.id and w.available + x.lowest_available >= 0 and w.held + x.lowest_held >= 0
          and w.promotional + x.lowest_promotional >= 0 and w.lien + x.lowest_lien >= 0
          and (x.lowest_spendable is null or w.available - w.lien + x.lowest_spendable >= 0);
      ${failUnlessAll("wallet", "wallet_id")}
    end if;`

// A row that somebody is changing bears his mark: of two who each rest on what the other changes, one is
// refused, though neither waits while he holds anything. Marks stay after their maker has gone. Then the row is
// looked at once more: if he had changed it, it has another version by now. `isFree` tells at the first look that nobody is.
const expectIn = (table: string, isFree: string): string => `
      if '${table}' = any (expect_tab) then
        expected := (select count(*) from unnest(expect_tab) as tab where tab = '${table}');
        select count(*) into touched from ${rows("expect")} join pagora.${table} o on o.id = x.id
          where x.tab = '${table}' and o.version = x.version and ${isFree};
        if touched < expected then
          marks := array(select o.xmax from pagora.${table} o where o.id = any (expect_id) and o.xmax <> 0);
          if not exists (select 1 from unnest(marks) as mark where pagora.is_at_work(mark)) then
            select count(*) into touched from ${rows("expect")} join pagora.${table} o on o.id = x.id
              where x.tab = '${table}' and o.version = x.version and (o.xmax = 0 or o.xmax = any (marks));
          end if;
        end if;
        total := total + touched;
      end if;`

// Each statement sees what others have committed by then, so what is only looked at comes after every lock.
export const expectations = (isFree: string): string => `
    if expect_id is not null then
      total := 0;
      ${expectIn("operation", isFree)}
      ${expectIn("registry", isFree)}
      if total < cardinality(expect_id) then ${fail("expect")}; end if;
    end if;
    if empty_wallet is not null then
      select count(*) into touched from pagora.wallet w where w.id = any (empty_wallet)
        and w.available = 0 and w.held = 0 and w.promotional = 0 and w.lien = 0;
      if touched < cardinality(empty_wallet) then ${fail("empty")}; end if;
    end if;`

/** All that is written, in the order in which it is locked. */
export const parts = {
  idempotency,
  keys,
  jobs,
  entities,
  facts,
  counters,
  wallets,
  expectations: expectations("o.xmax = 0")
}

export const bodyOf = (of: typeof parts): string => Object.values(of).join(" ")

const write = `create function pagora.write(${parameters}) returns text language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $body$
declare
  touched bigint;
  total bigint;
  expected bigint;
  scheduled bigint;
  inserted bigint;
  marks xid[];
  failed text;
begin
  begin
    ${bodyOf(parts)}
  exception when unique_violation or sqlstate 'PAG01' then
    get stacked diagnostics failed = constraint_name;
    failed := coalesce(nullif(failed, ''), sqlerrm);
  end;
  if failed = 'expect' then
    -- Whoever is changing one of them is awaited without holding anything, for a second at most, so that the
    -- next look sees the outcome.
    for millis in 1 .. 45 loop
      exit when not exists (
        select 1 from pagora.operation o where o.id = any (expect_id) and o.xmax <> 0 and pagora.is_at_work(o.xmax)
        union all
        select 1 from pagora.registry o where o.id = any (expect_id) and o.xmax <> 0 and pagora.is_at_work(o.xmax)
      );
      perform pg_sleep(millis / 1000.0);
    end loop;
  end if;
  return failed;
end $body$`

/**
 * Tells whether the transaction that left a mark on a row goes on. A mark has 32 bits of the number that the
 * server counts; it is the nearest one to the present with these. One it cannot make out is taken for a yes.
 */
const isAtWork = `create function pagora.is_at_work(mark xid) returns boolean language plpgsql as $body$
declare
  present constant bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  wrapped constant bigint := 4294967296;
  ahead bigint := (((mark::text::bigint - present) % wrapped) + wrapped) % wrapped;
begin
  if ahead >= wrapped / 2 then ahead := ahead - wrapped; end if;
  return coalesce(pg_xact_status((present + ahead)::text::xid8) = 'in progress', false);
exception when invalid_parameter_value then
  return true;
end $body$`

/**
 * The one statement that writes. It is all or nothing: null, or the name of the expectation that does not
 * hold, and then nothing is written and nothing stands in the server's log. Tables come in one order and rows
 * in the order of the arrays, which the caller sorted, so that two callers never wait for each other in a
 * circle.
 *
 * Its plans are pinned: the planner would make a new one for every small group, and one that was made while a
 * table was empty would read the whole table when it is not.
 */
export const statements: ReadonlyArray<string> = [isAtWork, write]
