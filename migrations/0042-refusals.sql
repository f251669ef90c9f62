-- Deliveries that a source refused, so that whoever sets it up sees why nothing arrives (decision 0120).

create table event_refusals (
  id bigint generated always as identity primary key,
  source_id bigint not null references event_sources on delete cascade,
  status integer not null check (status between 400 and 499),
  reason text not null,
  -- In the forge's words, as far as headers say.
  kind text not null,
  -- None that proves who sent it; anybody who knows the address can have.
  headers jsonb not null,
  raw bytea not null check (length(raw) <= 65536),
  body_bytes bigint not null,
  received_at timestamptz(3) not null default now()
);
create index event_refusals_source on event_refusals (source_id, id desc);
create index event_refusals_received on event_refusals (received_at);

-- All of them, kept or not.
create table event_refusal_counts (
  source_id bigint primary key references event_sources on delete cascade,
  n bigint not null,
  last_at timestamptz(3) not null
);
