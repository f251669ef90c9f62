-- For how much longer the service must run before anything is deleted by age, after the clock went ahead (decision 0315).
alter table clock_mark add column unproven interval not null default '0';
