-- Pictures of measurements stand beside incidents as they do beside alerts (decision 0204): each beside one of the two.
alter table alert_metric_images
  alter column alert_id drop not null,
  add column incident_id bigint references incidents on delete cascade,
  add constraint alert_metric_images_beside check (num_nonnulls(alert_id, incident_id) = 1);
create index alert_metric_images_incident on alert_metric_images (incident_id, id) where incident_id is not null;
