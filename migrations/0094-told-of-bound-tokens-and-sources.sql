-- What an application's own log tells of tokens that are bound to keys, at the API (RFC 9449 §7; decisions 0080, 0207).
alter table application_events
  drop constraint application_events_endpoint_check,
  add constraint application_events_endpoint_check check (endpoint in
    ('authorize', 'par', 'token', 'device', 'revoke', 'introspect', 'userinfo', 'api', 'logout', 'backchannel_logout'));

-- By what the source of a secret is found that somebody reports as leaked (decision 0208): the SHA-256 of one that we made, as of all
-- others. One that a person chose may be guessed from it, and has none. Null, too, until an older source delivers again.
alter table event_sources add column secret_digest bytea;
create index event_sources_secret on event_sources (secret_digest);
