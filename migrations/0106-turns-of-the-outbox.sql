-- Messages wait in queues, so that the oldest of each are found without reading those of the others (decision 0298).

-- The queue of a message: '' for mails about accounts; else one for each project and target, all mails of a project being one, and
-- for what is of no project one for each target. The digits in front put projects into an arbitrary order.
create or replace function outbox_queue(channel text, project_id bigint, target text) returns text language sql immutable as $$
  select case when project_id is null and channel = 'mail' then ''
    else left(md5(coalesce(project_id::text, target)), 4) || ' ' || coalesce(project_id::text, '') || ' '
      || case when channel = 'mail' then '' else target end end
$$;

-- While it is made nobody writes to the outbox. Where millions of messages are kept, the function and the two indexes can be
-- made before the upgrade, these `concurrently`.
create index if not exists outbox_deliveries_queue on outbox_deliveries
  ((outbox_queue(channel, project_id, target) collate "C"), due_at) where state = 'waiting';

-- `outbox_deliveries_unsent` serves what this did.
drop index outbox_deliveries_due;

-- How many mails somebody got lately that others can cause.
create index if not exists outbox_deliveries_mailbox on outbox_deliveries (target, created_at) where channel = 'mail' and dedupe_key is not null;
