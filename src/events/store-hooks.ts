/** Statements about hooks and their positions. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Hook, HookRow } from "./hook.ts";
import type { Arrival } from "./position.ts";

const columns = sql`h.id, h.project_id, h.name, h.url_sealed, h.host, h.secret_sealed,
  coalesce(h.old_secret_until > now(), false) as signs_old, h.actions, h.target_types, h.confidential, h.active,
  h.read_in::text as read_in, h.read_id, h.created_by, h.created_at, h.updated_at`;

type Kept = Pick<
  Hook,
  "projectId" | "name" | "urlSealed" | "host" | "actions" | "targetTypes" | "confidential" | "active"
>;

type ChangedHook = { [Name in Exclude<keyof Kept, "projectId">]?: Kept[Name] | undefined };

/** Makes others who add a hook to this project wait until the transaction ends. */
export function lockHooksOf(tx: Queries, projectId: number): Promise<number> {
  return tx.run(sql`select from projects where id = ${projectId} for no key update`);
}

/**
 * Inserts a hook, which is sent what arrives from now on; undefined: the project has too many. Concurrent inserts only keep to
 * the limit if each holds the project's lock.
 */
export function insertHook(
  tx: Queries,
  hook: Kept & { secretSealed: Buffer; createdBy: number },
  most: number,
): Promise<Hook | undefined> {
  return tx.find(
    HookRow,
    sql`insert into event_hooks as h
        (project_id, name, url_sealed, host, secret_sealed, actions, target_types, confidential, active, created_by)
      select id, ${hook.name}, ${hook.urlSealed}, ${hook.host}, ${hook.secretSealed}, ${hook.actions}::text[],
        ${hook.targetTypes}::text[], ${hook.confidential}::boolean, ${hook.active}::boolean, ${hook.createdBy}::bigint
      from projects where id = ${hook.projectId}
        and (select count(*) from event_hooks o where o.project_id = ${hook.projectId}) < ${most}::bigint
      returning ${columns}`,
  );
}

/**
 * Changes a hook; undefined members stay as they are, and an empty name becomes the host. One that is enabled again is only sent
 * what arrives from then on.
 */
export function updateHook(tx: Queries, id: number, change: ChangedHook): Promise<Hook | undefined> {
  const { name, urlSealed, host, actions, targetTypes, confidential, active } = change;
  const address = sql`coalesce(${host ?? null}, h.host)`;
  return tx.find(
    HookRow,
    sql`update event_hooks h set url_sealed = coalesce(${urlSealed ?? null}, h.url_sealed), host = ${address},
        name = coalesce(nullif(coalesce(${name ?? null}, h.name), ''), ${address}),
        actions = coalesce(${actions ?? null}::text[], h.actions),
        target_types = coalesce(${targetTypes ?? null}::text[], h.target_types),
        confidential = coalesce(${confidential ?? null}::boolean, h.confidential),
        active = coalesce(${active ?? null}::boolean, h.active), updated_at = now(),
        read_in = case when ${active ?? null}::boolean and not h.active then pg_current_xact_id() else h.read_in end,
        read_id = case when ${active ?? null}::boolean and not h.active then 0 else h.read_id end
      where h.id = ${id} returning ${columns}`,
  );
}

/** For a day messages are signed with the old secret too, which follows the new one. */
export function updateSecret(db: Queries, id: number, secretSealed: Buffer): Promise<number> {
  return db.run(
    sql`update event_hooks set secret_sealed = ${secretSealed}, old_secret_until = now() + interval '1 day',
      updated_at = now() where id = ${id}`,
  );
}

export function deleteHook(db: Queries, id: number): Promise<number> {
  return db.run(sql`delete from event_hooks where id = ${id}`);
}

export function findHook(db: Queries, projectId: number, id: number): Promise<Hook | undefined> {
  return db.find(
    HookRow,
    sql`select ${columns} from event_hooks h where h.project_id = ${projectId} and h.id = ${id}`,
  );
}

export function listHooks(db: Queries, projectId: number): Promise<Hook[]> {
  return db.many(
    HookRow,
    sql`select ${columns} from event_hooks h where h.project_id = ${projectId} order by h.id`,
  );
}

/** Enabled hooks that have not come to all events of their project before the horizon. */
export function listBehind(db: Queries, horizon: string): Promise<{ id: number }[]> {
  return db.many(
    row({ id: integer }),
    sql`select h.id from event_hooks h where h.active and exists (
        select from events e where e.project_id = h.project_id and (e.arrived_in, e.id) > (h.read_in, h.read_id)
          and e.arrived_in < ${horizon}::xid8)
      order by h.id`,
  );
}

/** Locks the hook, if it is enabled and not locked by others. */
export function lockHook(tx: Queries, id: number): Promise<Hook | undefined> {
  return tx.find(
    HookRow,
    sql`select ${columns} from event_hooks h where h.id = ${id} and h.active for no key update of h skip locked`,
  );
}

/** Locks the hook until the transaction ends. */
export function holdHook(tx: Queries, id: number): Promise<Hook | undefined> {
  return tx.find(
    HookRow,
    sql`select ${columns} from event_hooks h where h.id = ${id} for no key update of h`,
  );
}

export function updatePosition(
  tx: Queries,
  id: number,
  { transaction, id: eventId }: Arrival,
): Promise<number> {
  return tx.run(
    sql`update event_hooks set read_in = ${transaction}::xid8, read_id = ${eventId}::bigint where id = ${id}`,
  );
}
