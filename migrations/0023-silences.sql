-- What keeps alerts quiet for a while.

-- Whether anything of a project's makes the accepting of alerts look further: silences, channels, templates. A project
-- that uses none of them is asked nothing.
alter table alert_settings add column reaches boolean not null default false;

create table alert_silences (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  comment text not null check (length(comment) between 1 and 1000),
  matchers jsonb not null,
  starts_at timestamptz(3) not null,
  -- Null: a recurring one goes on until somebody ends it.
  ends_at timestamptz(3),
  -- Of a recurring one: ISO weekdays on which a window begins, and its times of day in a zone.
  days smallint[] not null default '{}' check (days <@ '{1,2,3,4,5,6,7}'),
  from_time text check (from_time ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  to_time text check (to_time ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  zone text check (length(zone) <= 64),
  author_id bigint references users on delete set null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (ends_at >= starts_at),
  check (ends_at is not null or days <> '{}'),
  check ((days = '{}') = (from_time is null) and (days = '{}') = (to_time is null) and (days = '{}') = (zone is null))
);
create index alert_silences_project on alert_silences (project_id, id);

-- The silence under which it was opened; null again once that is over and people have been told.
alter table alerts add column silence_id bigint;
create index alerts_silenced on alerts (project_id, silence_id) where silence_id is not null and status <> 'resolved';
