-- Applications hear that a session ended here (OpenID Connect Back-Channel Logout 1.0): what they want to hear, which of
-- them were told who signed in, and the messages, written by triggers so that no way of ending a session forgets them.

alter table applications
  add column backchannel_logout_uri text not null default '',
  add column backchannel_logout_session_required boolean not null default false;

alter table sessions
  -- What applications call the session, the claim `sid`: it opens nothing, and stays when the secret is renewed.
  add column sid uuid not null default gen_random_uuid(),
  -- Nobody is signed in, and whoever was is asked to prove it again, or has proved half: the same session if they do.
  add column left_by bigint references users on delete cascade;
create unique index sessions_sid on sessions (sid);
create index sessions_left_by on sessions (left_by) where left_by is not null;

-- When all sessions of a person were ended last.
alter table users add column sessions_ended_at timestamptz(3);

-- In which session it was allowed; null: in none, or of before.
alter table authorizations add column session_sid uuid;
create index authorizations_session on authorizations (session_sid) where session_sid is not null;

alter table outbox_deliveries
  drop constraint outbox_deliveries_channel_check,
  add constraint outbox_deliveries_channel_check check (channel in ('mail', 'webhook', 'slack', 'logout'));

alter table application_events
  drop constraint application_events_endpoint_check,
  add constraint application_events_endpoint_check check (endpoint in
    ('authorize', 'token', 'device', 'revoke', 'introspect', 'userinfo', 'logout', 'backchannel_logout'));

-- Applications that want to hear of it and hold an identity token of the person: a code that nobody fetched brought none.
create view logout_listeners as
  select distinct g.user_id, g.application_id, g.session_sid, g.revoked_at is null as lives,
    a.backchannel_logout_uri as uri, a.backchannel_logout_session_required as by_session
  from authorizations g join applications a on a.id = g.application_id
  where a.backchannel_logout_uri <> '' and 'openid' = any (g.scopes)
    and g.flow in ('authorization_code', 'device_code')
    and not exists (select from authorization_codes c where c.authorization_id = g.id and c.spent_at is null);

-- Names one act that ended all sessions of a person.
create function logout_of_all_key(application_id bigint, user_id bigint) returns text language sql stable as $$
  select application_id || ':' || user_id || ':' || (extract(epoch from now()) * 1000000)::bigint
$$;

-- One message to an application, once for each act; without a session it is about all of the person. It is put together
-- and signed when it is sent. After a quarter of an hour it is given up: who comes back later asks anew anyway.
create function announce_logout(application_id bigint, uri text, user_id bigint, session_sid uuid) returns void
language sql as $$
  insert into outbox_deliveries (channel, target, content, purpose, dedupe_key, give_up_at)
  values ('logout', left(substring(uri from '^[^:]*://([^/?#]*)'), 320),
    json_build_object('event', 'logout', 'application_id', application_id, 'user_id', user_id, 'sid', session_sid),
    'backchannel_logout',
    coalesce(application_id || ':' || session_sid, logout_of_all_key(application_id, user_id)),
    now() + interval '15 minutes')
  on conflict (purpose, dedupe_key) where dedupe_key is not null do nothing
$$;

-- A session is over when no row bears its sid any more: a renewed secret takes the sid along. One that merely expired is
-- told to nobody, unless its person was asked to prove themselves and did not.
create function sessions_announce_logout() returns trigger language plpgsql as $$
begin
  if not exists (select from gone where user_id is not null or left_by is not null) then return null; end if;
  perform announce_logout(l.application_id, l.uri, l.user_id, l.session_sid)
    from gone e join logout_listeners l on l.session_sid = e.sid
    where (e.left_by is not null or e.user_id is not null and e.expires_at > now())
      and not exists (select from sessions s where s.sid = e.sid)
      -- Told of all sessions a moment ago.
      and not exists (select from outbox_deliveries o where o.purpose = 'backchannel_logout'
        and o.dedupe_key = logout_of_all_key(l.application_id, l.user_id));
  return null;
end $$;
create trigger sessions_announce_logout after delete on sessions referencing old table as gone
  for each statement execute function sessions_announce_logout();

-- All sessions of a person, before they are gone: also what applications began in sessions that are long over. Who must
-- be told the session is told each, by the keys under which the sessions themselves would tell.
create function users_announce_logout() returns trigger language plpgsql as $$
begin
  perform announce_logout(told.application_id, told.uri, old.id, told.sid)
    from (
      select distinct l.application_id, l.uri, case when l.by_session then l.session_sid end as sid
      from logout_listeners l
      where l.user_id = old.id and (not l.by_session or l.session_sid is not null)
        and (l.lives or exists (select from sessions s where s.sid = l.session_sid))) told;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
create trigger users_announce_logout before update of sessions_ended_at on users
  for each row when (old.sessions_ended_at is distinct from new.sessions_ended_at)
  execute function users_announce_logout();
create trigger users_announce_logout_at_end before delete on users
  for each row execute function users_announce_logout();
