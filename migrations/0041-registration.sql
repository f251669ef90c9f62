-- Who may register, as the administrators say; null: by invitation (decision 0121).
alter table instance_settings
  add column registration text check (registration in ('off', 'invited', 'open')),
  add column registration_domains text[] not null default '{}';
