-- How far files of events have been brought in: a stopped import goes on where its last batch ended.
create table event_imports (
  id bigint generated always as identity primary key,
  -- SHA-256 of how it is read and of the beginning of its text.
  key bytea not null unique,
  name text not null,
  -- Lines behind us, and SHA-256 of their text: another file with the same beginning is no continuation.
  lines bigint not null default 0,
  digest bytea not null,
  created bigint not null default 0,
  duplicate bigint not null default 0,
  ignored bigint not null default 0,
  invalid bigint not null default 0,
  started_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

-- Asked for every target that changes, also while the statistics of new tables say that reading all would be nothing.
alter function note_changed_target() set enable_seqscan = off;
