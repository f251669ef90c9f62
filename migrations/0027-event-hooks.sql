-- Where the events of a project are sent to, and how far each has come in the order of arrival (decision 0109).

create table event_hooks (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  name text not null check (length(name) between 1 and 255),
  -- An address can be a secret itself.
  url_sealed bytea not null,
  host text not null check (length(host) between 1 and 320),
  secret_sealed bytea not null,
  -- Until when the secret before is signed with too.
  old_secret_until timestamptz(3),
  -- None: all.
  actions text[] not null default '{}',
  target_types text[] not null default '{}',
  confidential boolean not null default false,
  active boolean not null default true,
  -- All that arrived up to here is in the outbox, or was not for this hook.
  read_in xid8 not null default pg_current_xact_id(),
  read_id bigint not null default 0,
  created_by bigint references users on delete set null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index event_hooks_project on event_hooks (project_id, id);

-- As in 0025; and hooks go on behind what was restored.
create or replace function begin_event_epoch() returns void language sql as $$
  insert into event_epoch default values on conflict (one) do update set epoch = excluded.epoch;
  update event_hooks set read_in = pg_current_xact_id(), read_id = 9007199254740991
$$;
