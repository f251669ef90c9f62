-- In a storm, the alerts of a project that chose so share one incident (decision 0177).
alter table alert_settings add column collapse_incidents boolean not null default false;
-- Opened for a storm, and not for one alert.
alter table incidents add column storm boolean not null default false;
-- How many alerts opened of late that would have opened an incident, as of a channel, and the incident of their storm:
-- {slots, since, opened, incidentId}. Null: nothing is counted.
alter table alert_storms add column incidents jsonb;

-- Whether an alert of an incident is open is seen without looking at those that are resolved. While the index is made nobody
-- writes here, but everybody reads. One who would keep the old one busy for long, such as a backup, is noticed before that.
savepoint before_the_work;
lock table alerts in access exclusive mode;
rollback to savepoint before_the_work;
-- Where millions of alerts are kept, it can be made before the upgrade, `concurrently`.
create index if not exists alerts_of_incident on alerts (incident_id, status) where incident_id is not null;
drop index alerts_incident;
