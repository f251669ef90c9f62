-- The commits of a push, for those who ask for them: beside the events, so that lists without them cost what they did.
-- Written only for pushes whose sender names commits, at most 20, without any mail address. Ids and moments are those of
-- the event; a reference would be checked with every month that is dropped.
create table event_commits (
  created_at timestamptz(3) not null,
  event_id bigint not null,
  commits jsonb not null,
  primary key (created_at, event_id)
);

-- Events that are removed take them along; those of dropped months are swept.
create function drop_commits_of_events() returns trigger language plpgsql as $$
begin
  delete from event_commits c using gone g
  where g.action = 'pushed' and c.created_at = g.created_at and c.event_id = g.id;
  return null;
end $$;
create trigger events_drop_commits after delete on events referencing old table as gone
  for each statement execute function drop_commits_of_events();
