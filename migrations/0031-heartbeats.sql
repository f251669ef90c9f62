-- Things that say regularly that they live; when one stays silent, an alert opens.
create table alert_heartbeats (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  name text not null check (length(name) between 1 and 100),
  -- Stands in the address, and never changes.
  identifier text not null unique check (identifier ~ '^[0-9a-f]{16}$'),
  key_digest bytea not null,
  key_sealed bytea not null,
  active boolean not null default true,
  interval_seconds integer not null check (interval_seconds between 10 and 31622400),
  grace_seconds integer not null check (grace_seconds between 0 and 604800),
  severity text not null default 'critical'
    check (severity in ('critical', 'high', 'medium', 'low', 'info', 'unknown')),
  last_ping_at timestamptz(3),
  -- When it is missed; null before the first ping and while it is off.
  due_at timestamptz(3),
  late boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index alert_heartbeats_project on alert_heartbeats (project_id, id);
create index alert_heartbeats_due on alert_heartbeats (due_at) where not late and due_at is not null;

-- When the clock was last looked at: pings that nobody could take while the service was away are missed by nobody.
create table alert_heartbeat_watch (one boolean primary key default true check (one), looked_at timestamptz(3) not null);
insert into alert_heartbeat_watch (looked_at) values (now());
