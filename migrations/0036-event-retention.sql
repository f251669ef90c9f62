-- A project may keep its events for fewer days than the two years of all (decision 0119).

-- Null: the two years. Days are of 24 hours, so that no zone moves the cut.
alter table projects add column event_retention_days integer check (event_retention_days between 1 and 731);
-- Whether any project does is asked by every list over several.
create index projects_event_retention on projects (event_retention_days) where event_retention_days is not null;

-- Lists grow or shrink by it at once.
create trigger projects_keep_other_days after update of event_retention_days on projects
  for each row when (old.event_retention_days is distinct from new.event_retention_days)
  execute function note_changed_world();

-- What projects keep no longer and no sweep has removed yet: counted, and shown no more. A function, for the reason of
-- `cut_events`. An author's are sought only where the author did anything.
create function overdue_events(author bigint, project bigint) returns table
  (project_id bigint, author_id bigint, action event_action, target_type event_target_type, cap event_cap, day date)
language plpgsql stable rows 10 as $$
begin
  return query select o.project_id, o.author_id, o.action, o.target_type, o.cap, (o.created_at at time zone 'UTC')::date
  from projects p cross join lateral (
    select e.project_id, e.author_id, e.action, e.target_type, e.cap, e.created_at from events e
    where e.project_id = p.id and e.created_at >= now() - interval '2 years'
      and e.created_at < now() - p.event_retention_days * interval '24 hours' offset 0) o
  where p.event_retention_days is not null and (project is null or p.id = project)
    and (author is null or o.author_id = author)
    and (author is null
      or exists (select from event_author_totals t where t.author_id = author and t.project_id = p.id)
      or exists (select from event_deltas d where d.author_id = author and d.project_id = p.id));
end $$;

-- Removes some of what a project keeps no longer, and the replay keys of it; returns how many. Less than `most`: there
-- is no more. Whoever changes the days waits for the batch, and the next batch sees the change.
create function remove_overdue_events(project bigint, most integer) returns bigint language plpgsql as $$
declare
  days integer;
  cut timestamptz;
  removed bigint;
  ended bigint;
begin
  select p.event_retention_days into days from projects p where p.id = project for share;
  if days is null then
    return 0;
  end if;
  cut := now() - days * interval '24 hours';
  with portion as (
    select e.created_at, e.id from events e where e.project_id = project and e.created_at < cut
    order by e.created_at limit most for update skip locked)
  delete from events e using portion
  where e.created_at = portion.created_at and e.id = portion.id and e.created_at < cut;
  get diagnostics removed = row_count;
  delete from event_keys k where k.project_id = project and k.external_id in (
    select o.external_id from event_keys o where o.project_id = project and o.event_created_at < cut limit most);
  get diagnostics ended = row_count;
  return greatest(removed, ended);
end $$;

-- As in 0015, and days of the two years whose events were removed are counted anew too.
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
  where day >= least(event_edge(), (select date_trunc('month', min(created_at) at time zone 'UTC')::date from events));
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
