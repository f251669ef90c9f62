-- A source that reports about several repositories has an issue 5 of each of them (decision 0294): the one that it reported about
-- first, by the forge's id. Null: it named none since this column exists.
alter table event_sources add column repository text;
