-- What somebody did to alerts and incidents moves in portions, as their events do (decision 0104). What is held by somebody moves with
-- the rest, in the last transaction.
create function move_some_deeds(old_author bigint, new_author bigint, most integer) returns bigint language plpgsql as $$
declare
  moved bigint;
begin
  update incidents set author_id = new_author where id = any (array(
    select id from incidents where author_id = old_author limit most for no key update skip locked));
  get diagnostics moved = row_count;
  if moved > 0 then
    return moved;
  end if;
  update incidents set closed_by = new_author where id = any (array(
    select id from incidents where closed_by = old_author limit most for no key update skip locked));
  get diagnostics moved = row_count;
  if moved > 0 then
    return moved;
  end if;
  update incident_notes set author_id = new_author where id = any (array(
    select id from incident_notes where author_id = old_author limit most for no key update skip locked));
  get diagnostics moved = row_count;
  if moved > 0 then
    return moved;
  end if;
  update alert_activity set author_id = new_author where id = any (array(
    select id from alert_activity where author_id = old_author limit most for no key update skip locked));
  get diagnostics moved = row_count;
  return moved;
end $$;
-- What a portion takes is found by its key (decision 0169).
alter function move_some_deeds(bigint, bigint, integer) set enable_hashjoin = off;
alter function move_some_deeds(bigint, bigint, integer) set enable_mergejoin = off;
alter function move_some_deeds(bigint, bigint, integer) set enable_seqscan = off;
