-- How many invitations somebody sent in a day (decision 0111) is counted without reading what else they did, which may be more than
-- is looked through.

-- While it is made nobody writes to the log. Where tens of millions of entries are kept, it can be made before the upgrade,
-- `concurrently`.
create index if not exists audit_entries_invitations on audit_entries (actor_id, at) where action = 'invitation_sent';

-- A group at the top has its own path, also if it was moved there while its renaming waited: the path it was to get named the group
-- that it was in before (decision 0140). What migration 0099 made, and that.
create or replace function groups_keep_order() returns trigger language plpgsql as $$
declare around namespaces;
begin
  if new.parent_id is null then
    new.full_path := new.path;
  else
    if tg_op = 'INSERT' or new.path <> old.path or new.parent_id is distinct from old.parent_id then
      select * into around from namespaces where id = new.parent_id for no key update;
    else
      select * into around from namespaces where id = new.parent_id for share;
    end if;
    new.full_path := around.full_path || '/' || new.path;
    if tg_op = 'INSERT' then
      new.lineage := around.lineage;
    elsif new.id = any (around.lineage) then
      raise check_violation using constraint = 'groups_within_themselves';
    else
      new.lineage := around.lineage || new.id;
    end if;
  end if;
  if openness(new.visibility) > openness(around.visibility) then
    raise check_violation using constraint = 'groups_within_group';
  elsif exists (select 1 from projects p
      where p.namespace_id = new.id and openness(p.visibility) > openness(new.visibility)) then
    raise check_violation using constraint = 'groups_around_projects';
  elsif exists (select 1 from namespaces n
      where n.parent_id = new.id and openness(n.visibility) > openness(new.visibility)) then
    raise check_violation using constraint = 'groups_around_groups';
  end if;
  return new;
end $$;
