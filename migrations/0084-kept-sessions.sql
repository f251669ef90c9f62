-- Whether its person asked to stay signed in (decision 0202). Those of before do, as nobody could ask otherwise.
alter table sessions add column kept boolean not null default true;
