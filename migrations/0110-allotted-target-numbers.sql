-- The numbers that the service allots to targets begin where no sender numbers anything: the small ones, of this sequence, were
-- also those of senders, and one target was taken for another (decision 0308). What was allotted before stays. A process of the
-- version before allots from here on as well, at once and also should the rest of this be rolled back; hence never set back.
select setval('event_target_numbers', 1000000000000) from event_target_numbers where last_value < 1000000000000;
