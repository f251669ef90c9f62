-- What a tool's words for severities, services and the like mean here, by field.

alter table alert_integrations add column value_tables jsonb;
