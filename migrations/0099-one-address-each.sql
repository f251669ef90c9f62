-- A group and a project cannot share an address, also when both are made at the same moment: whoever takes one holds the
-- namespace around it before they look who has it (decision 0245). What migrations 0002 and 0051 made, and that.
create or replace function projects_refuse_group_path() returns trigger language plpgsql as $$
declare address text := new.full_path;
begin
  -- Not where the namespace has got another path: what lies below only follows it.
  if tg_op = 'INSERT' or new.path <> old.path or new.namespace_id <> old.namespace_id then
    select full_path || '/' || new.path into address from namespaces where id = new.namespace_id for no key update;
  end if;
  if exists (select 1 from namespaces where lower(full_path) = lower(address)) then
    raise unique_violation using constraint = 'projects_full_path_key';
  end if;
  return new;
end $$;

create or replace function groups_keep_order() returns trigger language plpgsql as $$
declare around namespaces;
begin
  if new.parent_id is not null then
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
