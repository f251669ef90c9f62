-- Whoever wrote a million events and opened 200,000 issues is moved to a pseudonym in portions that end in time: events with the
-- commits of pushes, targets, and the name in commits that others pushed (decision 0104).

drop function move_some_events(bigint, bigint, integer);
drop function move_author(bigint, bigint);

-- Some of the events (null: all); returns how many. `forgets`: the commits of pushes are taken away in the same moment.
create function move_some_events(old_author bigint, new_author bigint, most integer, forgets boolean) returns bigint
language plpgsql as $$
declare
  moved_at timestamptz[];
  moved_ids bigint[];
begin
  select array_agg(p.created_at), array_agg(p.id) into moved_at, moved_ids
  from (select created_at, id from events where author_id = old_author limit most) p;
  update events e set author_id = new_author, told_as = null from unnest(moved_at, moved_ids) m (created_at, id)
  where e.created_at = m.created_at and e.id = m.id and e.author_id = old_author;
  if forgets then
    delete from event_commits c using unnest(moved_at, moved_ids) m (created_at, id)
    where c.created_at = m.created_at and c.event_id = m.id;
  end if;
  return coalesce(cardinality(moved_ids), 0);
end $$;

-- A target that changes notes so for each author of its events, which reads all months. Whoever moves thousands says so, and
-- notes once that every list changed.
create function note_moved_targets() returns void language plpgsql as $$
begin
  perform set_config('gatehouse.targets_move', '', true);
  insert into event_deltas (day, project_id, author_id, action, cap, n)
  values ((now() at time zone 'UTC')::date, 0, 0, 'updated', 'project', 0);
end $$;
create or replace trigger event_targets_change_lists after update on event_targets
  for each row when ((old.title, old.number, old.confidential, old.assignee_ids, old.author_id)
    is distinct from (new.title, new.number, new.confidential, new.assignee_ids, new.author_id)
    and coalesce(current_setting('gatehouse.targets_move', true), '') <> 'on')
  execute function note_changed_target();

-- The person's among the next targets after this one; returns the last that was looked at, null at the end. Nothing finds
-- targets by author or assignee, so all are looked at, once.
create function move_some_targets(old_author bigint, new_author bigint, after bigint, most integer) returns bigint
language plpgsql as $$
declare
  last bigint := (select max(id) from (select id from event_targets where id > after order by id limit most) looked);
begin
  perform set_config('gatehouse.targets_move', 'on', true);
  update event_targets set author_id = case when author_id = old_author then new_author else author_id end,
    assignee_ids = array_replace(assignee_ids, old_author, new_author)
  where id > after and id <= last and (author_id = old_author or old_author = any (assignee_ids));
  if found then
    perform note_moved_targets();
  end if;
  return last;
end $$;

-- Takes these names away as authors among the next commits that others pushed; the last that was looked at, null at the end.
create function forget_some_commit_authors(names text[], inout after_at timestamptz, inout after_id bigint, most integer)
language plpgsql as $$
declare
  found_at timestamptz;
  found_id bigint;
  named jsonb[] := (select array_agg(jsonb_build_array(jsonb_build_object('author_name', name))) from unnest(names) name);
begin
  select looked.created_at, looked.event_id into found_at, found_id
  from (select created_at, event_id from event_commits where (created_at, event_id) > (after_at, after_id)
    order by created_at, event_id limit most) looked
  order by 1 desc, 2 desc limit 1;
  update event_commits set commits = (
      select jsonb_agg(case when c ->> 'author_name' = any (names) then c - 'author_name' else c end order by n)
      from jsonb_array_elements(commits) with ordinality as of_push (c, n))
  where (created_at, event_id) > (after_at, after_id) and (created_at, event_id) <= (found_at, found_id)
    and commits @> any (named);
  -- No event changed, and lists show the commits all the same.
  if found then
    insert into event_deltas (day, project_id, author_id, action, cap, n)
    values ((now() at time zone 'UTC')::date, 0, 0, 'updated', 'project', 0);
  end if;
  after_at := found_at;
  after_id := found_id;
end $$;

-- As in 0040, for what is left.
create function move_author(old_author bigint, new_author bigint, forgets boolean) returns void language plpgsql as $$
begin
  -- The compaction locks in this order too.
  perform pg_advisory_xact_lock(event_counts_lock());
  perform from users where id = old_author for update;
  perform move_some_events(old_author, new_author, null, forgets);
  perform move_some_targets(old_author, new_author, 0, null);
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

-- As in 0040, without a look at all months for each target.
create or replace function move_claimed_events(outsider bigint, claimant bigint, back boolean, most integer) returns bigint
language plpgsql as $$
declare
  mine bigint[];
  others bigint[];
  everywhere boolean;
  moved_at timestamptz[];
  moved_ids bigint[];
  made bigint[];
  giver bigint := case when back then claimant else outsider end;
  taker bigint := case when back then outsider else claimant end;
begin
  select coalesce(array_agg(a.project_id) filter (where c.user_id = claimant and a.project_id is not null), '{}'),
    coalesce(array_agg(a.project_id) filter (where c.user_id <> claimant and a.project_id is not null), '{}'),
    coalesce(bool_or(c.user_id = claimant and a.project_id is null), false)
  into mine, others, everywhere
  from event_claim_answers a join event_claims c on c.id = a.claim_id
  where a.outsider_id = outsider and a.state = 'granted';
  select array_agg(p.created_at), array_agg(p.id), array_agg(p.target_ref) filter (where p.action = 'created')
  into moved_at, moved_ids, made
  from (select e.created_at, e.id, e.action, e.target_ref from events e
    where e.author_id = giver and (not back or e.told_as = outsider)
      and back <> (e.project_id = any (mine) or (everywhere and e.project_id <> all (others)))
    limit most) p;
  -- Targets before events, as whoever records does.
  perform set_config('gatehouse.targets_move', 'on', true);
  update event_targets set author_id = taker where id = any (made) and author_id = giver;
  if found then
    perform note_moved_targets();
  end if;
  update events e set author_id = taker, told_as = case when back then null else outsider end
  from unnest(moved_at, moved_ids) m (created_at, id)
  where e.created_at = m.created_at and e.id = m.id and e.author_id = giver;
  return coalesce(cardinality(moved_ids), 0);
end $$;
