-- What is to be sent out, written in the transaction that wants it sent, and each try of sending it.

create table outbox_deliveries (
  id bigint generated always as identity primary key,
  -- The identity that receivers see; the same at every try.
  message_id text not null unique default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  channel text not null check (channel in ('mail', 'webhook', 'slack')),
  -- A mail address or a host and port: what may be shown of where it goes.
  target text not null check (length(target) between 1 and 320),
  -- In the order of its writer, because the bytes are signed.
  content json not null,
  -- Addresses that are secrets themselves, signing secrets, and words of a mail that only its reader may see.
  sealed_url bytea,
  sealed_secret bytea,
  project_id bigint references projects on delete cascade,
  purpose text not null default '' check (purpose ~ '^[a-z0-9_:-]{0,64}$'),
  dedupe_key text check (length(dedupe_key) <= 255),
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'dead')),
  attempts integer not null default 0,
  -- When the next try is due; while one is under way, when it counts as lost. Rounded down, or what is written now
  -- would be due in half a millisecond.
  due_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  -- After this nobody tries any more.
  give_up_at timestamptz(3) not null default now() + interval '24 hours',
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  check ((state = 'waiting') = (finished_at is null))
);
create index outbox_deliveries_due on outbox_deliveries (due_at) where state = 'waiting';
create index outbox_deliveries_finished on outbox_deliveries (finished_at) where finished_at is not null;
create index outbox_deliveries_unsent on outbox_deliveries (state, due_at) where state <> 'sent';
create index outbox_deliveries_project on outbox_deliveries (project_id, id) where project_id is not null;
create index outbox_deliveries_purpose on outbox_deliveries (purpose, id) where purpose <> '';
create unique index outbox_deliveries_dedupe on outbox_deliveries (purpose, dedupe_key) where dedupe_key is not null;

create table outbox_attempts (
  delivery_id bigint not null references outbox_deliveries on delete cascade,
  number integer not null,
  at timestamptz(3) not null default now(),
  duration_ms integer not null,
  -- The answer's status over HTTP, the reply code of a mail server; null: no answer.
  status integer,
  -- Empty: it went through. Never what the other side wrote.
  error text not null default '',
  primary key (delivery_id, number)
);
