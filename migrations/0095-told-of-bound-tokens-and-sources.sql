-- What an application's own log tells of tokens that are bound to keys, at the API (RFC 9449 §7; decisions 0080, 0207).
alter table application_events
  drop constraint application_events_endpoint_check,
  add constraint application_events_endpoint_check check (endpoint in
    ('authorize', 'par', 'token', 'device', 'revoke', 'introspect', 'userinfo', 'api', 'logout', 'backchannel_logout'));
