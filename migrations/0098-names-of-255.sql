-- Usernames and paths have 255 characters, as many as the API and the pages say; the tables took one fewer.
alter table users drop constraint users_username_check,
  add constraint users_username_check check (username ~ '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$');
alter table namespaces drop constraint namespaces_path_check,
  add constraint namespaces_path_check check (path ~ '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$');
alter table projects drop constraint projects_path_check,
  add constraint projects_path_check check (path ~ '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$');
