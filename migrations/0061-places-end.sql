-- Projects and groups are removed for good, in portions (decision 0152).

create index project_redirects_project on project_redirects (project_id);

-- What is due begins: from now on nobody sees it, and nothing brings it back. Whoever restores it at this moment is first, or is
-- refused.
create function begin_removals() returns void language plpgsql as $$
begin
  update namespaces set removal_began_at = now() where removal_due_at <= now() and removal_began_at is null;
  update projects set removal_began_at = now() where removal_due_at <= now() and removal_began_at is null;
  update namespaces n set removal_began_at = now() from namespaces top
  where top.removal_due_at is not null and top.removal_began_at is not null and n.lineage @> array[top.id]
    and n.removal_began_at is null;
  update projects p set removal_began_at = now() from namespaces top
  where top.removal_due_at is not null and top.removal_began_at is not null and p.lineage @> array[top.id]
    and p.removal_began_at is null;
end $$;

-- Removes some of what there may be much of; returns how much, 0: what is left goes with the project. Totals, sums and days
-- follow as with every delete.
create function remove_some_of_project(project bigint, most integer) returns bigint language plpgsql as $$
declare
  removed bigint;
  picked bigint[];
begin
  with portion as (
    select e.created_at, e.id from events e where e.project_id = project
    order by e.created_at desc, e.id desc limit most for update skip locked)
  delete from events e using portion p where e.created_at = p.created_at and e.id = p.id;
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  delete from event_targets where id in (select id from event_targets where project_id = project limit most);
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  delete from event_keys where project_id = project
    and external_id in (select external_id from event_keys where project_id = project limit most);
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  delete from event_deliveries where id in (
    select d.id from event_sources s join event_deliveries d on d.source_id = s.id where s.project_id = project limit most);
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  delete from event_refusals where id in (
    select r.id from event_sources s join event_refusals r on r.source_id = s.id where s.project_id = project limit most);
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  -- A few alerts at a time, each after all that hangs on it.
  picked := array(select a.id from alerts a where a.project_id = project order by a.iid limit 1000 for update skip locked);
  if cardinality(picked) > 0 then
    delete from alert_occurrences where ctid = any (array(
      select o.ctid from alert_occurrences o where o.alert_id = any (picked) limit most));
    get diagnostics removed = row_count;
    if removed = most then
      return removed;
    end if;
    delete from alert_activity where id in (select t.id from alert_activity t where t.alert_id = any (picked) limit most);
    get diagnostics removed = row_count;
    if removed = most then
      return removed;
    end if;
    delete from alerts where id = any (picked);
    return cardinality(picked);
  end if;
  picked := array(select i.id from incidents i where i.project_id = project order by i.iid limit 1000 for update skip locked);
  if cardinality(picked) > 0 then
    delete from incident_notes where id in (select n.id from incident_notes n where n.incident_id = any (picked) limit most);
    get diagnostics removed = row_count;
    if removed = most then
      return removed;
    end if;
    delete from incidents where id = any (picked);
    return cardinality(picked);
  end if;
  -- Their bodies are large.
  delete from alert_receipts where id in (select id from alert_receipts where project_id = project limit most / 4);
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  delete from alert_idempotency_keys where ctid = any (array(
    select k.ctid from alert_integrations i join alert_idempotency_keys k on k.integration_id = i.id
    where i.project_id = project limit most));
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  delete from outbox_deliveries where id in (
    select id from outbox_deliveries where project_id = project limit most for update skip locked);
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  -- The counts last, once nothing of the project waits to be counted; they change under this lock alone.
  perform pg_advisory_xact_lock(event_counts_lock());
  if exists (select from event_deltas where project_id = project) then
    return greatest(compact_event_counts(10000), 1);
  end if;
  delete from event_days where ctid = any (array(select ctid from event_days where project_id = project limit most));
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  -- What is not zero is taken off the sums with the project.
  delete from event_author_totals where ctid = any (array(
    select ctid from event_author_totals where project_id = project and n = 0 limit most));
  get diagnostics removed = row_count;
  return removed;
end $$;

-- The project with all that is left of it; returns the path that is free now, null: it is gone already.
create function remove_project(project bigint) returns text language plpgsql as $$
declare
  freed text;
begin
  perform pg_advisory_xact_lock(event_counts_lock());
  delete from projects where id = project and removal_began_at is not null returning full_path into freed;
  if freed is not null then
    -- What was written while it was going is counted nowhere, and would come back as a version of nothing.
    delete from event_deltas where project_id = project;
    delete from event_versions where id = project;
  end if;
  return freed;
end $$;

-- A group without projects, with the groups below it, the deepest first; returns the path that is free now, null: it is gone
-- already, or there is something in it again.
create function remove_group(top bigint) returns text language plpgsql as $$
declare
  below bigint;
  freed text;
begin
  perform pg_advisory_xact_lock(event_counts_lock());
  if exists (select from projects p where p.lineage @> array[top]) then
    return null;
  end if;
  for below in select id from namespaces where lineage @> array[top] and removal_began_at is not null
      order by cardinality(lineage) desc, id loop
    delete from namespaces where id = below returning full_path into freed;
    delete from event_sums where namespace_id = below;
    delete from event_day_sums where namespace_id = below;
  end loop;
  if freed is not null then
    -- Every list counts as changed: sums that are gone must not bring an old version back.
    insert into event_deltas (day, project_id, author_id, action, cap, n)
    values ((now() at time zone 'UTC')::date, 0, 0, 'updated', 'project', 0);
  end if;
  return freed;
end $$;
