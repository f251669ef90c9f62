-- Positions of those who follow events are numbers of transactions, which mean something in one life of a database: a
-- restore begins another one (decision 0108).

create table event_epoch (
  one boolean primary key default true check (one),
  epoch text not null default substr(replace(gen_random_uuid()::text, '-', ''), 1, 8) check (epoch ~ '^[0-9a-f]{8}$')
);
insert into event_epoch default values;

-- Called by whoever fills a database with the rows of another one. What was restored arrived in the transaction that
-- restored it, so all of it lies before whatever arrives from then on.
create function begin_event_epoch() returns void language sql as $$
  insert into event_epoch default values on conflict (one) do update set epoch = excluded.epoch
$$;
