-- What must not be forgotten about people and their keys, and links for a new password.

-- The audit log: each entry carries the hash of the one before, so that a change anywhere breaks the chain.
create table audit_entries (
  -- Without gaps: a missing number is a missing entry.
  id bigint primary key,
  at timestamptz(3) not null,
  action text not null check (action ~ '^[a-z_]{1,64}$'),
  -- Who did it and whom it concerns; no foreign keys and the names of then, because entries outlive people.
  actor_id bigint,
  actor text not null default '',
  user_id bigint,
  person text not null default '',
  ip text not null default '',
  details jsonb not null default '{}',
  hash bytea not null
);
create index audit_entries_user on audit_entries (user_id, id);
create index audit_entries_actor on audit_entries (actor_id, id);

-- The text that is hashed. Programs that verify the chain build it by themselves and need not trust this function.
create function audit_canonical(e audit_entries) returns text language sql stable as $$
  select jsonb_build_array(e.id, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), e.action,
    e.actor_id, e.actor, e.user_id, e.person, e.ip, e.details)::text
$$;

-- One writer at a time, to its commit: only then is the newest entry known. Readers are not held up.
create function audit_entries_chain() returns trigger language plpgsql as $$
declare
  last record;
begin
  -- A restored entry brings its hash along; verification judges it.
  if new.hash is not null then
    return new;
  end if;
  perform pg_advisory_xact_lock(7239402);
  select id, hash into last from audit_entries order by id desc limit 1;
  new.id := coalesce(last.id, 0) + 1;
  new.at := clock_timestamp();
  new.hash := sha256(coalesce(last.hash, ''::bytea) || convert_to(audit_canonical(new), 'UTF8'));
  return new;
end $$;
create trigger audit_entries_chain before insert on audit_entries
  for each row execute function audit_entries_chain();

create function audit_entries_stay() returns trigger language plpgsql as $$
begin
  raise exception 'audit entries are neither changed nor removed';
end $$;
create trigger audit_entries_stay before update or delete on audit_entries
  for each row execute function audit_entries_stay();
create trigger audit_entries_stay_all before truncate on audit_entries
  for each statement execute function audit_entries_stay();

-- One-time links by which a person sets a new password; the newest of a person counts.
create table password_links (
  digest bytea primary key,
  user_id bigint not null unique references users on delete cascade,
  created_by bigint references users on delete set null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);

-- Tokens that were given for a password alone end when the password alone no longer opens the door.
create function users_end_password_tokens() returns trigger language plpgsql as $$
begin
  update access_tokens set revoked_at = now()
    where revoked_at is null and user_id = new.id and authorization_id in
      (select id from authorizations where user_id = new.id and flow = 'password');
  update authorizations set revoked_at = now(), revoked_because = 'two-factor'
    where user_id = new.id and flow = 'password' and revoked_at is null;
  return null;
end $$;
create trigger users_end_password_tokens after update of totp_confirmed_at on users
  for each row when (old.totp_confirmed_at is null and new.totp_confirmed_at is not null)
  execute function users_end_password_tokens();
