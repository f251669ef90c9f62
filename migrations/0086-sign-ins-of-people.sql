-- Whether a sign-in is new to an account (decision 0193) is told without reading what else happened to it: somebody with very many
-- entries in the log must not hold up the notices of all.

-- While it is made nobody writes to the log. Where tens of millions of entries are kept, it can be made before the upgrade,
-- `concurrently`.
create index if not exists audit_entries_sign_ins on audit_entries (user_id, id) where action = 'sign_in';
