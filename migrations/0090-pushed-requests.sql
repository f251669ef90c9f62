-- Authorization requests that applications pushed before their people came (RFC 9126; decision 0205), found by the digest of
-- their `request_uri`. The parameters as they were sent: they were judged then, and are judged again at each use. Nothing is
-- left of them once an answer was given; the row then only tells that it was.
create table pushed_requests (
  digest bytea primary key check (octet_length(digest) = 32),
  application_id bigint not null references applications on delete cascade,
  -- From where a public application pushed it, which anybody can do in its name; null: the application proved itself.
  network text,
  parameters jsonb not null,
  created_at timestamptz(3) not null default now(),
  -- When a browser first came with it. From then on it waits as long as a question does.
  taken_at timestamptz(3),
  used_at timestamptz(3),
  expires_at timestamptz(3) not null
);
-- The unanswered ones are counted at each push, past those that were answered and are not swept yet.
create index pushed_requests_application on pushed_requests (application_id, used_at);
create index pushed_requests_network on pushed_requests (network, used_at) where network is not null;
create index pushed_requests_expiry on pushed_requests (expires_at);

-- The pushed request of a question that waits, which its answer uses up. No reference: what is gone counts as used.
alter table authorization_requests add column pushed_digest bytea;

-- Its people come with a pushed request, or not at all (RFC 9126 §6).
alter table applications add column require_pushed boolean not null default false;

alter table application_events
  drop constraint application_events_endpoint_check,
  add constraint application_events_endpoint_check check (endpoint in
    ('authorize', 'par', 'token', 'device', 'revoke', 'introspect', 'userinfo', 'logout', 'backchannel_logout'));
