-- Totals and versions of whole lists in a few rows, whatever the number of projects (decisions 0093, 0094).

-- How many events lie in the projects of a namespace and visibility, of one author and (author 0) of all, by what one
-- must be able to read: anybody who reads issues, code, planners' matters, reporters' matters. `changes` only grows.
create table event_sums (
  author_id bigint not null,
  namespace_id bigint not null,
  visibility text not null,
  n_open bigint not null,
  n_code bigint not null,
  n_planner bigint not null,
  n_reporter bigint not null,
  changes bigint not null,
  primary key (author_id, namespace_id, visibility)
);

-- How often the events of a project changed, or (below 0) those of an author; 0: whatever changes lists without changing
-- events, such as the name of an author or the visibility of a project. Waiting rows of event_deltas come on top.
create table event_versions (
  id bigint primary key,
  changes bigint not null
);

create function event_counts_lock() returns bigint language sql immutable as $$
  select hashtextextended('gatehouse event counts', 0)
$$;

-- Adds rows of (author, namespace, visibility, cap, n, changes) to the sums.
create type event_sum_change as (author_id bigint, namespace_id bigint, visibility text, cap event_cap, n bigint, changes bigint);
create function add_event_sums(given event_sum_change[]) returns void language sql as $$
  insert into event_sums as t
  select a.author_id, c.namespace_id, c.visibility,
    coalesce(sum(n) filter (where cap in ('project', 'issue', 'milestone', 'wiki', 'snippet')), 0),
    coalesce(sum(n) filter (where cap in ('code', 'merge_request')), 0),
    coalesce(sum(n) filter (where cap in ('confidential', 'internal')), 0),
    coalesce(sum(n) filter (where cap in ('confidential_code', 'internal_code')), 0),
    sum(changes)
  from unnest(given) c cross join lateral (values (c.author_id), (0)) a (author_id)
  group by 1, 2, 3
  on conflict (author_id, namespace_id, visibility) do update set n_open = t.n_open + excluded.n_open,
    n_code = t.n_code + excluded.n_code, n_planner = t.n_planner + excluded.n_planner,
    n_reporter = t.n_reporter + excluded.n_reporter, changes = t.changes + excluded.changes
$$;

-- As in 0008, and the sums follow.
create or replace function advance_event_totals() returns void language plpgsql as $$
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
  perform add_event_sums(array_agg((author_id, namespace_id, visibility, cap, n, 0)::event_sum_change))
  from (select d.author_id, p.namespace_id, p.visibility, d.cap, -sum(d.n)::bigint as n
    from event_days d join projects p on p.id = d.project_id
    where d.day >= since and d.day < edge group by 1, 2, 3, 4) gone;
  update event_totals_since set day = edge;
end $$;

create or replace function compact_event_counts() returns bigint language plpgsql as $$
declare
  taken bigint;
  active bigint[];
begin
  if not pg_try_advisory_xact_lock(event_counts_lock()) then
    return 0;
  end if;
  with gone as (
    delete from event_deltas returning *),
  -- A project that is deleted takes its counts along.
  living as materialized (
    select d.*, p.namespace_id, p.visibility from gone d join projects p on p.id = d.project_id),
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
    on conflict (author_id, project_id, action, target_type, cap) do update set n = t.n + excluded.n),
  by_version as (
    insert into event_versions as t (id, changes)
    select v.id, count(*) from gone cross join lateral (values (project_id), (-author_id)) v (id)
    where v.id <> 0 or project_id = 0 group by 1
    on conflict (id) do update set changes = t.changes + excluded.changes),
  by_sum as (
    select add_event_sums(array_agg((author_id, namespace_id, visibility, cap, n, changes)::event_sum_change))
    from (select author_id, namespace_id, visibility, cap,
        coalesce(sum(n) filter (where day >= (select day from event_totals_since)), 0)::bigint as n, count(*) as changes
      from living group by 1, 2, 3, 4) summed)
  select count(*) + 0 * (select count(*) from by_sum), array_agg(distinct project_id) filter (where n > 0)
  into taken, active from gone;
  perform advance_event_totals();
  -- At most once a minute a project, and never waiting: who changes a project may be waiting for this function.
  update projects p set last_activity_at = latest.at
  from (select q.id, (select e.created_at from events e where e.project_id = q.id
      and e.created_at < now() + interval '10 minutes' order by e.created_at desc, e.id desc limit 1) as at
    from projects q where q.id = any (active) and q.last_activity_at < now() - interval '1 minute'
    for no key update skip locked) latest
  where p.id = latest.id and latest.at > p.last_activity_at;
  return taken;
end $$;

-- Sums of a project as they stand in the totals.
create function event_sums_of(project bigint, namespace bigint, seen_by text, sign integer) returns event_sum_change[]
language sql stable as $$
  select coalesce(array_agg((author_id, namespace, seen_by, cap, n, 0)::event_sum_change), '{}')
  from (select author_id, cap, sign * sum(n)::bigint as n from event_author_totals
    where project_id = project group by 1, 2) summed
$$;

-- What a project contributes moves with it. The compaction waits, or is waited for: it alone touches the sums else.
create function move_event_sums() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(event_counts_lock());
  perform add_event_sums(event_sums_of(old.id, old.namespace_id, old.visibility, -1));
  if tg_op = 'UPDATE' then
    perform add_event_sums(event_sums_of(new.id, new.namespace_id, new.visibility, 1));
    return new;
  end if;
  return old;
end $$;
create trigger projects_move_event_sums after update of namespace_id, visibility on projects
  for each row when ((old.namespace_id, old.visibility) is distinct from (new.namespace_id, new.visibility))
  execute function move_event_sums();
create trigger projects_drop_event_sums before delete on projects
  for each row execute function move_event_sums();
-- Before any row is locked, since the compaction locks projects too.
create function lock_event_counts() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(event_counts_lock());
  return null;
end $$;
create trigger projects_lock_event_counts before delete on projects
  for each statement execute function lock_event_counts();

-- An update of events that changes no number changes what lists show all the same: a row of 0 says so.
create or replace function count_changed_events() returns trigger language plpgsql as $$
begin
  insert into event_deltas (day, project_id, author_id, action, target_type, cap, n)
  select (created_at at time zone 'UTC')::date, project_id, author_id, action, target_type, cap, sum(n)
  from (select *, 1 as n from arrived union all select *, -1 from gone) changed
  group by 1, 2, 3, 4, 5, 6;
  return null;
end $$;

-- Names, visibility and places stand on many lists; they change seldom, and then every list counts as changed.
create function note_changed_world() returns trigger language plpgsql as $$
begin
  insert into event_deltas (day, project_id, author_id, action, cap, n)
  values ((now() at time zone 'UTC')::date, 0, 0, 'updated', 'project', 0);
  return null;
end $$;
create trigger users_change_lists after update of username, name, state, private_profile on users
  for each row when ((old.username, old.name, old.state, old.private_profile)
    is distinct from (new.username, new.name, new.state, new.private_profile))
  execute function note_changed_world();
create trigger projects_change_lists after update of name, full_path, visibility, namespace_id on projects
  for each row when ((old.name, old.full_path, old.visibility, old.namespace_id)
    is distinct from (new.name, new.full_path, new.visibility, new.namespace_id))
  execute function note_changed_world();
create trigger projects_leave_lists after delete on projects
  for each row execute function note_changed_world();
create trigger namespaces_change_lists after update of lineage, owner_id on namespaces
  for each row when ((old.lineage, old.owner_id) is distinct from (new.lineage, new.owner_id))
  execute function note_changed_world();

-- A target's title, number and assignees are shown with, and decide over, the events of all its authors. Whoever writes
-- an event about it locks the target first, so none is missed.
create function note_changed_target() returns trigger language plpgsql as $$
begin
  insert into event_deltas (day, project_id, author_id, action, cap, n)
  select (now() at time zone 'UTC')::date, new.project_id, author_id, 'updated', 'project', 0
  from events where target_ref = new.id group by author_id;
  return null;
end $$;
create trigger event_targets_change_lists after update on event_targets
  for each row when ((old.title, old.number, old.confidential, old.assignee_ids, old.author_id)
    is distinct from (new.title, new.number, new.confidential, new.assignee_ids, new.author_id))
  execute function note_changed_target();

-- As in 0008, and the sums and versions are made anew: versions never go back.
create or replace function rebuild_event_rollups() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(event_counts_lock());
  lock table events in share mode;
  lock table event_deltas in access exclusive mode;
  insert into event_versions as t (id, changes)
  select id, sum(n) from (
    select v.id, count(*) as n from event_deltas cross join lateral (values (project_id), (-author_id)) v (id) group by 1
    union all select id, 1 from projects union all select 0, 1) changed
  group by 1
  on conflict (id) do update set changes = t.changes + excluded.changes;
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
  update event_sums set n_open = 0, n_code = 0, n_planner = 0, n_reporter = 0;
  perform add_event_sums(array_agg((author_id, namespace_id, visibility, cap, n, 1)::event_sum_change))
  from (select t.author_id, p.namespace_id, p.visibility, t.cap, sum(t.n)::bigint as n
    from event_author_totals t join projects p on p.id = t.project_id group by 1, 2, 3, 4) summed;
end $$;

-- Existing counts are summed at once; the deltas that wait join them with the next compaction.
select pg_advisory_xact_lock(event_counts_lock());
select add_event_sums(array_agg((author_id, namespace_id, visibility, cap, n, 1)::event_sum_change))
from (select t.author_id, p.namespace_id, p.visibility, t.cap, sum(t.n)::bigint as n
  from event_author_totals t join projects p on p.id = t.project_id group by 1, 2, 3, 4) summed;

-- The events of the first day that are older than two years: shown no more, though their day is counted. A function,
-- so that lists without any such do not prepare to read all months a second time.
create function cut_events(author bigint, project bigint) returns table
  (project_id bigint, author_id bigint, action event_action, target_type event_target_type, cap event_cap)
language plpgsql stable rows 10 as $$
begin
  if author is not null then
    return query select e.project_id, e.author_id, e.action, e.target_type, e.cap from events e where e.author_id = author
      and e.created_at >= event_edge()::timestamp at time zone 'UTC' and e.created_at < now() - interval '2 years';
  elsif project is not null then
    return query select e.project_id, e.author_id, e.action, e.target_type, e.cap from events e where e.project_id = project
      and e.created_at >= event_edge()::timestamp at time zone 'UTC' and e.created_at < now() - interval '2 years';
  else
    return query select e.project_id, e.author_id, e.action, e.target_type, e.cap from events e
      where e.created_at >= event_edge()::timestamp at time zone 'UTC' and e.created_at < now() - interval '2 years';
  end if;
end $$;

-- Namespaces below those in which somebody has a role.
create index namespaces_by_lineage on namespaces using gin (lineage);
