-- The latest time that the database has told while the service ran: a clock that goes back must not bring dead tokens to life.
create table clock_mark (
  one boolean primary key check (one),
  at timestamptz not null
);
