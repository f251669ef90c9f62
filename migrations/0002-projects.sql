-- Where people work: projects, who may do what in them, and their environments.

create table projects (
  id bigint generated always as identity primary key,
  namespace_id bigint not null references namespaces on delete restrict,
  path text not null check (path ~ '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,253}$'),
  full_path text not null,
  name text not null check (length(name) between 1 and 255),
  description text not null default '',
  visibility text not null default 'private' check (visibility in ('private', 'internal', 'public')),
  default_branch text not null default 'main',
  creator_id bigint references users on delete set null,
  archived boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  last_activity_at timestamptz(3) not null default now()
);
create unique index projects_full_path_key on projects (lower(full_path));
create index projects_namespace on projects (namespace_id);
create index projects_visibility on projects (visibility) where visibility <> 'private';

-- A group and a project cannot share an address.
create function projects_refuse_group_path() returns trigger language plpgsql as $$
begin
  if exists (select 1 from namespaces where lower(full_path) = lower(new.full_path)) then
    raise unique_violation using constraint = 'projects_full_path_key';
  end if;
  return new;
end $$;
create trigger projects_path before insert or update of full_path on projects
  for each row execute function projects_refuse_group_path();
create function namespaces_refuse_project_path() returns trigger language plpgsql as $$
begin
  if exists (select 1 from projects where lower(full_path) = lower(new.full_path)) then
    raise unique_violation using constraint = 'namespaces_full_path_key';
  end if;
  return new;
end $$;
create trigger namespaces_path before insert or update of full_path on namespaces
  for each row execute function namespaces_refuse_project_path();

-- Paths that a project had before; they lead to it until another project takes the name.
create table project_redirects (
  old_path text primary key,
  project_id bigint not null references projects on delete cascade,
  created_at timestamptz(3) not null default now()
);

-- A role of a user in a project or in a group; past `expires_at` it counts no longer, whether or not it is still there.
create table members (
  id bigint generated always as identity primary key,
  project_id bigint references projects on delete cascade,
  namespace_id bigint references namespaces on delete cascade,
  user_id bigint not null references users on delete cascade,
  access_level smallint not null check (access_level in (10, 15, 20, 30, 40, 50)),
  expires_at timestamptz(3),
  created_by bigint references users on delete set null,
  created_at timestamptz(3) not null default now(),
  check (num_nonnulls(project_id, namespace_id) = 1)
);
create unique index members_project_user on members (project_id, user_id) where project_id is not null;
create unique index members_namespace_user on members (namespace_id, user_id) where namespace_id is not null;
create index members_user on members (user_id);
create index members_expiry on members (expires_at) where expires_at is not null;

-- Effective roles: direct, inherited through the chain of groups, and the owner of a personal namespace.
create view project_roles as
select project_id, user_id, max(access_level)::integer as access_level
from (
  select m.project_id, m.user_id, m.access_level
  from members m
  where m.project_id is not null and (m.expires_at is null or m.expires_at > now())
  union all
  select p.id, m.user_id, m.access_level
  from projects p
  join namespaces n on n.id = p.namespace_id
  join members m on m.namespace_id = any (n.lineage)
  where m.expires_at is null or m.expires_at > now()
  union all
  select p.id, n.owner_id, 50
  from projects p
  join namespaces n on n.id = p.namespace_id
  where n.owner_id is not null
) roles
group by project_id, user_id;

create table environments (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  name text not null check (length(name) between 1 and 255),
  slug text not null,
  external_url text,
  state text not null default 'available' check (state in ('available', 'stopped')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (project_id, name)
);

-- The last number given out, per project and kind (alerts, incidents).
create table project_counters (
  project_id bigint not null references projects on delete cascade,
  kind text not null,
  last bigint not null,
  primary key (project_id, kind)
);
