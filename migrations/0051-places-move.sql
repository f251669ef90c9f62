-- Groups go into other groups and projects into other namespaces; what lies below moves along (decision 0140).

-- Everything that gives places other paths is done one after the other: two moves that cross would lock each other's rows level
-- by level, and one would be tried again from the start. Held before any row is locked.
create function places_lock() returns bigint language sql immutable as $$
  select hashtextextended('gatehouse places', 0)
$$;
create function namespaces_hold_places() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(places_lock());
  return null;
end $$;
create trigger namespaces_hold_places before update of full_path, parent_id on namespaces
  for each statement execute function namespaces_hold_places();

-- As deep as groups go, however they get there.
alter table namespaces add constraint namespaces_depth check (cardinality(lineage) <= 20) not valid;

-- What migration 0037 made; and path and lineage follow the group around, which may have got others since it was looked up.
create or replace function groups_keep_order() returns trigger language plpgsql as $$
declare around namespaces;
begin
  if new.parent_id is not null then
    select * into around from namespaces where id = new.parent_id for share;
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
drop trigger groups_keep_order on namespaces;
create trigger groups_keep_order before insert or update of visibility, parent_id on namespaces
  for each row when (new.kind = 'group') execute function groups_keep_order();

-- Each level looks for what is below it once it is locked itself, so that what was made there meanwhile moves along.
create or replace function namespaces_lead_lineage_on() returns trigger language plpgsql as $$
begin
  update projects set lineage = new.lineage where namespace_id = new.id;
  update namespaces set lineage = new.lineage || id where parent_id = new.id;
  return null;
end $$;
