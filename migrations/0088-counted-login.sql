-- By what the failed sign-ins of a login are counted: a digest, for people type passwords where a name belongs. Here, because the
-- room of accounts counts them and the one of events gives them away with an account.
create function counted_login(login text) returns text language sql stable strict parallel safe
  as $$ select encode(sha256(convert_to(lower(left(login, 255)), 'UTF8')), 'hex') $$;
