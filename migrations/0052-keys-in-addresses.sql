-- Senders that take an address and nothing else, and whose HTTP client refuses a user in it, bring the key as a
-- parameter of the address, where the integration allows it (decision 0142).
alter table alert_integrations add column key_in_address boolean not null default false;
