-- Administrators list everybody's personal tokens, which lie among millions of those that applications were given.
create index access_tokens_personal on access_tokens (id) where kind = 'personal';
