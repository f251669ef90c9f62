-- How a waiting device proved its application when it polled last: by a header, by the body, or by one right behind the other.
alter table device_authorizations add column polled_by text check (polled_by in ('header', 'body', 'both'));
