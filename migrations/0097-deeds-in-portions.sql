-- What somebody did to alerts and incidents moves in portions, as their events do (decision 0104). What is held by somebody moves with
-- the rest, in the last transaction. What a portion takes is found by its key (decision 0169).
create function move_some_deeds(old_author bigint, new_author bigint, most integer) returns bigint language plpgsql
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare
  deed record;
  moved bigint := 0;
begin
  for deed in select * from (values ('incidents', 'author_id'), ('incidents', 'closed_by'), ('incident_notes', 'author_id'),
    ('alert_activity', 'author_id')) deeds(kept_in, done_by)
  loop
    execute format('update %1$I set %2$I = $2 where id = any (array(
      select id from %1$I where %2$I = $1 limit $3 for no key update skip locked))', deed.kept_in, deed.done_by)
      using old_author, new_author, most;
    get diagnostics moved = row_count;
    exit when moved > 0;
  end loop;
  return moved;
end $$;
