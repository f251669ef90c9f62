-- The groups around a project stand on it too, since lists ask for them with each event that they look at (decision 0134).
alter table projects add column lineage bigint[] not null default '{}';
update projects p set lineage = n.lineage from namespaces n where n.id = p.namespace_id;
create index projects_by_lineage on projects using gin (lineage);

-- What migration 0037 made, and the lineage.
create or replace function projects_within_group() returns trigger language plpgsql as $$
declare around namespaces;
begin
  select * into around from namespaces where id = new.namespace_id for share;
  if around.kind = 'group' and openness(new.visibility) > openness(around.visibility) then
    raise check_violation using constraint = 'projects_within_group';
  end if;
  -- The group may have got another path since it was looked up.
  new.full_path := around.full_path || '/' || new.path;
  new.lineage := around.lineage;
  return new;
end $$;

create function namespaces_lead_lineage_on() returns trigger language plpgsql as $$
begin
  update projects set lineage = new.lineage where namespace_id = new.id;
  return null;
end $$;
create trigger namespaces_lead_lineage_on after update of lineage on namespaces
  for each row when (old.lineage <> new.lineage) execute function namespaces_lead_lineage_on();
