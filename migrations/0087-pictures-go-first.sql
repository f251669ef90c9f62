-- The pictures of a project that is removed go before the alerts and incidents that they stand beside, a few at a time: each is
-- megabytes, and a thousand alerts may have a hundred gigabytes of them (decisions 0152, 0201).
alter function remove_some_of_project(bigint, integer) rename to remove_some_but_pictures;

create function remove_some_of_project(project bigint, most integer) returns bigint language plpgsql as $$
declare
  removed bigint;
  picked bigint[];
begin
  -- Of those that go next.
  picked := array(select a.id from alerts a where a.project_id = project order by a.iid limit 1000);
  delete from alert_metric_images where id in (
    select m.id from alert_metric_images m where m.alert_id = any (picked) limit greatest(1, most / 50));
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  picked := array(select i.id from incidents i where i.project_id = project order by i.iid limit 1000);
  delete from alert_metric_images where id in (
    select m.id from alert_metric_images m where m.incident_id = any (picked) limit greatest(1, most / 50));
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  return remove_some_but_pictures(project, most);
end
$$;
alter function remove_some_of_project(bigint, integer) set enable_hashjoin = off;
alter function remove_some_of_project(bigint, integer) set enable_mergejoin = off;
alter function remove_some_of_project(bigint, integer) set enable_seqscan = off;
