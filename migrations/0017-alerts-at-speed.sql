-- Less to write for each alert, and what lists and tabs of a million alerts need.

-- Null: as the first one, which most alerts keep.
alter table alerts alter column payload drop not null;
-- Who it is said to come from; null where a line of its activity says so.
alter table alerts add column logged_by text;

-- An integration that was removed is missing where they are read; setting them to null would rewrite its whole past.
alter table alerts drop constraint alerts_integration_id_fkey;
drop index alerts_integration;
alter table alert_receipts drop constraint alert_receipts_integration_id_fkey;
drop index alert_receipts_integration;

-- Occurrences go by their age, as receipts do, and have no name of their own.
alter table alert_occurrences drop constraint alert_occurrences_receipt_id_fkey;
alter table alert_occurrences drop constraint alert_occurrences_pkey;
drop index alert_occurrences_receipt;
create index alert_occurrences_age on alert_occurrences using brin (received_at);

-- What an alert may have been before is resolved, so that new alerts need no entry here.
drop index alerts_fingerprint;
create index alerts_resolved on alerts (fingerprint_hash, project_id, id) where status = 'resolved' and not test;
-- Where grouping is off, a recovery resolves all of them.
create index alerts_open_alone on alerts (fingerprint_hash, project_id)
  where status <> 'resolved' and not grouped and not test;

-- Lists take the first of each status and severity from the one index that has them in order.
drop index alerts_list;
drop index alerts_open_list;
create index alerts_list on alerts (project_id, status, severity, started_at, id);
create index alerts_ended on alerts (project_id, ended_at, id) where ended_at is not null;
create index alerts_updated on alerts (project_id, updated_at, id);
create index alerts_events on alerts (project_id, events, id);

-- How many alerts there are, so that tabs need not count them; test alerts stand in no count.
create table alert_counts (
  project_id bigint not null references projects on delete cascade,
  status text not null,
  severity text not null,
  n bigint not null,
  primary key (project_id, status, severity)
) with (fillfactor = 50);

create function count_inserted_alerts() returns trigger language plpgsql as $$
begin
  insert into alert_counts as c (project_id, status, severity, n)
  select project_id, status, severity, count(*) from arrived where not test group by 1, 2, 3 order by 1, 2, 3
  on conflict (project_id, status, severity) do update set n = c.n + excluded.n;
  return null;
end $$;

create function count_changed_alerts() returns trigger language plpgsql as $$
begin
  insert into alert_counts as c (project_id, status, severity, n)
  select project_id, status, severity, sum(n)
  from (select new.project_id, new.status, new.severity, 1 as n where not new.test
    union all select old.project_id, old.status, old.severity, -1 where not old.test) changed
  group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
  on conflict (project_id, status, severity) do update set n = c.n + excluded.n;
  return null;
end $$;

-- A project that is deleted takes its counts along, so nothing is inserted here.
create function count_deleted_alerts() returns trigger language plpgsql as $$
begin
  update alert_counts c set n = c.n - d.n
  from (select project_id, status, severity, count(*) as n from gone where not test group by 1, 2, 3) d
  where (c.project_id, c.status, c.severity) = (d.project_id, d.status, d.severity);
  return null;
end $$;

lock table alerts in share row exclusive mode;
insert into alert_counts (project_id, status, severity, n)
select project_id, status, severity, count(*) from alerts where not test group by 1, 2, 3;
create trigger alerts_inserted after insert on alerts referencing new table as arrived
  for each statement execute function count_inserted_alerts();
create trigger alerts_changed after update on alerts for each row
  when (old.status <> new.status or old.severity <> new.severity or old.test <> new.test)
  execute function count_changed_alerts();
create trigger alerts_deleted after delete on alerts referencing old table as gone
  for each statement execute function count_deleted_alerts();
