-- A role is looked up from the project or group, by what lies around it, and from the person, by what lies below each of
-- their memberships: the two conditions say the same, and each has an index.
create or replace view project_roles as
select project_id, user_id, max(access_level)::integer as access_level
from (
  select m.project_id, m.user_id, m.access_level
  from members m
  where m.project_id is not null and (m.expires_at is null or m.expires_at > now())
  union all
  select p.id, m.user_id, m.access_level
  from projects p
  join members m on m.namespace_id = any (p.lineage) and p.lineage @> array[m.namespace_id]
  where m.expires_at is null or m.expires_at > now()
  union all
  select p.id, n.owner_id, 50
  from projects p
  join namespaces n on n.id = p.namespace_id
  where n.owner_id is not null
) roles
group by project_id, user_id;

-- The same of groups: direct and inherited.
create view group_roles as
select n.id as namespace_id, m.user_id, max(m.access_level)::integer as access_level
from namespaces n
join members m on m.namespace_id = any (n.lineage) and n.lineage @> array[m.namespace_id]
where m.expires_at is null or m.expires_at > now()
group by n.id, m.user_id;
