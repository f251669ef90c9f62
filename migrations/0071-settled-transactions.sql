-- The newest transaction that is known to be committed on the disk: no crash lets the numbers up to it be given once more, so
-- a position behind them may be told (decision 0026). Belongs to one life of a database, as its name does.
alter table event_epoch add column settled xid8 not null default '0';
