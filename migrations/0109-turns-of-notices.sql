-- In the outbox only mails that somebody waits for go before all others, and notices to one person delay nobody else's (decision 0306).

-- Instead of `outbox_queue`, which stays for processes of the previous version, with its index; a later migration drops them. The
-- queue of a message: '' for mails with a link, of no project; for notices, that is other mails of no project, one for each mailbox,
-- beginning with `n`; for everything else what it was, beginning with a hexadecimal digit. `has_words`: the link is stored apart.
create or replace function outbox_turn(channel text, project_id bigint, target text, purpose text, has_words boolean) returns text
language sql immutable as $$
  select case when project_id is null and channel = 'mail' and purpose <> 'deletion_notice'
      then case when has_words then '' else 'n' || left(md5(target), 4) || ' ' || target end
    else left(md5(coalesce(project_id::text, case when channel = 'mail' then purpose else target end)), 4) || ' '
      || coalesce(project_id::text, '') || ' ' || case when channel = 'mail' then '' else target end end
$$;

-- While it is made nobody writes to the outbox. Where millions of messages are kept, the function and the index can be made before
-- the upgrade, this one `concurrently`.
create index if not exists outbox_deliveries_turn on outbox_deliveries
  ((outbox_turn(channel, project_id, target, purpose, sealed_secret is not null) collate "C"), due_at) where state = 'waiting';
