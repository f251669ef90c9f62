-- What happened, by month, what it happened to, and the forges that tell of it.

-- The twelve words of the specification's action filter.
create type event_action as enum ('created', 'updated', 'closed', 'reopened', 'pushed', 'commented', 'merged', 'joined',
  'left', 'destroyed', 'expired', 'approved');

create type event_target_type as enum ('Issue', 'WorkItem', 'Incident', 'MergeRequest', 'Milestone', 'Note',
  'DiscussionNote', 'DiffNote', 'Project', 'Snippet', 'User', 'WikiPage::Meta');

-- What one must be able to read to see an event; `event_caps` says who can.
create type event_cap as enum ('project', 'code', 'merge_request', 'issue', 'milestone', 'wiki', 'snippet',
  'confidential', 'internal', 'confidential_code', 'internal_code');

-- The caps that open to somebody with this access level (0: none) in a project of this visibility, today.
create function event_caps(visibility text, access integer, signed_in boolean) returns event_cap[]
language sql immutable parallel safe as $$
  select case
    when access >= 20 then enum_range(null::event_cap)
    when visibility = 'public' or (visibility = 'internal' and signed_in) then
      array['project', 'issue', 'milestone', 'wiki', 'snippet', 'code', 'merge_request']::event_cap[]
        || case when access >= 15 then array['confidential', 'internal']::event_cap[] else '{}' end
    when access >= 15 then
      array['project', 'issue', 'milestone', 'wiki', 'snippet', 'confidential', 'internal']::event_cap[]
    when access >= 10 then array['project', 'issue', 'milestone', 'wiki', 'snippet']::event_cap[]
    else '{}'
  end
$$;

-- Numbers of events grow to 2^53 at most: clients read them as JavaScript numbers.
create sequence event_ids;
-- Numbers for targets and comments whose sender gives none.
create sequence event_target_numbers;

create table event_sources (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  -- The part of the receive address that nobody can guess.
  identifier text not null unique,
  name text not null check (length(name) between 1 and 255),
  type text not null check (type in ('auto', 'github', 'gitlab', 'gitea', 'forgejo', 'cloudevents')),
  active boolean not null default true,
  secret_sealed bytea not null,
  created_by bigint references users on delete set null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index event_sources_project on event_sources (project_id);

-- Which of our users an outside login is, as the maintainer of the source says.
create table event_source_identities (
  source_id bigint not null references event_sources on delete cascade,
  login text not null check (login = lower(login)),
  user_id bigint not null references users on delete cascade,
  primary key (source_id, login)
);
create index event_source_identities_user on event_source_identities (user_id);

-- The placeholder that stands for a person of a forge who is nobody here.
create table event_outsiders (
  host text not null check (host = lower(host)),
  login text not null check (login = lower(login)),
  user_id bigint not null unique references users on delete cascade,
  primary key (host, login)
);

create table event_deliveries (
  id bigint generated always as identity primary key,
  source_id bigint not null references event_sources on delete cascade,
  -- As the forge numbers it; the same one again is a duplicate.
  delivery_id text not null check (length(delivery_id) <= 255),
  kind text not null,
  status text not null check (status in ('accepted', 'ignored')),
  reason text,
  event_ids bigint[] not null default '{}',
  received_at timestamptz(3) not null default now(),
  unique (source_id, delivery_id)
);
create index event_deliveries_received on event_deliveries (received_at);

-- What events happen to. Title, confidentiality and assignees are those of the newest event that sends one, and hold
-- for past events too.
create table event_targets (
  id bigint primary key default nextval('event_target_numbers'),
  project_id bigint not null references projects on delete cascade,
  -- 0: the write API; -1: the service itself; else the event source. Each numbers its own targets.
  source_id bigint not null,
  kind text not null
    check (kind in ('issue', 'merge_request', 'milestone', 'snippet', 'wiki', 'commit', 'project', 'user')),
  -- The number within its kind, the slug of a wiki page or the hash of a commit.
  key text not null check (length(key) <= 1024),
  -- The sender's wide number; null: ours, which is the id.
  number bigint,
  title text,
  title_at timestamptz(3),
  confidential boolean not null default false,
  confidential_at timestamptz(3),
  assignee_ids bigint[] not null default '{}',
  assignees_at timestamptz(3),
  -- The author of the `created` event.
  author_id bigint references users on delete set null,
  author_at timestamptz(3),
  unique (project_id, source_id, kind, key)
);

create table events (
  id bigint not null default nextval('event_ids'),
  created_at timestamptz(3) not null,
  project_id bigint not null references projects on delete cascade,
  author_id bigint not null references users,
  action event_action not null,
  -- Follows the target's confidentiality, so that lists and counts need no other table.
  cap event_cap not null,
  target_type event_target_type,
  target_id bigint,
  target_iid bigint,
  -- The target, or on comments what was commented on.
  target_ref bigint,
  push_data jsonb,
  note jsonb,
  wiki_page jsonb,
  imported_from text not null default 'none',
  external_id text,
  -- In which transaction it arrived: a reader that resumes must not pass over those that commit late.
  arrived_in xid8 not null default pg_current_xact_id(),
  primary key (created_at, id),
  check ((target_type is null) = (target_id is null)),
  check ((action = 'pushed') = (push_data is not null)),
  check ((action = 'commented') = (note is not null))
) partition by range (created_at);

-- The order of the lists, with what filters and permissions ask, so that counting reads the index alone.
create index events_project on events (project_id, created_at desc, id desc)
  include (action, target_type, cap, target_ref);
create index events_author on events (author_id, created_at desc, id desc)
  include (project_id, action, target_type, cap, target_ref);
create index events_target on events (target_ref) where target_ref is not null;

-- The partition behind the last month takes what nobody made room for. It is a range and not a default partition,
-- because beside a default one lists cannot read the months in order and old months cannot be detached while read.
create table events_later partition of events for values from (minvalue) to (maxvalue);

-- Makes the missing months around the current one (UTC), moving what waits in events_later to its place.
create function ensure_event_partitions(months_back integer, months_ahead integer) returns integer
language plpgsql as $$
declare
  this_month date := date_trunc('month', now() at time zone 'UTC')::date;
  month date;
  missing date[] := '{}';
  ends timestamptz := (this_month + make_interval(months => months_ahead + 1)) at time zone 'UTC';
begin
  for step in -months_back .. months_ahead loop
    month := (this_month + make_interval(months => step))::date;
    if to_regclass(format('events_%s', to_char(month, 'YYYY_MM'))) is null then
      missing := missing || month;
    end if;
  end loop;
  if cardinality(missing) = 0 then
    return 0;
  end if;
  alter table events detach partition events_later;
  foreach month in array missing loop
    execute format('create table %I partition of events for values from (%L) to (%L)',
      format('events_%s', to_char(month, 'YYYY_MM')),
      month::timestamp at time zone 'UTC',
      (month + interval '1 month') at time zone 'UTC');
  end loop;
  with moved as (delete from events_later where created_at < ends returning *)
  insert into events select * from moved;
  execute format('alter table events attach partition events_later for values from (%L) to (maxvalue)', ends);
  return cardinality(missing);
end $$;

-- Two years are shown and one day more is kept.
select ensure_event_partitions(25, 3);

-- The replay keys of the write API.
create table event_keys (
  project_id bigint not null references projects on delete cascade,
  external_id text not null check (length(external_id) between 1 and 255),
  body_hash bytea not null,
  -- One; several for a push of several refs.
  event_ids bigint[] not null,
  event_created_at timestamptz(3) not null,
  primary key (project_id, external_id)
);
create index event_keys_created on event_keys (event_created_at);
