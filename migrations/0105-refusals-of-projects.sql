-- A project's answer to a claim takes precedence over an approval for all: one that refused keeps the events of the identity, and
-- so does one that gave it to somebody else later (decision 0118).

-- As in 0053; `others`: where an approval of the claim for all does not apply.
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
  select coalesce(array_agg(a.project_id) filter (where c.user_id = claimant and a.state = 'granted'
      and a.project_id is not null), '{}'),
    coalesce(array_agg(a.project_id) filter (where (c.user_id = claimant) <> (a.state = 'granted')
      and a.project_id is not null), '{}'),
    coalesce(bool_or(c.user_id = claimant and a.state = 'granted' and a.project_id is null), false)
  into mine, others, everywhere
  from event_claim_answers a join event_claims c on c.id = a.claim_id
  where a.outsider_id = outsider;
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
