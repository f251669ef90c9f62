-- What an event names by its wide number alone is the target that was told with both numbers (decision 0188).

-- Beside a target that was told with both numbers stands a row with the key `#<wide number>`, which says the key of the target;
-- one that says the wide number itself: nothing was told with both yet. No event refers to such a row. Whoever names a target by
-- its wide number alone, and whoever first tells both, writes this row: one of two at once waits for the other.
alter table event_targets add column same_as text;

-- What was told by the wide number alone goes over to the target that bears this key. Whoever asks for it holds the row above.
-- Returns the target as it is then; null: there is nothing to bring together.
create function join_event_targets(project bigint, source bigint, told_kind text, wide bigint, told_key text)
returns table (id bigint, confidential boolean) language plpgsql as $$
#variable_conflict use_column
declare
  alone event_targets;
  whole event_targets;
begin
  perform from event_targets t where t.project_id = project and t.source_id = source and t.kind = told_kind
    and t.key in (wide::text, told_key) order by t.key for update;
  select * into alone from event_targets t
    where t.project_id = project and t.source_id = source and t.kind = told_kind and t.key = wide::text;
  select * into whole from event_targets t
    where t.project_id = project and t.source_id = source and t.kind = told_kind and t.key = told_key;
  if alone.id is null or whole.id is null or alone.id = whole.id then
    return;
  end if;
  update events e set target_ref = whole.id
  where e.target_ref = alone.id and case when e.note is null then e.target_id = wide and e.target_iid = wide
    else e.note ->> 'noteableId' = wide::text and coalesce(e.note ->> 'noteableIid', wide::text) = wide::text end;
  if alone.number is distinct from wide then
    -- Another target, told by its number within the project: what was said of it stays with it.
  elsif exists (select from events e where e.target_ref = alone.id) then
    -- Its number is also that within the project of another target: what was said may have been said of either. Closed is safe.
    update event_targets t set confidential = true, confidential_at = alone.confidential_at
    where t.id = whole.id and alone.confidential and alone.confidential_at > coalesce(t.confidential_at, '-infinity');
  else
    delete from event_targets t where t.id = alone.id;
    update event_targets t set
      title = case when alone.title_at > coalesce(t.title_at, '-infinity') then alone.title else t.title end,
      title_at = greatest(alone.title_at, t.title_at),
      confidential = case when alone.confidential_at > coalesce(t.confidential_at, '-infinity')
        then alone.confidential else t.confidential end,
      confidential_at = greatest(alone.confidential_at, t.confidential_at),
      assignee_ids = case when alone.assignees_at > coalesce(t.assignees_at, '-infinity')
        then alone.assignee_ids else t.assignee_ids end,
      assignees_at = greatest(alone.assignees_at, t.assignees_at),
      author_id = case when alone.author_at < coalesce(t.author_at, 'infinity') then alone.author_id else t.author_id end,
      author_at = least(alone.author_at, t.author_at)
    where t.id = whole.id;
  end if;
  return query select t.id, t.confidential from event_targets t where t.id = whole.id;
end $$;

-- What was told before: the first target that was told with a wide number has it.
insert into event_targets (project_id, source_id, kind, key, number, same_as)
select distinct on (project_id, source_id, kind, number) project_id, source_id, kind, '#' || number, number, key
from event_targets where number is not null and source_id <> -1 and key <> number::text
order by project_id, source_id, kind, number, id;

-- What was told by the wide number alone, or by the number that we had allotted, joins it, and the caps follow.
do $$
declare
  told record;
  joined record;
  cap_now event_cap;
begin
  for told in
    select n.project_id, n.source_id, n.kind, n.number, n.same_as from event_targets n
    where n.same_as is not null and exists (select from event_targets a
      where (a.project_id, a.source_id, a.kind, a.key) = (n.project_id, n.source_id, n.kind, n.number::text))
    union all
    select t.project_id, t.source_id, t.kind, t.id, t.key from event_targets t
    join event_targets a on (a.project_id, a.source_id, a.kind, a.key) = (t.project_id, t.source_id, t.kind, t.id::text)
    where t.number is null and a.id <> t.id and t.source_id <> -1
  loop
    select * into joined from join_event_targets(told.project_id, told.source_id, told.kind, told.number, told.same_as);
    continue when joined.id is null;
    cap_now := case when joined.confidential
      then case when told.kind in ('merge_request', 'commit') then 'confidential_code' else 'confidential' end
      else case told.kind when 'commit' then 'code' when 'user' then 'project' else told.kind end end;
    update events set cap = cap_now
    where target_ref = joined.id and cap <> cap_now and cap not in ('internal', 'internal_code');
  end loop;
end $$;
