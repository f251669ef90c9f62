-- Whoever may not read an incident does not read of it in events either (decision 0037). One statement: there are as many as
-- incidents were opened, closed and noted on in two years.
update events e set cap = 'internal_code' from event_targets t
where t.id = e.target_ref and t.source_id = -1 and t.kind = 'issue' and e.cap = 'issue';
