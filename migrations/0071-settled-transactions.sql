-- The newest transaction that is known to be committed on the disk: no crash lets the numbers up to it be given once more, so
-- a position behind them may be told (decision 0026). Belongs to one life of a database, as its name does.
alter table event_epoch add column settled xid8 not null default '0';

-- As in 0050; and what was settled in the life before says nothing of this one.
create or replace function begin_event_epoch() returns void language sql as $$
  insert into event_epoch default values on conflict (one) do update set epoch = excluded.epoch, settled = excluded.settled;
  update event_hooks set read_in = pg_current_xact_id(), read_id = 9007199254740991;
  insert into event_versions as v (id, changes) values (0, 1 + floor(random() * 1e12)::bigint)
  on conflict (id) do update set changes = v.changes + excluded.changes
$$;
