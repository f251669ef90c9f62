-- Whether somebody is written to when a project or group of theirs is marked for deletion (decision 0185).
alter table users add column deletion_mails boolean not null default true;
