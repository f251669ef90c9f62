-- Messages wait in queues, so that the oldest of each are found without reading those of the others (decision 0298).

-- The queue of a message: '' for mails about accounts; else one for each project and target, all mails of a project being one, one
-- for notices of deletions, and for what else is of no project one for each target. The digits in front put them into an
-- arbitrary order.
create or replace function outbox_queue(channel text, project_id bigint, target text, purpose text) returns text
language sql immutable as $$
  select case when project_id is null and channel = 'mail' and purpose <> 'deletion_notice' then ''
    else left(md5(coalesce(project_id::text, case when channel = 'mail' then purpose else target end)), 4) || ' '
      || coalesce(project_id::text, '') || ' ' || case when channel = 'mail' then '' else target end end
$$;

-- While they are made nobody writes to the outbox. Where millions of messages are kept, the function and the two indexes can be
-- made before the upgrade, these `concurrently`.
create index if not exists outbox_deliveries_queue on outbox_deliveries
  ((outbox_queue(channel, project_id, target, purpose) collate "C"), due_at) where state = 'waiting';

-- How many mails somebody got lately that others can cause.
create index if not exists outbox_deliveries_mailbox on outbox_deliveries (target, created_at) where channel = 'mail' and dedupe_key is not null;
