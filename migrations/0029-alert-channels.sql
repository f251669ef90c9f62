-- Whom a project tells of its alerts, and how.
create table alert_channels (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  name text not null check (length(name) between 1 and 255),
  kind text not null check (kind in ('mail', 'webhook', 'slack')),
  active boolean not null default true,
  -- Of mail: roles, and people by their ids, who must still be allowed to see alerts when it is written.
  recipients text[] not null default '{}' check (recipients <@ '{assignees,maintainers}'),
  user_ids bigint[] not null default '{}',
  -- The address may be a secret itself; its host may be shown.
  url_sealed bytea,
  url_host text check (length(url_host) <= 320),
  secret_sealed bytea,
  -- Which alerts, on what; no integration named means all of them.
  severities text[] not null,
  events text[] not null check (events <@ '{opened,reopened,acknowledged,resolved}'),
  integration_ids bigint[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((kind = 'mail') = (url_sealed is null) and (url_sealed is null) = (url_host is null))
);
create index alert_channels_project on alert_channels (project_id, id);
