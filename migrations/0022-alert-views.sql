-- Lists of alerts that people come back to: a name for what stands in the address.

create table alert_views (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  user_id bigint not null references users on delete cascade,
  name text not null check (length(name) between 1 and 60),
  -- The query of the list's address, without its page.
  query text not null check (length(query) <= 2000),
  created_at timestamptz(3) not null default now()
);
create unique index alert_views_name on alert_views (project_id, user_id, lower(name));
create index alert_views_user on alert_views (user_id);
