-- Pictures of measurements that people put beside an alert (decision 0201); the pictures themselves are in the database, so
-- that a backup has them and two processes see the same.
create table alert_metric_images (
  id bigint generated always as identity primary key,
  alert_id bigint not null references alerts on delete cascade,
  -- Null: of an account that is gone.
  author_id bigint references users on delete set null,
  filename text not null,
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/gif', 'image/webp')),
  bytes bytea not null,
  -- Where the measurement can be seen, and what that is called.
  url text,
  url_text text,
  created_at timestamptz(3) not null default now()
);
create index alert_metric_images_alert on alert_metric_images (alert_id, id);
create index alert_metric_images_author on alert_metric_images (author_id) where author_id is not null;
