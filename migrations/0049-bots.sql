-- Accounts that are no person's say whose they are: of an application of a group or of the instance, or of the service
-- itself. It stays when the application goes (decision 0139).
alter table users add column bot text check (bot in ('application', 'service'));
update users set bot = 'application' where id in (select account_id from applications);
update users set bot = 'service' where is_placeholder and email = username || '@noreply.invalid';

-- Nobody comes in as a user that is no person, by whatever door: no such user has a key.
update users set password_hash = null, is_admin = false where is_placeholder and (password_hash is not null or is_admin);
alter table users add constraint keys_of_people_alone
  check (not is_placeholder or (password_hash is null and totp_confirmed_at is null and not is_admin));
update access_tokens set revoked_at = now()
where kind = 'personal' and revoked_at is null and user_id in (select id from users where is_placeholder);

create function keys_of_people_alone() returns trigger language plpgsql as $$
begin
  if exists (select from users u where u.id = new.user_id and u.is_placeholder) then
    raise check_violation using constraint = 'keys_of_people_alone';
  end if;
  return new;
end $$;
create trigger personal_tokens_of_people before insert on access_tokens
  for each row when (new.kind = 'personal') execute function keys_of_people_alone();
create trigger password_links_of_people before insert on password_links
  for each row execute function keys_of_people_alone();
create trigger passkeys_of_people before insert on passkeys
  for each row execute function keys_of_people_alone();
create trigger sessions_of_people before insert on sessions
  for each row when (new.user_id is not null) execute function keys_of_people_alone();
