-- How many events of each kind a project has on each day, whoever made them: what event_days hold, without their people, of whom a
-- busy project has hundreds a day (decision 0189). They follow event_days, which change under `event_counts_lock` alone, and
-- event_day_sums follow them.
select pg_advisory_xact_lock(event_counts_lock());

create table event_project_days (
  project_id bigint not null,
  day date not null,
  action event_action not null,
  target_type event_target_type,
  cap event_cap not null,
  n bigint not null
);
insert into event_project_days (project_id, day, action, target_type, cap, n)
select project_id, day, action, target_type, cap, sum(n) from event_days group by 1, 2, 3, 4, 5 having sum(n) <> 0
order by 1, 2;
alter table event_project_days add unique nulls not distinct (project_id, day, action, target_type, cap) include (n);

-- Of a project that is deleted nothing is left to add: `move_event_sums` took all of it off before.
create function add_project_days() returns trigger language plpgsql as $$
begin
  insert into event_project_days as t (project_id, day, action, target_type, cap, n)
  select d.project_id, d.day, d.action, d.target_type, d.cap, sum(d.n) from made d join projects p on p.id = d.project_id
  group by 1, 2, 3, 4, 5 having sum(d.n) <> 0
  on conflict (project_id, day, action, target_type, cap) do update set n = t.n + excluded.n;
  return null;
end $$;
create function change_project_days() returns trigger language plpgsql as $$
begin
  insert into event_project_days as t (project_id, day, action, target_type, cap, n)
  select d.project_id, d.day, d.action, d.target_type, d.cap, sum(d.n)
  from (select project_id, day, action, target_type, cap, n from made
      union all select project_id, day, action, target_type, cap, -n from gone) d
    join projects p on p.id = d.project_id
  group by 1, 2, 3, 4, 5 having sum(d.n) <> 0
  on conflict (project_id, day, action, target_type, cap) do update set n = t.n + excluded.n;
  return null;
end $$;
create function take_off_project_days() returns trigger language plpgsql as $$
begin
  insert into event_project_days as t (project_id, day, action, target_type, cap, n)
  select d.project_id, d.day, d.action, d.target_type, d.cap, -sum(d.n) from gone d join projects p on p.id = d.project_id
  group by 1, 2, 3, 4, 5 having sum(d.n) <> 0
  on conflict (project_id, day, action, target_type, cap) do update set n = t.n + excluded.n;
  return null;
end $$;

-- The sums of 0048 are made of fewer rows so. No trigger is dropped, for which readers would have to be waited for.
create trigger event_project_days_made after insert on event_project_days referencing new table as made
  for each statement execute function add_days_to_sums();
create trigger event_project_days_changed after update on event_project_days
  referencing old table as gone new table as made
  for each statement execute function change_days_in_sums();
create trigger event_project_days_gone after delete on event_project_days referencing old table as gone
  for each statement execute function take_days_off_sums();
create or replace trigger event_days_made after insert on event_days referencing new table as made
  for each statement execute function add_project_days();
create or replace trigger event_days_changed after update on event_days referencing old table as gone new table as made
  for each statement execute function change_project_days();
create or replace trigger event_days_gone after delete on event_days referencing old table as gone
  for each statement execute function take_off_project_days();

create or replace function event_day_sums_of(project bigint, namespace bigint, seen_by text, sign integer)
returns event_day_sum_change[] language sql stable as $$
  select coalesce(array_agg((day, namespace, seen_by, cap, n)::event_day_sum_change), '{}')
  from (select day, cap, sign * sum(n)::bigint as n from event_project_days where project_id = project group by 1, 2) summed
$$;

-- As in 0048, and what is deleted takes its days along, and them off the sums.
create or replace function move_event_sums() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(event_counts_lock());
  perform add_event_sums(event_sums_of(old.id, old.namespace_id, old.visibility, -1));
  if tg_op = 'UPDATE' then
    perform add_event_day_sums(event_day_sums_of(old.id, old.namespace_id, old.visibility, -1));
  else
    delete from event_project_days where project_id = old.id;
  end if;
  delete from event_day_sums where namespace_id = old.namespace_id and visibility = old.visibility
    and (n_open, n_code, n_planner, n_reporter) = (0, 0, 0, 0);
  if tg_op = 'UPDATE' then
    perform add_event_sums(event_sums_of(new.id, new.namespace_id, new.visibility, 1));
    perform add_event_day_sums(event_day_sums_of(new.id, new.namespace_id, new.visibility, 1));
    return new;
  end if;
  return old;
end $$;
