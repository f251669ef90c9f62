-- From which address a personal access token was used last: written with the time of that use, and forgotten 90 days after it
-- (decision 0193). Null: not used, not known any more, or a token of an application.
alter table access_tokens add column last_used_ip text;
-- When its owner was written to last about the end of a personal access token (decision 0193). Null: not yet.
alter table access_tokens add column end_told_at timestamptz(3);
