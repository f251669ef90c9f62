-- Where an application may send people whom it signed out (OpenID Connect RP-Initiated Logout §3.1).
alter table applications add column post_logout_redirect_uris text[] not null default '{}';

-- Refusals at the sign-out are written down too. Few rows: at most a thousand of an application.
alter table application_events
  drop constraint application_events_endpoint_check,
  add constraint application_events_endpoint_check
    check (endpoint in ('authorize', 'token', 'device', 'revoke', 'introspect', 'userinfo', 'logout'));
