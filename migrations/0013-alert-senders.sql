-- Other services' clients acknowledge and note alerts; integrations may ask for signed requests.

alter table alert_integrations
  add column signature text check (signature in ('standard_webhooks', 'hmac_sha256', 'sentry', 'grafana')),
  -- Null: the header that the kind of signature has by itself.
  add column signature_header text check (signature_header ~ '^[a-z0-9-]{1,64}$'),
  add column signature_sealed bytea,
  add check ((signature is null) = (signature_sealed is null));

-- Not validated: the old rows were written under a narrower check, and reading them all would hold up senders.
alter table alert_receipts drop constraint alert_receipts_decision_check;
alter table alert_receipts add constraint alert_receipts_decision_check
  check (decision in ('created', 'counted', 'resolved', 'acknowledged', 'noted', 'late', 'orphan', 'mixed', 'nothing',
    'test', 'refused')) not valid;
