-- `outbox_deliveries_unsent` serves what this index did. By itself, since this takes a stronger lock than 0106, whose indexes would
-- be made again at each try.
drop index outbox_deliveries_due;
