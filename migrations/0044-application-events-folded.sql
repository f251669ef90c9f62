-- Refusals alike are one row, however long they go on, so that few kinds cannot push out the rare ones (decision 0080).
alter table application_events
  -- A hash of all by which two are alike; null: of before.
  add column kind bytea unique,
  -- `at` is when the last one came.
  add column first_at timestamptz(3),
  -- Newest first, without the last one.
  add column earlier_request_ids text[] not null default '{}';
