-- Programs may register themselves where the administrators let them (RFC 7591; decision 0196). Null: as the start configuration says.
alter table instance_settings add column allow_dynamic_registration boolean;

-- The network from which an application registered itself. Null: somebody registered it.
alter table applications add column registered_from text;
create index applications_registered_by_themselves on applications (id) where registered_from is not null;
