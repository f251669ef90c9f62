-- In the order of arrival, for readers who ask what is new.
create index events_project_arrival on events (project_id, arrived_in, id);
create index events_author_arrival on events (author_id, arrived_in, id);
