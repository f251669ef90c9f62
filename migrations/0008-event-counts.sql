-- How many events there are, by day and in all, so that totals and calendars need not read the events.

-- What has been written since the last compaction: every statement that writes events appends here, so that writers
-- never wait for each other over a counter.
create table event_deltas (
  day date not null,
  project_id bigint not null,
  author_id bigint not null,
  action event_action not null,
  target_type event_target_type,
  cap event_cap not null,
  n bigint not null
);
create index event_deltas_project on event_deltas (project_id);
create index event_deltas_author on event_deltas (author_id);

-- By UTC day; stays when the events are dropped.
create table event_days (
  day date not null,
  project_id bigint not null references projects on delete cascade,
  author_id bigint not null references users,
  action event_action not null,
  target_type event_target_type,
  cap event_cap not null,
  n bigint not null,
  unique nulls not distinct (project_id, day, author_id, action, target_type, cap) include (n)
);
create index event_days_author on event_days (author_id, day)
  include (project_id, action, target_type, cap, n);

-- All days from `event_totals_since` on.
create table event_project_totals (
  project_id bigint not null references projects on delete cascade,
  action event_action not null,
  target_type event_target_type,
  cap event_cap not null,
  n bigint not null,
  unique nulls not distinct (project_id, action, target_type, cap) include (n)
);
create table event_author_totals (
  author_id bigint not null references users,
  project_id bigint not null references projects on delete cascade,
  action event_action not null,
  target_type event_target_type,
  cap event_cap not null,
  n bigint not null,
  unique nulls not distinct (author_id, project_id, action, target_type, cap) include (n)
);
create index event_author_totals_project on event_author_totals (project_id);

-- The first day of the totals. It follows the two years; lists take off what lies between.
create table event_totals_since (
  day date not null,
  only_row boolean primary key default true check (only_row)
);

-- The day on which the two years begin, of which only a part is shown.
create function event_edge() returns date language sql stable as $$
  select ((now() - interval '2 years') at time zone 'UTC')::date
$$;

create function count_inserted_events() returns trigger language plpgsql as $$
begin
  insert into event_deltas (day, project_id, author_id, action, target_type, cap, n)
  select (created_at at time zone 'UTC')::date, project_id, author_id, action, target_type, cap, count(*)
  from arrived group by 1, 2, 3, 4, 5, 6;
  return null;
end $$;

create function count_changed_events() returns trigger language plpgsql as $$
begin
  insert into event_deltas (day, project_id, author_id, action, target_type, cap, n)
  select (created_at at time zone 'UTC')::date, project_id, author_id, action, target_type, cap, sum(n)
  from (select *, 1 as n from arrived union all select *, -1 from gone) changed
  group by 1, 2, 3, 4, 5, 6 having sum(n) <> 0;
  return null;
end $$;

create function count_deleted_events() returns trigger language plpgsql as $$
begin
  insert into event_deltas (day, project_id, author_id, action, target_type, cap, n)
  select (created_at at time zone 'UTC')::date, project_id, author_id, action, target_type, cap, -count(*)
  from gone group by 1, 2, 3, 4, 5, 6;
  return null;
end $$;

-- Months that are dropped are no deletes, so what they held stays counted by day.
create trigger events_inserted after insert on events referencing new table as arrived
  for each statement execute function count_inserted_events();
create trigger events_changed after update on events referencing old table as gone new table as arrived
  for each statement execute function count_changed_events();
create trigger events_deleted after delete on events referencing old table as gone
  for each statement execute function count_deleted_events();

-- Takes the days before the new beginning off the totals. Runs alone, like the compaction.
create function advance_event_totals() returns void language plpgsql as $$
declare
  since date := (select day from event_totals_since for update);
  edge date := event_edge();
begin
  if since >= edge then
    return;
  end if;
  insert into event_project_totals as t (project_id, action, target_type, cap, n)
  select project_id, action, target_type, cap, -sum(n) from event_days
  where day >= since and day < edge group by 1, 2, 3, 4
  on conflict (project_id, action, target_type, cap) do update set n = t.n + excluded.n;
  insert into event_author_totals as t (author_id, project_id, action, target_type, cap, n)
  select author_id, project_id, action, target_type, cap, -sum(n) from event_days
  where day >= since and day < edge group by 1, 2, 3, 4, 5
  on conflict (author_id, project_id, action, target_type, cap) do update set n = t.n + excluded.n;
  update event_totals_since set day = edge;
end $$;

-- Adds what was written to the days and the totals; returns how many rows it took. Readers see the state before or
-- the state after, which count alike. One at a time: that alone touches the days and totals.
create function compact_event_counts() returns bigint language plpgsql as $$
declare
  taken bigint;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('gatehouse event counts', 0)) then
    return 0;
  end if;
  with gone as (
    delete from event_deltas returning *),
  -- A project that is deleted takes its counts along.
  living as materialized (
    select d.* from gone d join projects p on p.id = d.project_id),
  by_day as (
    insert into event_days as t (day, project_id, author_id, action, target_type, cap, n)
    select day, project_id, author_id, action, target_type, cap, sum(n) from living
    group by 1, 2, 3, 4, 5, 6 having sum(n) <> 0
    on conflict (project_id, day, author_id, action, target_type, cap) do update set n = t.n + excluded.n),
  by_project as (
    insert into event_project_totals as t (project_id, action, target_type, cap, n)
    select project_id, action, target_type, cap, sum(n) from living
    where day >= (select day from event_totals_since)
    group by 1, 2, 3, 4 having sum(n) <> 0
    on conflict (project_id, action, target_type, cap) do update set n = t.n + excluded.n),
  by_author as (
    insert into event_author_totals as t (author_id, project_id, action, target_type, cap, n)
    select author_id, project_id, action, target_type, cap, sum(n) from living
    where day >= (select day from event_totals_since)
    group by 1, 2, 3, 4, 5 having sum(n) <> 0
    on conflict (author_id, project_id, action, target_type, cap) do update set n = t.n + excluded.n)
  select count(*) into taken from gone;
  perform advance_event_totals();
  return taken;
end $$;

-- Counts all events anew; days whose events are dropped stay as they are. Writers wait.
create function rebuild_event_rollups() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('gatehouse event counts', 0));
  lock table events in share mode;
  truncate event_deltas, event_project_totals, event_author_totals, event_totals_since;
  insert into event_totals_since (day) values (event_edge());
  delete from event_days
  where day >= (select date_trunc('month', min(created_at) at time zone 'UTC')::date from events);
  insert into event_days (day, project_id, author_id, action, target_type, cap, n)
  select (created_at at time zone 'UTC')::date, project_id, author_id, action, target_type, cap, count(*)
  from events group by project_id, 1, author_id, action, target_type, cap order by project_id, 1;
  insert into event_project_totals (project_id, action, target_type, cap, n)
  select project_id, action, target_type, cap, sum(n) from event_days where day >= event_edge() group by 1, 2, 3, 4;
  insert into event_author_totals (author_id, project_id, action, target_type, cap, n)
  select author_id, project_id, action, target_type, cap, sum(n) from event_days
  where day >= event_edge() group by 1, 2, 3, 4, 5 order by 1;
end $$;
select rebuild_event_rollups();

-- What somebody may see though it is confidential is found by its targets.
create index event_targets_author on event_targets (author_id) where confidential;
create index event_targets_assignees on event_targets using gin (assignee_ids) where confidential;

-- As in 0004, and what moves to its month is not counted a second time.
create or replace function ensure_event_partitions(months_back integer, months_ahead integer) returns integer
language plpgsql as $$
declare
  this_month date := date_trunc('month', now() at time zone 'UTC')::date;
  month date;
  missing date[] := '{}';
  ends timestamptz := (this_month + make_interval(months => months_ahead + 1)) at time zone 'UTC';
begin
  for step in -months_back .. months_ahead loop
    month := (this_month + make_interval(months => step))::date;
    if to_regclass(format('events_%s', to_char(month, 'YYYY_MM'))) is null then
      missing := missing || month;
    end if;
  end loop;
  if cardinality(missing) = 0 then
    return 0;
  end if;
  alter table events detach partition events_later;
  foreach month in array missing loop
    execute format('create table %I partition of events for values from (%L) to (%L)',
      format('events_%s', to_char(month, 'YYYY_MM')),
      month::timestamp at time zone 'UTC',
      (month + interval '1 month') at time zone 'UTC');
  end loop;
  alter table events disable trigger events_inserted;
  with moved as (delete from events_later where created_at < ends returning *)
  insert into events select * from moved;
  alter table events enable trigger events_inserted;
  execute format('alter table events attach partition events_later for values from (%L) to (maxvalue)', ends);
  return cardinality(missing);
end $$;
