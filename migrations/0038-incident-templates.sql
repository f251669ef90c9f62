-- Texts that a project's incidents begin or end with (decision 0117).
create table incident_templates (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  name text not null check (length(name) between 1 and 255),
  -- Markdown.
  content text not null check (octet_length(content) between 1 and 65536),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (project_id, id)
);
create unique index incident_templates_name on incident_templates (project_id, lower(name));

-- The one that is put below what an alert says of itself; null: none. It cannot be another project's.
alter table alert_settings
  add column incident_template_id bigint,
  add constraint alert_settings_incident_template foreign key (project_id, incident_template_id)
    references incident_templates (project_id, id) on delete set null (incident_template_id);
