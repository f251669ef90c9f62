-- The kept sessions of strangers at one address, of which there are only so many.
create index sessions_of_strangers on sessions (ip, created_at) where user_id is null and pending_user_id is null;
