-- Logins of forges as somebody wrote them, which is how they are shown; `login` is what is compared. Null: the same.
alter table event_source_identities add column told text;
alter table event_claims add column told text;

-- Who deletes an application that a page did not wait for: it goes on after a stop (decision 0168). Null: nobody.
alter table applications add column removal_act jsonb;
create index applications_in_removal on applications (id) where removal_act is not null;
