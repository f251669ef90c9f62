-- Logins of forges as somebody wrote them, which is how they are shown; `login` is what is compared. Null: the same.
alter table event_source_identities add column told text;
alter table event_claims add column told text;
