-- What a portion takes is found by its key (decision 0169). Joined in any other way, each portion read all events, or all targets,
-- of the installation: with a million of them 2,000 took a second or more, and where there are many millions no portion would
-- have ended in its time.
alter function remove_some_of_project(bigint, integer) set enable_hashjoin = off;
alter function remove_some_of_project(bigint, integer) set enable_mergejoin = off;
alter function remove_some_of_project(bigint, integer) set enable_seqscan = off;
alter function remove_overdue_events(bigint, integer) set enable_hashjoin = off;
alter function remove_overdue_events(bigint, integer) set enable_mergejoin = off;
alter function remove_overdue_events(bigint, integer) set enable_seqscan = off;
