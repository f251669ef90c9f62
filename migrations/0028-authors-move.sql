-- The events of one person become those of another (an outside identity that is claimed, an account that is erased),
-- with everything that is counted of them.

-- Everything that bears a person's name and is not theirs alone. Holds the counts until the transaction ends; before it
-- the caller moves what is many, see `move_some_events`.
create function move_author(old_author bigint, new_author bigint) returns void language plpgsql as $$
begin
  -- The compaction locks in this order too.
  perform pg_advisory_xact_lock(event_counts_lock());
  perform from users where id = old_author for update;
  update events set author_id = new_author where author_id = old_author;
  update event_targets set author_id = new_author where author_id = old_author;
  update event_targets set assignee_ids = array_replace(assignee_ids, old_author, new_author)
  where old_author = any (assignee_ids);
  perform compact_event_counts();
  -- What is left is of months that are dropped: counted by day, and events no more.
  insert into event_days as t (day, project_id, author_id, action, target_type, cap, n)
  select day, project_id, new_author, action, target_type, cap, n from event_days where author_id = old_author and n <> 0
  on conflict (project_id, day, author_id, action, target_type, cap) do update set n = t.n + excluded.n;
  delete from event_days where author_id = old_author;
  insert into event_author_totals as t (author_id, project_id, action, target_type, cap, n)
  select new_author, project_id, action, target_type, cap, n from event_author_totals
  where author_id = old_author and n <> 0
  on conflict (author_id, project_id, action, target_type, cap) do update set n = t.n + excluded.n;
  delete from event_author_totals where author_id = old_author;
  insert into event_sums as t
  select new_author, namespace_id, visibility, n_open, n_code, n_planner, n_reporter, changes
  from event_sums where author_id = old_author
  on conflict (author_id, namespace_id, visibility) do update set n_open = t.n_open + excluded.n_open,
    n_code = t.n_code + excluded.n_code, n_planner = t.n_planner + excluded.n_planner,
    n_reporter = t.n_reporter + excluded.n_reporter, changes = t.changes + excluded.changes;
  delete from event_sums where author_id = old_author;
  delete from event_versions where id = -old_author;
end $$;

-- Some of the events; returns how many. Zero: none is left.
create function move_some_events(old_author bigint, new_author bigint, most integer) returns bigint
language plpgsql as $$
declare
  moved bigint;
begin
  with portion as (select created_at, id from events where author_id = old_author limit most)
  update events e set author_id = new_author from portion
  where e.created_at = portion.created_at and e.id = portion.id and e.author_id = old_author;
  get diagnostics moved = row_count;
  return moved;
end $$;

-- What people wrote about alerts, incidents and projects, and what they made.
create function move_deeds(old_author bigint, new_author bigint) returns void language sql as $$
  update incidents set author_id = new_author where author_id = old_author;
  update incidents set closed_by = new_author where closed_by = old_author;
  update incident_notes set author_id = new_author where author_id = old_author;
  update alert_activity set author_id = new_author where author_id = old_author;
  update alert_silences set author_id = new_author where author_id = old_author;
  update projects set creator_id = new_author where creator_id = old_author;
$$;
