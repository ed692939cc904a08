/**
 * The tables. Ids are version 7 UUIDs made by the service, so that their order is the order of time and new
 * rows go to the right end of every index. Text compares by its bytes. What is only carried stays `text`.
 * Columns of fixed width stand first: it saves padding.
 */
export const statements: ReadonlyArray<string> = [
  `create table pagora.wallet (
    id uuid not null constraint wallet_pkey primary key,
    available bigint not null default 0 constraint wallet_available_floor check (available >= 0),
    held bigint not null default 0 constraint wallet_held_floor check (held >= 0),
    promotional bigint not null default 0 constraint wallet_promotional_floor check (promotional >= 0),
    lien bigint not null default 0 constraint wallet_lien_floor check (lien >= 0),
    updated_at timestamptz not null
  ) with (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,

  `create table pagora.operation (
    amount bigint,
    version integer not null,
    id uuid not null constraint operation_pkey primary key,
    account uuid not null,
    wallet uuid,
    unit uuid not null,
    kind text collate "C" not null,
    status text collate "C" not null,
    ref text collate "C",
    document text not null
  ) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05)`,
  `create index operation_wallet on pagora.operation (wallet, kind, id)`,
  // Those of a main wallet are found by the index above: its wallet has the account's id.
  `create index operation_account on pagora.operation (account, kind, id) where wallet is distinct from account`,
  `create index operation_ref on pagora.operation (wallet, ref, id) where ref is not null`,

  `create table pagora.registry (
    amount bigint,
    version integer not null,
    id uuid not null constraint registry_pkey primary key,
    account uuid not null,
    wallet uuid,
    unit uuid not null,
    kind text collate "C" not null,
    status text collate "C" not null,
    ref text collate "C",
    document text not null
  ) with (fillfactor = 50)`,
  `create index registry_account on pagora.registry (account, kind, id)`,
  `create index registry_kind on pagora.registry (kind, id)`,

  `create table pagora.ledger_tx (
    amount bigint not null,
    id uuid not null constraint ledger_tx_pkey primary key,
    source uuid not null,
    account uuid not null,
    wallet uuid not null,
    other uuid,
    leg smallint not null,
    kind text collate "C" not null,
    document text,
    constraint ledger_tx_once unique (source, kind, leg)
  )`,
  // By kind, because a list of transactions reads a few kinds, which most of a wallet's movements are not.
  `create index ledger_tx_wallet on pagora.ledger_tx (wallet, kind, id)`,
  // A movement between two wallets is found in the other one too.
  `create index ledger_tx_other on pagora.ledger_tx (other, id) where other is not null`,
  `create index ledger_tx_account on pagora.ledger_tx (account, id) where wallet <> account`,

  // Buckets below 100 are parts of a wallet; the others belong to the deployment and have no balance row.
  `create table pagora.posting (
    amount bigint not null constraint posting_not_zero check (amount <> 0),
    tx uuid not null,
    owner uuid not null,
    seq smallint not null,
    bucket smallint not null,
    spends boolean not null
  )`,
  // Not unique, so that the postings of one transaction share an entry: ledger_tx_once keeps them from doubling.
  `create index posting_tx on pagora.posting (tx)`,

  `create table pagora.event (
    at timestamptz not null,
    id uuid not null constraint event_pkey primary key,
    account uuid not null,
    wallet uuid not null,
    key text collate "C" not null,
    type text collate "C" not null,
    body text not null,
    constraint event_key unique (account, key)
  )`,
  `create table pagora.delivery (
    id uuid not null constraint delivery_pkey primary key,
    event uuid not null,
    endpoint uuid not null,
    account uuid not null,
    attempts smallint not null default 0,
    status text collate "C" not null default 'queued'
  ) with (fillfactor = 96, autovacuum_vacuum_scale_factor = 0.05)`,
  `create index delivery_account on pagora.delivery (account, id)`,
  `create table pagora.attempt (
    at timestamptz not null,
    delivery uuid not null,
    duration_millis integer not null,
    number smallint not null,
    http_status smallint,
    status text collate "C" not null,
    -- Absent: answered.
    outcome text,
    constraint attempt_pkey primary key (delivery, number)
  )`,

  `create table pagora.idempotency (
    expires_at timestamptz not null,
    created_at timestamptz not null,
    wallet uuid not null,
    entity uuid not null,
    key text collate "C" not null,
    route text collate "C" not null,
    fingerprint text not null,
    snapshot text,
    constraint idempotency_pkey primary key (wallet, key, route)
  ) with (fillfactor = 85)`,
  `create index idempotency_expiry on pagora.idempotency (expires_at)`,
  `create table pagora.unique_key (
    holder uuid not null,
    space text collate "C" not null,
    key text collate "C" not null,
    constraint unique_key_pkey primary key (space, key)
  )`,
  `create table pagora.counter (
    value bigint not null,
    key text collate "C" not null constraint counter_pkey primary key
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,

  // A row lives until its work is done, so its indexes stay small.
  `create table pagora.job (
    due timestamptz not null,
    leased_until timestamptz,
    id uuid not null,
    grp uuid not null,
    token uuid,
    queue text collate "C" not null,
    constraint job_pkey primary key (queue, id)
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  `create index job_due on pagora.job (queue, due, id) where token is null`,
  `create index job_group on pagora.job (queue, grp, due, id) where token is null`,
  `create index job_held on pagora.job (queue, grp) where token is not null`
]
