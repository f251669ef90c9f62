-- Changed conditions of a silence hold for the alerts that wait under it as well (decision 0234): up to which of them they were
-- judged by it. Null: all were.
alter table alert_silences add column judged_until bigint;
