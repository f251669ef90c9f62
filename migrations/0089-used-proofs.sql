-- What was signed to be shown once and has been shown: the `jti` of a client assertion (RFC 7523 §3) or of a proof of possession
-- (RFC 9449 §11.1), as a digest. A row may go as soon as what it stands for has expired.
create table used_proofs (
  digest bytea primary key check (octet_length(digest) = 32),
  expires_at timestamptz not null
);
create index used_proofs_expiry on used_proofs (expires_at);
