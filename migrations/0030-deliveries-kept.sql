-- What a forge sent, so that it can be looked at and read again; gone with its note after 30 days.
alter table event_deliveries add column raw bytea, add column headers jsonb;

-- Counts of people, projects and namespaces that are gone are nobody's any more. Those of the living stay, even at zero:
-- their versions never go back.
create function forget_event_counts() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(event_counts_lock());
  perform compact_event_counts();
  delete from event_sums s where (s.author_id <> 0 and not exists (select from users u where u.id = s.author_id))
    or not exists (select from namespaces n where n.id = s.namespace_id);
  delete from event_versions v where (v.id > 0 and not exists (select from projects p where p.id = v.id))
    or (v.id < 0 and not exists (select from users u where u.id = -v.id));
end $$;
