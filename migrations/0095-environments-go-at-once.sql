-- An environment that was deleted is missing where its alerts are read; setting them to null rewrote its whole past (decision 0229).
alter table alerts drop constraint alerts_environment_id_fkey;
