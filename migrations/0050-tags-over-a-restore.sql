-- As in 0027; and the changes that all lists count leap ahead by an unforeseeable number, so that no tag of the time before a
-- restore is met again after it (decisions 0094, 0108).
create or replace function begin_event_epoch() returns void language sql as $$
  insert into event_epoch default values on conflict (one) do update set epoch = excluded.epoch;
  update event_hooks set read_in = pg_current_xact_id(), read_id = 9007199254740991;
  insert into event_versions as v (id, changes) values (0, 1 + floor(random() * 1e12)::bigint)
  on conflict (id) do update set changes = v.changes + excluded.changes
$$;
