-- Recoveries that came before their firings, where a project lets late firings open nothing (decision 0180). Written under the
-- lock of the project's alerts.
create table alert_early_recoveries (
  project_id bigint not null references projects on delete cascade,
  fingerprint_hash bytea not null check (length(fingerprint_hash) = 32),
  -- When what they speak of was over: of several of one fingerprint the last.
  ended_at timestamptz(3) not null,
  received_at timestamptz(3) not null default now(),
  primary key (project_id, fingerprint_hash)
);
create index alert_early_recoveries_age on alert_early_recoveries (received_at);
