-- Feed readers cannot send headers: a token of its own that reads feeds and nothing else.
create table event_feed_tokens (
  user_id bigint primary key references users on delete cascade,
  digest bytea not null unique,
  -- Its owner may look at it again.
  sealed bytea not null,
  created_at timestamptz(3) not null default now()
);
