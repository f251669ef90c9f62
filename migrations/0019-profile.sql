-- What people say of themselves, and mail addresses that wait to be confirmed.

alter table users
  -- An IANA name; calendars and times of a person are shown in it.
  add column time_zone text not null default 'Etc/UTC' check (length(time_zone) between 1 and 64),
  add column shows_email boolean not null default false;

-- The newest of a person counts.
create table email_changes (
  digest bytea primary key,
  user_id bigint not null unique references users on delete cascade,
  email text not null check (length(email) between 3 and 254),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
