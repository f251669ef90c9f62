-- How long the tokens of an application live, in seconds (decision 0194). Null: as everywhere.
alter table applications
  add column access_token_seconds integer check (access_token_seconds between 300 and 86400),
  add column refresh_idle_seconds integer check (refresh_idle_seconds between 3600 and 31536000),
  add column refresh_absolute_seconds integer check (refresh_absolute_seconds between 3600 and 31536000);

-- Whether they may live longer than everywhere. Null: as the profile says.
alter table instance_settings add column allow_long_lives boolean;
