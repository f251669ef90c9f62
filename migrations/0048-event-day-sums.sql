-- How many events of each day lie in the projects of a namespace and visibility, by the classes of event_sums (migration
-- 0015): where a far page of a list over many projects begins is found by them (decision 0135). They follow event_days, which
-- change under `event_counts_lock` alone.
create table event_day_sums (
  day date not null,
  namespace_id bigint not null,
  visibility text not null,
  n_open bigint not null,
  n_code bigint not null,
  n_planner bigint not null,
  n_reporter bigint not null,
  primary key (namespace_id, visibility, day)
);

create type event_day_sum_change as (day date, namespace_id bigint, visibility text, cap event_cap, n bigint);
create function add_event_day_sums(given event_day_sum_change[]) returns void language sql as $$
  insert into event_day_sums as t
  select day, namespace_id, visibility,
    coalesce(sum(n) filter (where cap in ('project', 'issue', 'milestone', 'wiki', 'snippet')), 0),
    coalesce(sum(n) filter (where cap in ('code', 'merge_request')), 0),
    coalesce(sum(n) filter (where cap in ('confidential', 'internal')), 0),
    coalesce(sum(n) filter (where cap in ('confidential_code', 'internal_code')), 0)
  from unnest(given) group by 1, 2, 3
  on conflict (namespace_id, visibility, day) do update set n_open = t.n_open + excluded.n_open,
    n_code = t.n_code + excluded.n_code, n_planner = t.n_planner + excluded.n_planner,
    n_reporter = t.n_reporter + excluded.n_reporter
$$;

-- Of a project that is deleted nothing is left to add: `move_event_sums` took it off before.
create function add_days_to_sums() returns trigger language plpgsql as $$
begin
  perform add_event_day_sums(array_agg((day, namespace_id, visibility, cap, n)::event_day_sum_change))
  from (select d.day, p.namespace_id, p.visibility, d.cap, sum(d.n)::bigint as n
    from made d join projects p on p.id = d.project_id group by 1, 2, 3, 4) summed;
  return null;
end $$;
create function change_days_in_sums() returns trigger language plpgsql as $$
begin
  perform add_event_day_sums(array_agg((day, namespace_id, visibility, cap, n)::event_day_sum_change))
  from (select d.day, p.namespace_id, p.visibility, d.cap, sum(d.n)::bigint as n
    from (select project_id, day, cap, n from made union all select project_id, day, cap, -n from gone) d
      join projects p on p.id = d.project_id group by 1, 2, 3, 4) summed;
  return null;
end $$;
create function take_days_off_sums() returns trigger language plpgsql as $$
begin
  perform add_event_day_sums(array_agg((day, namespace_id, visibility, cap, n)::event_day_sum_change))
  from (select d.day, p.namespace_id, p.visibility, d.cap, -sum(d.n)::bigint as n
    from gone d join projects p on p.id = d.project_id group by 1, 2, 3, 4) summed;
  return null;
end $$;
create trigger event_days_made after insert on event_days referencing new table as made
  for each statement execute function add_days_to_sums();
create trigger event_days_changed after update on event_days referencing old table as gone new table as made
  for each statement execute function change_days_in_sums();
create trigger event_days_gone after delete on event_days referencing old table as gone
  for each statement execute function take_days_off_sums();

create function event_day_sums_of(project bigint, namespace bigint, seen_by text, sign integer) returns event_day_sum_change[]
language sql stable as $$
  select coalesce(array_agg((day, namespace, seen_by, cap, n)::event_day_sum_change), '{}')
  from (select day, cap, sign * sum(n)::bigint as n from event_days where project_id = project group by 1, 2) summed
$$;

-- As in 0015, and the days move along; of those that are left empty nothing remains.
create or replace function move_event_sums() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(event_counts_lock());
  perform add_event_sums(event_sums_of(old.id, old.namespace_id, old.visibility, -1));
  perform add_event_day_sums(event_day_sums_of(old.id, old.namespace_id, old.visibility, -1));
  delete from event_day_sums where namespace_id = old.namespace_id and visibility = old.visibility
    and (n_open, n_code, n_planner, n_reporter) = (0, 0, 0, 0);
  if tg_op = 'UPDATE' then
    perform add_event_sums(event_sums_of(new.id, new.namespace_id, new.visibility, 1));
    perform add_event_day_sums(event_day_sums_of(new.id, new.namespace_id, new.visibility, 1));
    return new;
  end if;
  return old;
end $$;

select pg_advisory_xact_lock(event_counts_lock());
select add_event_day_sums(array_agg((day, namespace_id, visibility, cap, n)::event_day_sum_change))
from (select d.day, p.namespace_id, p.visibility, d.cap, sum(d.n)::bigint as n
  from event_days d join projects p on p.id = d.project_id group by 1, 2, 3, 4) summed;
