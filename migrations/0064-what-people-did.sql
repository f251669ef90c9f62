-- Whoever is removed leaves what they did without an author: found by these, not by reading the years of everybody.
create index incidents_author on incidents (author_id) where author_id is not null;
create index incidents_closed_by on incidents (closed_by) where closed_by is not null;
create index incident_notes_author on incident_notes (author_id) where author_id is not null;
create index alert_activity_author on alert_activity (author_id) where author_id is not null;
