-- The public keys by which an application proves itself (RFC 7523 §2.2; decision 0206): a JWK Set as JSON, empty where there is none.
-- With only_by_key its secrets do not count.
alter table applications
  add column jwks text not null default '' check (length(jwks) <= 65536),
  add column only_by_key boolean not null default false,
  add constraint applications_only_by_a_key check (jwks <> '' or not only_by_key);
