-- The key to which something is bound, by its thumbprint (RFC 7638; RFC 9449; decision 0207). Null: bound to none, as all was before.
-- Of a refresh token: of public applications alone. Of a code and of a request that waits: `dpop_jkt`.
alter table access_tokens add column bound_key text;
alter table refresh_tokens add column bound_key text;
alter table authorization_codes add column bound_key text;
alter table authorization_requests add column bound_key text;

-- It gets tokens that are bound to a key, and no others (RFC 9449 §5.2).
alter table applications add column bound_tokens_only boolean not null default false;
