-- The list of silenced alerts, in the orders of the list of all. Alerts that no silence meets are not in it.
create index alerts_silenced_list on alerts (project_id, status, severity, started_at, id) where silence_id is not null;
