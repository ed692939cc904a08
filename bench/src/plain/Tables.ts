/** All of it; run once on an empty database. */
export const tables = `
create schema plain;

create table plain.account (
  id uuid primary key,
  name text not null,
  status text not null,
  -- Millionths of the amount.
  payment_fee int not null,
  withdrawal_fee bigint not null,
  created_at timestamptz not null default now()
);

create table plain.credential (
  id uuid primary key,
  account uuid not null references plain.account,
  secret_digest bytea not null,
  permissions text[] not null,
  allowed_ips text[],
  status text not null,
  created_at timestamptz not null default now()
);

create table plain.wallet (
  account uuid primary key references plain.account,
  available bigint not null check (available >= 0),
  promotional bigint not null check (promotional >= 0),
  updated_at timestamptz not null default now()
);

create table plain.charge (
  id uuid primary key,
  account uuid not null references plain.account,
  status text not null,
  amount bigint not null check (amount > 0),
  description text,
  external_reference text,
  customer jsonb,
  metadata jsonb,
  txid text not null unique,
  copy_paste text not null,
  expires_at timestamptz not null,
  end_to_end_id text unique,
  paid_at timestamptz,
  payer_name text,
  payer_document text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index on plain.charge (account, id);
create index on plain.charge (account, external_reference, id) where external_reference is not null;
create index on plain.charge (expires_at) where status = 'pending';

create table plain.withdrawal (
  id uuid primary key,
  account uuid not null references plain.account,
  status text not null,
  amount bigint not null check (amount > 0),
  fee bigint not null,
  pix_key text not null,
  pix_key_type text not null,
  holder_name text,
  holder_document text,
  external_reference text,
  psp_reference text,
  end_to_end_id text,
  processed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index on plain.withdrawal (account, id);
create index on plain.withdrawal (account, external_reference, id) where external_reference is not null;
create index on plain.withdrawal (created_at) where status = 'pending';

-- Each source sums up to zero; the house's own accounts have no owner.
create table plain.ledger_entry (
  id bigint generated always as identity primary key,
  source uuid not null,
  owner uuid references plain.account,
  bucket text not null,
  kind text not null,
  amount bigint not null,
  created_at timestamptz not null
);
create index on plain.ledger_entry (owner, id);
create index on plain.ledger_entry (source);

create table plain.idempotency_key (
  account uuid not null references plain.account,
  key text not null,
  body_digest bytea not null,
  withdrawal uuid not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (account, key)
);

create table plain.webhook_endpoint (
  id uuid primary key,
  account uuid not null references plain.account,
  url text not null,
  secret text not null,
  enabled boolean not null
);
create index on plain.webhook_endpoint (account) where enabled;

create table plain.event (
  id uuid primary key,
  account uuid not null references plain.account,
  type text not null,
  body jsonb not null,
  created_at timestamptz not null
);

create table plain.delivery (
  id bigint generated always as identity primary key,
  event uuid not null references plain.event,
  endpoint uuid not null references plain.webhook_endpoint,
  status text not null,
  attempts int not null,
  next_at timestamptz not null
);
create index on plain.delivery (next_at) where status = 'pending';

create table plain.attempt (
  delivery bigint not null references plain.delivery,
  number int not null,
  at timestamptz not null,
  http_status int,
  duration_millis int not null,
  primary key (delivery, number)
);
`
