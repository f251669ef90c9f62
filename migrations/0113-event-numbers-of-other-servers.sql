-- Numbers of transactions that another server gave lie ahead of this one's: nothing that arrives here would come after them
-- (decision 0317).

-- All events that are there arrived before every transaction of this server, in the order of their ids. A column with a constant
-- default is added without writing a row, so only the indexes over it are built anew.
create function renumber_events() returns void language plpgsql as $$
begin
  alter table events drop column arrived_in;
  alter table events add column arrived_in xid8 not null default '1';
  alter table events alter column arrived_in set default pg_current_xact_id();
  create index events_project_arrival on events (project_id, arrived_in, id);
  create index events_author_arrival on events (author_id, arrived_in, id);
end $$;

-- As in 0071; but a hook whose position is a number of this server goes on from there. Those that were just restored have the
-- number of this transaction, and those that came along from another server may have one that is not given yet.
create or replace function begin_event_epoch() returns void language sql as $$
  insert into event_epoch default values on conflict (one) do update set epoch = excluded.epoch, settled = excluded.settled;
  update event_hooks set read_in = pg_current_xact_id(), read_id = 9007199254740991
  where read_in = pg_current_xact_id() or read_in >= pg_snapshot_xmax(pg_current_snapshot());
  insert into event_versions as v (id, changes) values (0, 1 + floor(random() * 1e12)::bigint)
  on conflict (id) do update set changes = v.changes + excluded.changes
$$;

-- The horizon of arrivals as it was last seen to have moved, and when: a transaction of any database of the server holds it up.
alter table event_epoch add column horizon xid8 not null default '0', add column horizon_at timestamptz(3) not null default now();
