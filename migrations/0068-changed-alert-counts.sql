-- The counts of alerts are written once for all alerts that a statement changes. Written for each of them, a count had as
-- many versions as there were alerts, and every one of them was looked at for the next: 10,000 recoveries took seconds.

-- Notes what a row adds to the counts, as {project status severity: number}, until its statement ends.
create or replace function count_changed_alerts() returns trigger language plpgsql as $$
declare
  noted jsonb := coalesce(nullif(current_setting('gatehouse.changed_alerts', true), ''), '{}');
  before text := concat_ws(' ', old.project_id, old.status, old.severity);
  after text := concat_ws(' ', new.project_id, new.status, new.severity);
begin
  if not old.test then
    noted := noted || jsonb_build_object(before, coalesce((noted ->> before)::bigint, 0) - 1);
  end if;
  if not new.test then
    noted := noted || jsonb_build_object(after, coalesce((noted ->> after)::bigint, 0) + 1);
  end if;
  perform set_config('gatehouse.changed_alerts', noted::text, true);
  return null;
end $$;

create function write_changed_alerts() returns trigger language plpgsql as $$
declare
  noted jsonb := nullif(current_setting('gatehouse.changed_alerts', true), '');
begin
  if noted is null then
    return null;
  end if;
  perform set_config('gatehouse.changed_alerts', '', true);
  insert into alert_counts as c (project_id, status, severity, n)
  select split_part(key, ' ', 1)::bigint, split_part(key, ' ', 2), split_part(key, ' ', 3), value::bigint
  from jsonb_each_text(noted) where value <> '0' order by 1, 2, 3
  on conflict (project_id, status, severity) do update set n = c.n + excluded.n;
  return null;
end $$;

-- Behind those of the rows, whatever its name; what counts repeats sets none of these, and asks for nothing.
create trigger alerts_changed_at_last after update of status, severity, test on alerts
  for each statement execute function write_changed_alerts();
