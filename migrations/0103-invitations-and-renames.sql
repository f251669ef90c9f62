-- How many invitations somebody sent in a day (decision 0111) is counted without reading what else they did, which may be more than
-- is looked through.

-- While it is made nobody writes to the log. Where tens of millions of entries are kept, it can be made before the upgrade,
-- `concurrently`.
create index if not exists audit_entries_invitations on audit_entries (actor_id, at) where action = 'invitation_sent';
