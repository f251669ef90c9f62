-- Storms: when so many alerts open that the messages about them collapse into a few (decision 0099).

-- More than so many in so many seconds are a storm; 0: messages never collapse.
alter table alert_settings
  add column storm_threshold integer not null default 30 check (storm_threshold between 0 and 100000),
  add column storm_seconds integer not null default 60 check (storm_seconds between 10 and 3600);

-- One row for each project that has channels and opened an alert; written under the lock of the project's alerts.
create table alert_storms (
  project_id bigint primary key references projects on delete cascade,
  -- How many opened in the slots of the window: [[second since 1970, number], …], the oldest first.
  slots jsonb not null default '[]',
  -- Null: there is no storm.
  since timestamptz(3),
  -- Since it began, with what the window held then.
  opened bigint not null default 0,
  -- What each channel was told and what it was not: {channel: {toldAt, held, heldSince, worst}}.
  channels jsonb not null default '{}'
) with (fillfactor = 50);
create index alert_storms_on on alert_storms (project_id) where since is not null;
