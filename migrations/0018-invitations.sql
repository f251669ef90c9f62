-- People asked to come in, by mail address; the newest link of each counts.

create table invitations (
  id bigint generated always as identity primary key,
  digest bytea not null unique,
  email text not null check (length(email) between 3 and 254),
  -- Null: who signs up by themselves. Who is asked by somebody that was removed or blocked is not asked any more.
  invited_by bigint references users on delete cascade,
  -- Where they will be a member; neither: they only get an account.
  project_id bigint references projects on delete cascade,
  namespace_id bigint references namespaces on delete cascade,
  access_level smallint check (access_level in (10, 15, 20, 30, 40, 50)),
  member_until timestamptz(3),
  -- What the place was called then.
  place text not null default '',
  created_at timestamptz(3) not null default now(),
  sent_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  check (project_id is null or namespace_id is null),
  check ((access_level is null) = (project_id is null and namespace_id is null))
);
create unique index invitations_one on invitations
  (lower(email), coalesce(project_id, 0), coalesce(namespace_id, 0), (invited_by is null));
create index invitations_project on invitations (project_id) where project_id is not null;
create index invitations_namespace on invitations (namespace_id) where namespace_id is not null;
create index invitations_inviter on invitations (invited_by, sent_at);
create index invitations_expiry on invitations (expires_at);
