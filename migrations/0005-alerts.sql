-- What is wrong, and who told us: integrations, receipts, alerts, incidents.

create table alert_settings (
  project_id bigint primary key references projects on delete cascade,
  create_incident boolean not null default true,
  auto_close_incident boolean not null default true,
  grouping boolean not null default true
);

create table alert_integrations (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  type text not null check (type in ('generic', 'http', 'prometheus', 'external_tool')),
  name text not null check (length(name) between 1 and 255),
  -- Stands in the address of the endpoint; never changes, so that renaming breaks no sender.
  identifier text not null check (identifier ~ '^([0-9a-f]{16}|legacy)$'),
  active boolean not null default true,
  -- The authorization key: its digest to find and compare, its ciphertext to show it again to Maintainers.
  key_digest bytea not null unique,
  key_sealed bytea not null,
  -- After a rotation the key before works until its time is over.
  old_key_digest bytea unique,
  old_key_until timestamptz(3),
  strict boolean not null default false,
  api_url text check (length(api_url) <= 2000),
  alertmanager_url text check (length(alertmanager_url) <= 2000),
  payload_example json,
  mapping jsonb,
  group_by text[] not null default '{}',
  ignore text[] not null default '{}',
  last_received_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (project_id, identifier),
  check ((type = 'generic') = (identifier = 'legacy')),
  check ((old_key_digest is null) = (old_key_until is null))
);
create unique index alert_integrations_one_generic on alert_integrations (project_id) where type = 'generic';
create unique index alert_integrations_one_external_tool on alert_integrations (project_id)
  where type = 'external_tool';

create table incidents (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  iid bigint not null,
  title text not null check (length(title) between 1 and 255),
  description text not null default '',
  severity text not null default 'unknown'
    check (severity in ('critical', 'high', 'medium', 'low', 'info', 'unknown')),
  state text not null default 'opened' check (state in ('opened', 'closed')),
  author_id bigint references users on delete set null,
  closed_at timestamptz(3),
  closed_by bigint references users on delete set null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (project_id, iid),
  check ((state = 'closed') = (closed_at is not null))
);
create index incidents_list on incidents (project_id, state, created_at desc);

create table incident_notes (
  id bigint generated always as identity primary key,
  incident_id bigint not null references incidents on delete cascade,
  author_id bigint references users on delete set null,
  body text not null check (length(body) between 1 and 1000000),
  system boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index incident_notes_incident on incident_notes (incident_id, id);

create table alerts (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  iid bigint not null,
  integration_id bigint references alert_integrations on delete set null,
  environment_id bigint references environments on delete set null,
  incident_id bigint references incidents on delete set null,
  title text not null check (length(title) between 1 and 200),
  description text check (length(description) <= 1000),
  severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'info', 'unknown')),
  status text not null default 'triggered' check (status in ('triggered', 'acknowledged', 'resolved', 'ignored')),
  service text check (length(service) <= 100),
  monitoring_tool text check (length(monitoring_tool) <= 100),
  runbook_url text,
  hosts text[] not null default '{}',
  -- The hash is indexed and never the text, which may be longer than an index entry can be.
  fingerprint_hash bytea not null check (length(fingerprint_hash) = 32),
  fingerprint_version smallint not null default 1,
  -- What the sender called it, to show; null when the whole payload is the identity.
  fingerprint_given text check (length(fingerprint_given) <= 255),
  -- Whether repeats are counted on this alert; where grouping is off every firing stands alone.
  grouped boolean not null,
  events bigint not null check (events >= 0),
  deliveries bigint not null check (deliveries >= 0),
  -- The distinct starts of a sender that repeats itself (Alertmanager); empty for all others.
  occurrence_starts timestamptz(3)[] not null default '{}',
  started_at timestamptz(3) not null,
  -- The start that the newest occurrence brought with it; null when it brought none.
  last_start_given timestamptz(3),
  last_seen_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  -- json and not jsonb: members keep the order in which they were sent.
  payload json not null,
  first_payload json not null,
  test boolean not null default false,
  recurrence_of bigint references alerts on delete set null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (project_id, iid),
  check ((status = 'resolved') = (ended_at is not null)),
  check (ended_at >= started_at)
);
-- Counting changes no indexed column, so with room on its page a row is changed without touching an index.
alter table alerts set (fillfactor = 80);
-- The arbiter of every race: at most one open alert of a fingerprint.
create unique index alerts_one_open on alerts (fingerprint_hash, project_id)
  where status <> 'resolved' and grouped and not test;
create index alerts_fingerprint on alerts (fingerprint_hash, project_id, id) where not test;
create index alerts_list on alerts (project_id, started_at desc, id desc);
create index alerts_open_list on alerts (project_id, started_at desc, id desc) where status <> 'resolved';
create index alerts_incident on alerts (incident_id) where incident_id is not null;
create index alerts_integration on alerts (integration_id);
create index alerts_recurrence on alerts (recurrence_of) where recurrence_of is not null;
create index alerts_environment on alerts (environment_id) where environment_id is not null;
create index alerts_tests on alerts (created_at) where test;

create table alert_assignees (
  alert_id bigint not null references alerts on delete cascade,
  user_id bigint not null references users on delete cascade,
  primary key (alert_id, user_id)
);
create index alert_assignees_user on alert_assignees (user_id);

-- Every request as it came, committed together with what it did.
create table alert_receipts (
  id uuid primary key,
  project_id bigint not null references projects on delete cascade,
  integration_id bigint references alert_integrations on delete set null,
  -- The last characters of the key that was shown, to tell an old key from a new one.
  key_hint text not null,
  received_at timestamptz(3) not null default now(),
  headers jsonb not null,
  raw bytea not null,
  -- What was answered.
  status smallint not null,
  decision text not null
    check (decision in ('created', 'counted', 'resolved', 'late', 'orphan', 'mixed', 'nothing', 'test', 'refused')),
  warnings text[] not null default '{}',
  alert_iids bigint[] not null default '{}'
);
create index alert_receipts_list on alert_receipts (project_id, received_at desc, id desc);
create index alert_receipts_integration on alert_receipts (integration_id, received_at desc);
create index alert_receipts_age on alert_receipts using brin (received_at);

-- Each accepted firing or recovery of an alert, and where in which request it stands.
create table alert_occurrences (
  id bigint generated always as identity primary key,
  alert_id bigint not null references alerts on delete cascade,
  receipt_id uuid not null references alert_receipts on delete cascade,
  item integer not null,
  kind text not null check (kind in ('firing', 'recovery')),
  hosts text[] not null default '{}',
  received_at timestamptz(3) not null default now()
);
create index alert_occurrences_alert on alert_occurrences (alert_id, received_at desc, id desc);
create index alert_occurrences_receipt on alert_occurrences (receipt_id);

-- Answers under an Idempotency-Key, so that a repeat is answered the same and counts for nothing.
create table alert_idempotency_keys (
  integration_id bigint not null references alert_integrations on delete cascade,
  key_hash bytea not null,
  receipt_id uuid not null,
  answer jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (integration_id, key_hash)
);
create index alert_idempotency_keys_age on alert_idempotency_keys (created_at);

create table alert_activity (
  id bigint generated always as identity primary key,
  alert_id bigint not null references alerts on delete cascade,
  -- Null: the service itself.
  author_id bigint references users on delete set null,
  kind text not null check (kind in ('fired', 'recovered', 'incident', 'status', 'assigned', 'comment')),
  body text not null,
  created_at timestamptz(3) not null default now()
);
create index alert_activity_alert on alert_activity (alert_id, id);
