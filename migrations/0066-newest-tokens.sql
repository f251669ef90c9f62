-- The newest tokens and approvals of an application, and those of a person at an application, are found without reading
-- all of them (decision 0172).

-- While the indexes are made nobody writes here, but everybody reads; what they replace goes last, when readers let it. One who
-- would not, such as a backup, is noticed before the work is done in vain.
savepoint before_the_work;
lock table access_tokens, authorizations, consents in access exclusive mode;
rollback to savepoint before_the_work;

-- Where tens of millions of tokens are kept, these can be made before the upgrade, `concurrently`.
create index if not exists access_tokens_newest on access_tokens (application_id, created_at) where application_id is not null;
create index if not exists access_tokens_held on access_tokens (user_id, application_id, created_at);
create index if not exists access_tokens_personal_of_user on access_tokens (user_id) where kind = 'personal';
create index if not exists authorizations_newest on authorizations (application_id, created_at);
create index if not exists authorizations_given on authorizations (user_id, application_id, created_at);
create index if not exists consents_newest on consents (application_id, created_at);

drop index access_tokens_application, access_tokens_user, authorizations_of_application, authorizations_of_user,
  consents_application;
