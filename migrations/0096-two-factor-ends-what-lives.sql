-- Turning the second factor on ends what was given for the password alone. A grant for a password is one token, which lives a day at
-- most: those behind that are over, and may be a month's (decision 0230).
create or replace function users_end_password_tokens() returns trigger language plpgsql as $$
declare
  given bigint[];
begin
  -- Held first, so that no exchange in flight escapes.
  given := array(select id from authorizations
    where user_id = new.id and flow = 'password' and revoked_at is null and created_at > now() - interval '1 day'
    order by id for no key update);
  update access_tokens set revoked_at = now() where revoked_at is null and authorization_id = any (given);
  update authorizations set revoked_at = now(), revoked_because = 'two-factor' where id = any (given);
  return null;
end $$;
