-- Nobody else gets a name that somebody gives up at the same moment (decision 0122). What migration 0037 made looked before the
-- row was in: who waited in the index for the old bearer to be gone had looked already, and saw no redirect.
create or replace trigger namespaces_kept_path after insert or update of full_path on namespaces
  for each row execute function namespaces_refuse_kept_path();
