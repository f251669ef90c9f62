-- What was allowed under the old password and not yet fetched is worthless under the new one: codes on their way, and
-- devices that were allowed and have not asked again. Tokens that were fetched stay; people end them themselves.
create function users_end_waiting_codes() returns trigger language plpgsql as $$
begin
  update authorization_codes c set expires_at = now() from authorizations g
    where g.id = c.authorization_id and g.user_id = new.id and c.spent_at is null and c.expires_at > now();
  update device_authorizations set expires_at = now()
    where user_id = new.id and spent_at is null and expires_at > now();
  return null;
end $$;
create trigger users_end_waiting_codes after update of password_hash on users
  for each row when (old.password_hash is distinct from new.password_hash)
  execute function users_end_waiting_codes();
