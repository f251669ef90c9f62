-- Groups and projects come to rest: archived, or marked for deletion (decisions 0152, 0153).

-- What they themselves were told; what lies in a group rests with it and keeps its own.
alter table namespaces
  add column archived_at timestamptz(3),
  add column marked_for_deletion_at timestamptz(3),
  -- When it goes for good; and since when nobody sees it any more.
  add column removal_due_at timestamptz(3),
  add column removal_began_at timestamptz(3),
  add constraint namespaces_marked check ((marked_for_deletion_at is null) = (removal_due_at is null)) not valid;
alter table projects
  add column archived_at timestamptz(3),
  add column marked_for_deletion_at timestamptz(3),
  add column removal_due_at timestamptz(3),
  add column removal_began_at timestamptz(3),
  -- Since when it rests no longer: what has its time in it waits anew from then on.
  add column awake_since timestamptz(3),
  add constraint projects_marked check ((marked_for_deletion_at is null) = (removal_due_at is null)) not valid;
create index namespaces_marked_for_deletion on namespaces (removal_due_at) where removal_due_at is not null;
create index projects_marked_for_deletion on projects (removal_due_at) where removal_due_at is not null;
create index projects_in_removal on projects (id) where removal_began_at is not null;

-- `archived` says of a project that it rests, for whichever reason: receivers and timers ask for it at every turn.
update projects set archived_at = now() where archived;

create function rests_around(groups bigint[]) returns boolean language sql stable as $$
  select exists (select from namespaces n where n.id = any (groups)
    and (n.archived_at is not null or n.marked_for_deletion_at is not null))
$$;

-- Its name is behind that of `projects_within_group`, which brings the lineage and holds the group still.
create function projects_within_rest() returns trigger language plpgsql as $$
begin
  new.archived := new.archived_at is not null or new.marked_for_deletion_at is not null or rests_around(new.lineage);
  if tg_op = 'UPDATE' and old.archived and not new.archived then
    new.awake_since := now();
  end if;
  return new;
end $$;
create trigger projects_within_rest before insert or update of archived_at, marked_for_deletion_at, lineage on projects
  for each row execute function projects_within_rest();

-- What is made below meanwhile has its group locked, and is waited for.
create function namespaces_rest() returns trigger language plpgsql as $$
begin
  perform from namespaces where lineage @> array[new.id] order by cardinality(lineage), id for no key update;
  update projects set lineage = lineage where lineage @> array[new.id];
  return null;
end $$;
create trigger namespaces_rest after update of archived_at, marked_for_deletion_at on namespaces
  for each row when ((old.archived_at is null, old.marked_for_deletion_at is null)
    is distinct from (new.archived_at is null, new.marked_for_deletion_at is null))
  execute function namespaces_rest();

-- Heartbeats are owed from the end of the rest on.
create function projects_wake() returns trigger language plpgsql as $$
begin
  update alert_heartbeats set due_at = now() + make_interval(secs => interval_seconds + grace_seconds)
  where project_id = new.id and due_at is not null and not late;
  return null;
end $$;
create trigger projects_wake after update of archived_at, marked_for_deletion_at, lineage on projects
  for each row when (old.archived and not new.archived) execute function projects_wake();
