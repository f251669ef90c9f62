-- People, the names they and groups go by, and the keys they hold.

create table users (
  id bigint generated always as identity primary key,
  username text not null check (username ~ '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,253}$'),
  name text not null check (length(name) between 1 and 255),
  email text not null check (length(email) <= 254),
  -- Argon2id in PHC format; null: nobody can sign in as this user (placeholders of outside people).
  password_hash text,
  state text not null default 'active' check (state in ('active', 'blocked')),
  is_admin boolean not null default false,
  is_placeholder boolean not null default false,
  private_profile boolean not null default false,
  confirmed_at timestamptz(3) default now(),
  last_sign_in_at timestamptz(3),
  current_sign_in_at timestamptz(3),
  last_activity_on date,
  -- Two-factor sign-in: the sealed TOTP secret counts once it is confirmed; a time step is accepted once.
  totp_sealed bytea,
  totp_confirmed_at timestamptz(3),
  totp_last_step bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index users_username_key on users (lower(username));
-- Placeholders share made-up addresses; real addresses belong to one person.
create unique index users_email_key on users (lower(email)) where not is_placeholder;

-- One pool of names: a user and a group cannot share one, because both stand first in a path.
create table namespaces (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('user', 'group')),
  owner_id bigint unique references users on delete cascade,
  parent_id bigint references namespaces on delete restrict,
  -- Itself and its ancestors, outermost first.
  lineage bigint[] not null default '{}',
  path text not null check (path ~ '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,253}$'),
  full_path text not null,
  name text not null check (length(name) between 1 and 255),
  description text not null default '',
  visibility text not null default 'private' check (visibility in ('private', 'internal', 'public')),
  plan text not null default 'premium' check (plan in ('premium', 'free')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((kind = 'user') = (owner_id is not null)),
  check (kind = 'group' or parent_id is null)
);
-- The lineage ends in the row's own id, which only the insert knows.
create function namespaces_complete_lineage() returns trigger language plpgsql as $$
begin
  new.lineage := new.lineage || new.id;
  return new;
end $$;
create trigger namespaces_lineage before insert on namespaces
  for each row execute function namespaces_complete_lineage();

create unique index namespaces_full_path_key on namespaces (lower(full_path));
create index namespaces_parent on namespaces (parent_id);
create index namespaces_by_ancestor on namespaces using gin (lineage);

-- Access tokens, personal (made by a user) or delegated (issued to an application, which `oauth` interprets).
create table access_tokens (
  id bigint generated always as identity primary key,
  digest bytea not null unique,
  kind text not null check (kind in ('personal', 'oauth')),
  user_id bigint not null references users on delete cascade,
  scopes text[] not null,
  name text not null default '',
  description text not null default '',
  -- Personal: the first token of a row of rotations.
  family_id bigint,
  application_id bigint,
  authorization_id bigint,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3)
);
create index access_tokens_user on access_tokens (user_id, kind);
create index access_tokens_family on access_tokens (family_id) where family_id is not null;
create index access_tokens_authorization on access_tokens (authorization_id) where authorization_id is not null;
create index access_tokens_application on access_tokens (application_id) where application_id is not null;

-- Browser sessions; the cookie holds the secret, the row its digest. An anonymous one keeps the way back.
create table sessions (
  digest bytea primary key,
  user_id bigint references users on delete cascade,
  -- The password was right and the second factor is still owed by this user.
  pending_user_id bigint references users on delete cascade,
  return_to text,
  -- One-shot messages and secrets shown once, sealed.
  flash bytea,
  ip text not null default '',
  user_agent text not null default '',
  authenticated_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index sessions_user on sessions (user_id) where user_id is not null;
create index sessions_expiry on sessions (expires_at);

create table recovery_codes (
  user_id bigint not null references users on delete cascade,
  digest bytea not null,
  used_at timestamptz(3),
  primary key (user_id, digest)
);

-- One-time links by which the first administrator is made.
create table setup_links (
  digest bytea primary key,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);

-- Failed sign-ins, for throttling by account and network.
create table sign_in_failures (
  id bigint generated always as identity primary key,
  login text not null,
  network text not null,
  failed_at timestamptz(3) not null default now()
);
create index sign_in_failures_recent on sign_in_failures (login, network, failed_at);
create index sign_in_failures_network on sign_in_failures (network, failed_at);

-- One row that readiness writes, so that a full disk or a read-only server does not count as ready.
create table readiness (
  one boolean primary key check (one),
  beats bigint not null
);
