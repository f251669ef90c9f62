-- Rulers that speak to an Alertmanager say with every repeat how long to believe an alert (decision 0113).

-- Null: its sender says when it is over.
alter table alerts add column believed_until timestamptz(3);
-- Which of its rulers spoke of it; a start by another one of them is the same occurrence.
alter table alerts add column occurrence_sources text[] not null default '{}';
create index alerts_believed on alerts (believed_until) where believed_until is not null and status <> 'resolved';

-- When beliefs were last looked at: while the service was away nobody could repeat anything.
create table alert_belief_watch (one boolean primary key default true check (one), looked_at timestamptz(3) not null);
insert into alert_belief_watch (looked_at) values (now());
