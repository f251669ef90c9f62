-- What people tell of themselves beside name and address, and what administrators note about them; null: nothing.
alter table users
  add column about jsonb check (jsonb_typeof(about) = 'object'),
  add column note text check (length(note) between 1 and 4000);
