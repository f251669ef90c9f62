-- What is asked of sessions and the audit log stays quick when there are many of them.

-- Whoever changes a password, is blocked or removed has half signed-in sessions ended too.
create index sessions_pending on sessions (pending_user_id) where pending_user_id is not null;

-- The administrators' filters of the log: each entry is found by what it is about.
create index audit_entries_action on audit_entries (action, id);
create index audit_entries_actor_name on audit_entries (lower(actor), id);
create index audit_entries_person_name on audit_entries (lower(person), id);

-- A key for an authenticator app waits for its code for so long only; what waits from before does no more.
alter table users add column totp_started_at timestamptz(3);
