-- What applications were refused and why, and what the instance allows them at all.

-- The true reason of each refusal, for whoever looks after the application; nothing secret stands in it.
create table application_events (
  id bigint generated always as identity primary key,
  application_id bigint not null references applications on delete cascade,
  at timestamptz(3) not null default now(),
  endpoint text not null check (endpoint in ('authorize', 'token', 'device', 'revoke', 'introspect', 'userinfo')),
  -- As `grant_type` or `response_type` names it; empty where there is none.
  grant_type text not null default '',
  -- The error code that was answered.
  answer text not null,
  reason text not null check (length(reason) <= 1000),
  -- Of the first, where several of a kind came within a second.
  request_id text not null,
  network text not null default '',
  user_id bigint references users on delete set null,
  times integer not null default 1 check (times > 0)
);
create index application_events_newest on application_events (application_id, id desc);
create index application_events_age on application_events (at);
create index application_events_user on application_events (user_id) where user_id is not null;

-- One row. Null: as the start configuration says.
create table instance_settings (
  only_row boolean primary key default true check (only_row),
  allow_implicit boolean,
  allow_password boolean,
  allow_query_tokens boolean,
  require_pkce boolean,
  guard_administrators boolean,
  code_seconds integer check (code_seconds between 60 and 600),
  updated_at timestamptz(3) not null default now()
);
insert into instance_settings default values;
