-- Secrets that somebody reports as leaked are looked up by their digests alone (decision 0208); the others have an index already.
create index application_secrets_digest on application_secrets (digest);
create index alert_heartbeats_key on alert_heartbeats (key_digest);
