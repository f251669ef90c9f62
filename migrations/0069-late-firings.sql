-- Whether a firing that began before its alert ended leaves that resolved (decision 0179).
alter table alert_settings add column late_firings_stay_resolved boolean not null default false;
