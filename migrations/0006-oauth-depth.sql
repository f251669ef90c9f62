-- OpenID Connect, the device flow, answers in a form, and applications that act by themselves.

-- Keys that sign identity tokens: the newest generation of an algorithm signs, those before it stay published a while.
create table signing_keys (
  kid text primary key,
  algorithm text not null check (algorithm in ('RS256', 'ES256')),
  generation integer not null,
  public_jwk jsonb not null,
  -- The private JWK, encrypted under the master key.
  private_sealed bytea not null,
  created_at timestamptz(3) not null default now(),
  -- Of several processes that make the next key at once, one does.
  unique (algorithm, generation)
);

alter table applications
  add column id_token_algorithm text not null default 'RS256' check (id_token_algorithm in ('RS256', 'ES256'));

alter table authorizations
  -- When the person had proven who they are, for auth_time; null where nobody did at a page of ours.
  add column authenticated_at timestamptz(3),
  drop constraint authorizations_flow_check,
  add constraint authorizations_flow_check
    check (flow in ('authorization_code', 'implicit', 'password', 'device_code', 'client_credentials'));

alter table authorization_requests
  drop constraint authorization_requests_response_mode_check,
  add constraint authorization_requests_response_mode_check
    check (response_mode in ('query', 'fragment', 'form_post'));

-- A device that waits until a person somewhere else has answered for it.
create table device_authorizations (
  digest bytea primary key,
  -- A keyed hash: what people type is too short for a plain one.
  user_code_hash text not null unique,
  application_id bigint not null references applications on delete cascade,
  scopes text[] not null,
  -- Where the request came from: people are shown it before they answer.
  ip text not null default '',
  interval_seconds integer not null,
  polled_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  decision text check (decision in ('allowed', 'denied')),
  user_id bigint references users on delete cascade,
  authenticated_at timestamptz(3),
  spent_at timestamptz(3),
  check ((decision is null) = (user_id is null))
);
create index device_authorizations_expiry on device_authorizations (expires_at);
create index device_authorizations_application on device_authorizations (application_id);
create index device_authorizations_user on device_authorizations (user_id) where user_id is not null;

-- Codes that a person typed and nobody waits for, so that codes cannot be guessed.
create table device_code_failures (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  failed_at timestamptz(3) not null default now()
);
create index device_code_failures_recent on device_code_failures (user_id, failed_at);
