-- By what people proved who they are, in the words of RFC 8176 (pwd, otp, hwk, swk), for the claim amr; null where it is
-- not known: what began before, and accounts that were entered by a link.
alter table sessions add column authenticated_by text[];
alter table authorizations add column authenticated_by text[];
alter table device_authorizations add column authenticated_by text[];
