-- As in 0015, of some of what waits (null: all). An import while the service stood still leaves millions of rows, which no
-- statement counts in its time. What is left counts as waiting.
drop function compact_event_counts();
create function compact_event_counts(most bigint default null) returns bigint language plpgsql as $$
declare
  taken bigint;
  active bigint[];
begin
  if not pg_try_advisory_xact_lock(event_counts_lock()) then
    return 0;
  end if;
  with gone as (
    delete from event_deltas where ctid = any (array(select ctid from event_deltas limit most)) returning *),
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
