-- The events that were given to a claimant are found without reading all events of that account, and an identity whose claims are
-- settled costs next to nothing to look at again (decision 0118).

-- While it is made nobody writes events. Where a hundred million are kept, one can be made before the upgrade for each month, by
-- `create index concurrently on events_2026_01 (told_as, project_id) where told_as is not null`; those are only attached here.
create index if not exists events_told on events (told_as, project_id) where told_as is not null;

-- As in 0105. To the placeholder go events by what they were told as; to the claimant those of the projects that have any by the
-- counts, as all others of the placeholder may stay where a project refused.
create or replace function move_claimed_events(outsider bigint, claimant bigint, back boolean, most integer) returns bigint
language plpgsql as $$
declare
  mine bigint[];
  others bigint[];
  everywhere boolean;
  places bigint[];
  moved_at timestamptz[];
  moved_ids bigint[];
  made bigint[];
  giver bigint := case when back then claimant else outsider end;
  taker bigint := case when back then outsider else claimant end;
  -- The first day of the oldest month.
  since date := date_trunc('month', (now() - interval '2 years 1 day') at time zone 'UTC')::date;
begin
  select coalesce(array_agg(a.project_id) filter (where c.user_id = claimant and a.state = 'granted'
      and a.project_id is not null), '{}'),
    coalesce(array_agg(a.project_id) filter (where (c.user_id = claimant) <> (a.state = 'granted')
      and a.project_id is not null), '{}'),
    coalesce(bool_or(c.user_id = claimant and a.state = 'granted' and a.project_id is null), false)
  into mine, others, everywhere
  from event_claim_answers a join event_claims c on c.id = a.claim_id
  where a.outsider_id = outsider;
  if back and everywhere then
    -- What all other projects gave stays, so only those that decided otherwise are looked at.
    select array_agg(p.created_at), array_agg(p.id), array_agg(p.target_ref) filter (where p.action = 'created')
    into moved_at, moved_ids, made
    from (select e.created_at, e.id, e.action, e.target_ref from events e
      where e.told_as = outsider and e.project_id = any (others) and e.project_id <> all (mine) and e.author_id = claimant
      limit most) p;
  elsif back then
    select array_agg(p.created_at), array_agg(p.id), array_agg(p.target_ref) filter (where p.action = 'created')
    into moved_at, moved_ids, made
    from (select e.created_at, e.id, e.action, e.target_ref from events e
      where e.told_as = outsider and e.author_id = claimant
        and e.project_id <> all (mine)
      limit most) p;
  else
    select array_agg(project_id) into places
    from (select project_id from (
        select project_id, n from event_days where author_id = outsider and day >= since
        union all select project_id, n from event_deltas where author_id = outsider) counted
      where project_id = any (mine) or (everywhere and project_id <> all (others))
      group by project_id having sum(n) > 0) having_some;
    if places is null then
      return 0;
    end if;
    select array_agg(p.created_at), array_agg(p.id), array_agg(p.target_ref) filter (where p.action = 'created')
    into moved_at, moved_ids, made
    from (select e.created_at, e.id, e.action, e.target_ref from events e
      where e.author_id = outsider and e.project_id = any (places)
      limit most) p;
  end if;
  if moved_ids is null then
    return 0;
  end if;
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
