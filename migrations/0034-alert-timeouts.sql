-- Alerts that nobody sends any more may resolve by themselves (decision 0116).

-- After so many hours without a delivery; 0: never.
alter table alert_settings
  add column resolve_after_hours integer not null default 0 check (resolve_after_hours between 0 and 8760);
create index alert_settings_timeouts on alert_settings (project_id) where resolve_after_hours > 0;

-- Since when the service has been there without a longer break: before that nobody could deliver anything.
create table alert_timeout_watch (
  one boolean primary key default true check (one),
  looked_at timestamptz(3) not null,
  up_since timestamptz(3) not null
);
insert into alert_timeout_watch (looked_at, up_since) values (now(), '-infinity');
