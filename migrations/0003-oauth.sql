-- Applications, what people allowed them, and the codes and tokens that follow from it.

create table applications (
  id bigint generated always as identity primary key,
  uid text not null unique check (uid ~ '^[0-9a-f]{64}$'),
  name text not null check (length(name) between 1 and 255),
  -- Of a person, of a group, or (both null) of the instance.
  owner_id bigint references users on delete cascade,
  owner_group_id bigint references namespaces on delete cascade,
  redirect_uris text[] not null default '{}',
  scopes text[] not null check (cardinality(scopes) > 0),
  grant_types text[] not null check (
    grant_types <@ '{authorization_code,implicit,password,refresh_token,client_credentials,device_code}'::text[]),
  confidential boolean not null default true,
  -- Consent is not asked; only administrators may say so, and it counts for confidential applications alone.
  trusted boolean not null default false,
  omit_iss boolean not null default false,
  home_page text not null default '',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (owner_id is null or owner_group_id is null)
);
create index applications_owner on applications (owner_id) where owner_id is not null;
create index applications_owner_group on applications (owner_group_id) where owner_group_id is not null;

-- While a secret is renewed with a grace period, two are valid.
create table application_secrets (
  id bigint generated always as identity primary key,
  application_id bigint not null references applications on delete cascade,
  digest bytea not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3)
);
create index application_secrets_application on application_secrets (application_id);

-- The family: everything that follows from one approval (or one password) dies together.
create table authorizations (
  id bigint generated always as identity primary key,
  application_id bigint not null references applications on delete cascade,
  user_id bigint not null references users on delete cascade,
  flow text not null check (flow in ('authorization_code', 'implicit', 'password', 'device_code')),
  -- The whole grant; a token may have less.
  scopes text[] not null,
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  revoked_because text
);
create index authorizations_of_user on authorizations (user_id, application_id);
create index authorizations_of_application on authorizations (application_id);

create table authorization_codes (
  digest bytea primary key,
  authorization_id bigint not null references authorizations on delete cascade,
  redirect_uri text not null,
  -- S256 is the only method.
  code_challenge text,
  nonce text,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  spent_at timestamptz(3)
);
create index authorization_codes_authorization on authorization_codes (authorization_id);
create index authorization_codes_expiry on authorization_codes (expires_at);

create table refresh_tokens (
  id bigint generated always as identity primary key,
  digest bytea not null unique,
  authorization_id bigint not null references authorizations on delete cascade,
  -- A token has one successor at most; two rotations of one token cannot both be written.
  predecessor_id bigint unique references refresh_tokens on delete set null,
  created_at timestamptz(3) not null default now(),
  -- Idle limit, never beyond the family's absolute one.
  expires_at timestamptz(3) not null,
  spent_at timestamptz(3),
  -- The scopes that the spending request asked for; null: the whole grant.
  spent_scopes text[]
);
create index refresh_tokens_authorization on refresh_tokens (authorization_id);
create index refresh_tokens_expiry on refresh_tokens (expires_at);

-- What a person allowed an application, until taken back.
create table consents (
  user_id bigint not null references users on delete cascade,
  application_id bigint not null references applications on delete cascade,
  scopes text[] not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (user_id, application_id)
);
create index consents_application on consents (application_id);

-- A checked request that waits for the person's answer: bound to one browser session, answered once.
create table authorization_requests (
  digest bytea primary key,
  session_digest bytea not null,
  user_id bigint not null references users on delete cascade,
  application_id bigint not null references applications on delete cascade,
  response_type text not null check (response_type in ('code', 'token')),
  response_mode text not null check (response_mode in ('query', 'fragment')),
  redirect_uri text not null,
  scopes text[] not null,
  state text,
  code_challenge text,
  nonce text,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index authorization_requests_expiry on authorization_requests (expires_at);

-- Tokens of a deleted application or authorization are gone with it; these columns came before their tables.
alter table access_tokens
  add foreign key (application_id) references applications on delete cascade,
  add foreign key (authorization_id) references authorizations on delete cascade;
