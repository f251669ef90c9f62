-- An application of a group or of the instance acts for an account of its own, made when it first asks by its own
-- credentials. The account stays when the application goes, for what was written in its name.
alter table applications add column account_id bigint unique references users on delete set null;
