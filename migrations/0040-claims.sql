-- People of forges who have an account here claim what they did there (decision 0118).

-- The placeholder as whom a forge told of it, where a claim gives the event to somebody. No reference: placeholders are
-- never removed, and every event would pay for the check.
alter table events add column told_as bigint;

create table event_claims (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  host text not null check (host = lower(host) and length(host) between 1 and 255),
  login text not null check (login = lower(login) and length(login) between 1 and 255),
  created_at timestamptz(3) not null default now(),
  unique (user_id, host, login)
);
create index event_claims_identity on event_claims (host, login);

create table event_claim_answers (
  claim_id bigint not null references event_claims on delete cascade,
  -- Null: everywhere, said by an administrator.
  project_id bigint references projects on delete cascade,
  outsider_id bigint not null references event_outsiders (user_id) on delete cascade,
  -- `ending`: taken back, and its events are on their way back to the placeholder.
  state text not null check (state in ('granted', 'ending', 'refused')),
  answered_by bigint references users on delete set null,
  answered_at timestamptz(3) not null default now(),
  unique nulls not distinct (claim_id, project_id)
);
-- An identity is one person in one place.
create unique index event_claim_answers_one on event_claim_answers (outsider_id, project_id) nulls not distinct
  where state <> 'refused';
create index event_claim_answers_project on event_claim_answers (project_id);

-- Gives some of the events of an outside identity to the claimant where an answer of now says so, or (`back`) those of
-- the claimant to the placeholder where none does any more; returns how many. What is said of a project goes before what
-- is said of all. Sums, totals and days follow as with every update.
create function move_claimed_events(outsider bigint, claimant bigint, back boolean, most integer) returns bigint
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
  update event_targets set author_id = taker where id = any (made) and author_id = giver;
  update events e set author_id = taker, told_as = case when back then null else outsider end
  from unnest(moved_at, moved_ids) m (created_at, id)
  where e.created_at = m.created_at and e.id = m.id and e.author_id = giver;
  return coalesce(cardinality(moved_ids), 0);
end $$;

-- As in 0028; a pseudonym does not tell as whom a forge knew the person.
create or replace function move_author(old_author bigint, new_author bigint) returns void language plpgsql as $$
begin
  -- The compaction locks in this order too.
  perform pg_advisory_xact_lock(event_counts_lock());
  perform from users where id = old_author for update;
  update events set author_id = new_author, told_as = null where author_id = old_author;
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

create or replace function move_some_events(old_author bigint, new_author bigint, most integer) returns bigint
language plpgsql as $$
declare
  moved bigint;
begin
  with portion as (select created_at, id from events where author_id = old_author limit most)
  update events e set author_id = new_author, told_as = null from portion
  where e.created_at = portion.created_at and e.id = portion.id and e.author_id = old_author;
  get diagnostics moved = row_count;
  return moved;
end $$;
