-- Names of people and groups change; what lies below follows, and the names they had lead on and stay taken.

-- Paths that a namespace had before. Nobody else can take one while its bearer is here (decision 0122).
create table namespace_redirects (
  old_path text primary key,
  namespace_id bigint not null references namespaces on delete cascade,
  created_at timestamptz(3) not null default now()
);
create index namespace_redirects_namespace on namespace_redirects (namespace_id);

create function namespaces_refuse_kept_path() returns trigger language plpgsql as $$
begin
  if exists (select 1 from namespace_redirects r
      where r.old_path = lower(new.full_path) and r.namespace_id <> new.id) then
    raise unique_violation using constraint = 'namespaces_full_path_key';
  end if;
  return new;
end $$;
create trigger namespaces_kept_path before insert or update of full_path on namespaces
  for each row execute function namespaces_refuse_kept_path();

-- Groups and projects below move along, each leaving a redirect of its own.
create function namespaces_lead_on() returns trigger language plpgsql as $$
begin
  if lower(old.full_path) <> lower(new.full_path) then
    delete from namespace_redirects where old_path = lower(new.full_path);
    insert into namespace_redirects (old_path, namespace_id) values (lower(old.full_path), new.id);
    delete from project_redirects r using projects p
      where p.namespace_id = new.id and r.old_path = lower(new.full_path || '/' || p.path);
    insert into project_redirects (old_path, project_id)
      select lower(full_path), id from projects where namespace_id = new.id
      on conflict (old_path) do update set project_id = excluded.project_id;
  end if;
  update projects set full_path = new.full_path || '/' || path where namespace_id = new.id;
  update namespaces set full_path = new.full_path || '/' || path where parent_id = new.id;
  return null;
end $$;
create trigger namespaces_lead_on after update of full_path on namespaces
  for each row when (old.full_path <> new.full_path) execute function namespaces_lead_on();

-- Nothing is more open than the group around it, also when both change at once: what lies below holds the group still
-- while it looks (decision 0121).
create function openness(visibility text) returns integer language sql immutable
  return array_position(array['private', 'internal', 'public'], visibility);

create function projects_within_group() returns trigger language plpgsql as $$
declare around namespaces;
begin
  select * into around from namespaces where id = new.namespace_id for share;
  if around.kind = 'group' and openness(new.visibility) > openness(around.visibility) then
    raise check_violation using constraint = 'projects_within_group';
  end if;
  -- The group may have got another path since it was looked up.
  new.full_path := around.full_path || '/' || new.path;
  return new;
end $$;
create trigger projects_within_group before insert or update of visibility, namespace_id on projects
  for each row execute function projects_within_group();

create function groups_keep_order() returns trigger language plpgsql as $$
declare around namespaces;
begin
  if new.parent_id is not null then
    select * into around from namespaces where id = new.parent_id for share;
    new.full_path := around.full_path || '/' || new.path;
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
create trigger groups_keep_order before insert or update of visibility on namespaces
  for each row when (new.kind = 'group') execute function groups_keep_order();
