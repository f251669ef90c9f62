-- Passkeys (WebAuthn): keys of people, the questions that wait for an answer, and what counts as two-factor sign-in.

create table passkeys (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  -- What the authenticator calls it; one key belongs to one person (WebAuthn 3 §7.1 step 26).
  credential_id bytea not null unique check (length(credential_id) between 1 and 1023),
  -- COSE, as the authenticator gave it.
  public_key bytea not null,
  -- Of the last accepted answer; authenticators that do not count stay at 0.
  sign_count bigint not null default 0,
  transports text[] not null default '{}',
  name text not null check (name <> '' and length(name) <= 100),
  -- Whether it may be on several devices.
  backed_up boolean not null default false,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3)
);
create index passkeys_user on passkeys (user_id);

-- The newest question of each purpose of a session; it goes with the session, and with the first answer.
create table passkey_challenges (
  session_digest bytea not null references sessions on delete cascade,
  purpose text not null check (purpose in ('register', 'sign_in', 'second_factor', 'proof')),
  challenge bytea not null,
  -- Whom it was asked; null: whoever answers (sign-in without a password).
  user_id bigint references users on delete cascade,
  expires_at timestamptz(3) not null,
  primary key (session_digest, purpose)
);
create index passkey_challenges_user on passkey_challenges (user_id) where user_id is not null;

-- The name under which authenticators keep a person: random, because they show it to nobody and must learn nothing by it.
alter table users add column passkey_handle bytea unique;

-- How many passkeys a person has, so that every read of a user sees whether two-factor sign-in is on.
alter table users add column passkeys integer not null default 0 check (passkeys >= 0);

create function passkeys_count() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update users set passkeys = passkeys + 1, updated_at = now() where id = new.user_id;
  else
    update users set passkeys = passkeys - 1, updated_at = now() where id = old.user_id;
  end if;
  return null;
end $$;
create trigger passkeys_count after insert or delete on passkeys
  for each row execute function passkeys_count();

-- Tokens given for the password alone end with the first second factor of either kind.
create or replace trigger users_end_password_tokens after update of totp_confirmed_at, passkeys on users
  for each row when (old.totp_confirmed_at is null and old.passkeys = 0
    and (new.totp_confirmed_at is not null or new.passkeys > 0))
  execute function users_end_password_tokens();
