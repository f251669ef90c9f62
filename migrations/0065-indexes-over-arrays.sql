-- Two alike since migration 0015.
drop index namespaces_by_lineage;
-- What was changed lately stood in a list that each search through such an index reads from end to end.
alter index namespaces_by_ancestor set (fastupdate = off);
alter index projects_by_lineage set (fastupdate = off);
alter index event_targets_assignees set (fastupdate = off);
select gin_clean_pending_list(name::regclass)
from unnest(array['namespaces_by_ancestor', 'projects_by_lineage', 'event_targets_assignees']) as name;
