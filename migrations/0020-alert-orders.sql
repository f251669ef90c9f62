-- Each tab of a list has these orders too, however few of the alerts it shows.
create index alerts_updated_by_status on alerts (project_id, status, updated_at, id);
create index alerts_events_by_status on alerts (project_id, status, events, id);
drop index alerts_updated;
drop index alerts_events;
