/** Statements about event sources, their deliveries, and the people of forges whom they name. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { lockName } from "../platform/lock-name.ts";
import { boolean, integer, nullable, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import {
  type Delivery,
  DeliveryRow,
  type KeptDelivery,
  KeptDeliveryRow,
  type Outsider,
  type Source,
  SourceRow,
  type SourceType,
} from "./source.ts";

const columns = sql`s.id, s.project_id, s.identifier, s.name, s.type, s.active, s.secret_sealed, s.secret_digest, s.created_by,
  s.repository, s.created_at, s.updated_at`;
const Id = row({ id: integer });

export interface NewSource {
  projectId: number;
  identifier: string;
  name: string;
  type: SourceType;
  secretSealed: Buffer;
  secretDigest: Buffer | null;
  createdBy: number;
}

export function insertSource(db: Queries, source: NewSource): Promise<Source> {
  return db.one(
    SourceRow,
    sql`insert into event_sources as s (project_id, identifier, name, type, secret_sealed, secret_digest, created_by)
      values (${source.projectId}, ${source.identifier}, ${source.name}, ${source.type}, ${source.secretSealed},
        ${source.secretDigest}, ${source.createdBy})
      returning ${columns}`,
  );
}

export function listSources(db: Queries, projectId: number, page: { limit: number; offset: number }) {
  return db.many(
    SourceRow,
    sql`select ${columns} from event_sources s where s.project_id = ${projectId} order by s.id
      limit ${page.limit} offset ${page.offset}`,
  );
}

export function countSources(db: Queries, projectId: number): Promise<number> {
  return countOf(db, sql`select count(*) as n from event_sources where project_id = ${projectId}`);
}

export function findSource(db: Queries, projectId: number, id: number): Promise<Source | undefined> {
  return db.find(
    SourceRow,
    sql`select ${columns} from event_sources s where s.project_id = ${projectId} and s.id = ${id}`,
  );
}

const ReceivingRow = row({ ...SourceRow.columns, isReadOnly: boolean });

/** The source of a receive address, if it is enabled, and whether its project takes no new events. */
export function findActiveSource(db: Queries, projectId: number, identifier: string) {
  return db.find(
    ReceivingRow,
    sql`select ${columns}, p.archived as is_read_only from event_sources s join projects p on p.id = s.project_id
      where s.identifier = ${identifier} and s.project_id = ${projectId} and s.active`,
  );
}

/** Undefined members stay as they are. */
export function updateSource(
  db: Queries,
  id: number,
  change: {
    name?: string | undefined;
    active?: boolean | undefined;
    secretSealed?: Buffer | undefined;
    secretDigest?: Buffer | null;
  },
): Promise<number> {
  return db.run(
    sql`update event_sources set name = coalesce(${change.name ?? null}, name),
      active = coalesce(${change.active ?? null}, active),
      secret_sealed = coalesce(${change.secretSealed ?? null}, secret_sealed),
      secret_digest = case when ${change.secretSealed ?? null}::bytea is null then secret_digest
        else ${change.secretDigest ?? null} end, updated_at = now()
      where id = ${id}`,
  );
}

/** Stores the digest of a secret that is older than its digest, unless the secret was replaced meanwhile. */
export function updateSecretDigest(
  db: Queries,
  { id, secretSealed }: Source,
  digest: Buffer,
): Promise<number> {
  return db.run(
    sql`update event_sources set secret_digest = ${digest} where id = ${id} and secret_sealed = ${secretSealed}`,
  );
}

/** Returns the repository of a source, which is this one if it had none. */
export async function claimRepository(
  db: Queries,
  id: number,
  repository: string,
): Promise<string | undefined> {
  const claimed = await db.find(
    row({ repository: text }),
    sql`update event_sources set repository = coalesce(repository, ${repository}) where id = ${id} returning repository`,
  );
  return claimed?.repository;
}

/** The source whose secret this is, with its project. */
export function findLeakedSource(db: Queries, digest: Buffer) {
  return db.find(
    row({ projectId: integer, project: text, name: text }),
    sql`select p.id as project_id, p.full_path as project, s.name from event_sources s join projects p on p.id = s.project_id
      where s.secret_digest = ${digest} limit 1`,
  );
}

/** Deletes some deliveries of a source; fewer than `most`: none are left. */
export function deleteDeliveriesOfSource(db: Queries, id: number, most: number): Promise<number> {
  return deleteSome(db, sql`event_deliveries`, sql`source_id = ${id}`, most);
}

export function deleteSource(db: Queries, id: number): Promise<number> {
  return db.run(sql`delete from event_sources where id = ${id}`);
}

/** The logins of the sources' identities in lower case, as they are compared, and as they were given. */
export function listIdentities(db: Queries, sourceIds: readonly number[]) {
  return db.many(
    row({ sourceId: integer, login: text, told: text, userId: integer }),
    sql`select source_id, login, coalesce(told, login) as told, user_id from event_source_identities
      where source_id = any (${sourceIds}::bigint[]) order by login`,
  );
}

/** Replaces all identities of a source; returns how many of them were known users. */
export async function replaceIdentities(
  db: Queries,
  sourceId: number,
  identities: Readonly<Record<string, number>>,
): Promise<number> {
  await db.run(sql`delete from event_source_identities where source_id = ${sourceId}`);
  const given = Object.entries(identities).map(([login, user_id]) => ({
    login: login.toLowerCase(),
    told: login,
    user_id,
  }));
  return db.run(
    sql`insert into event_source_identities (source_id, login, told, user_id)
      select ${sourceId}, i.login, i.told, u.id
      from json_to_recordset(${json(given)}) as i (login text, told text, user_id bigint) join users u on u.id = i.user_id`,
  );
}

/**
 * The user that a person of a forge is in a project: as the source's maintainer mapped them, else by a granted claim, for the
 * project or for all unless the project refused it, else the placeholder. `outsiderId`: the placeholder; null if the maintainer
 * mapped the person.
 */
export function findAuthor(
  db: Queries,
  { sourceId, projectId }: { sourceId: number; projectId: number },
  outsider: Outsider,
) {
  const login = outsider.login.toLowerCase();
  return db.find(
    row({ id: integer, outsiderId: nullable(integer) }),
    sql`select id, outsider_id from (
      select 1 as rank, user_id as id, null::bigint as outsider_id from event_source_identities
        where source_id = ${sourceId} and login = ${login}
      union all
      select 2, coalesce(claimed.user_id, o.user_id), o.user_id
      from event_outsiders o left join lateral (
        select c.user_id from event_claim_answers a join event_claims c on c.id = a.claim_id
        where a.outsider_id = o.user_id and a.state = 'granted' and (a.project_id = ${projectId} or (a.project_id is null
          and not exists (select from event_claim_answers own
            where own.claim_id = a.claim_id and own.project_id = ${projectId} and own.state <> 'granted')))
        order by a.project_id nulls last limit 1) claimed on true
      where o.host = ${outsider.host} and o.login = ${login}) found
      order by rank limit 1`,
  );
}

/** Makes others who ask for the same person of a forge wait until the transaction ends. */
export function lockOutsider(db: Queries, { host, login }: Outsider): Promise<number> {
  return lockName(db, `outsider ${host} ${login.toLowerCase()}`);
}

export function insertOutsider(db: Queries, { host, login }: Outsider, userId: number): Promise<number> {
  return db.run(
    sql`insert into event_outsiders (host, login, user_id) values (${host}, ${login.toLowerCase()}, ${userId})`,
  );
}

/** Inserts a delivery; undefined if it was inserted before. Waits for a transaction that is just inserting it. */
export function insertDelivery(
  db: Queries,
  delivery: { sourceId: number; deliveryId: string; kind: string; reason: string | null } & KeptDelivery,
): Promise<{ id: number } | undefined> {
  return db.find(
    Id,
    sql`insert into event_deliveries (source_id, delivery_id, kind, raw, headers, status, reason)
      values (${delivery.sourceId}, ${delivery.deliveryId}, ${delivery.kind},
        ${delivery.raw}, ${json(delivery.headers)}, ${delivery.reason === null ? "accepted" : "ignored"}, ${delivery.reason})
      on conflict do nothing returning id`,
  );
}

/** Stores the outcome of a delivery: its events, or none and the reason. */
export function updateDelivery(db: Queries, id: number, eventIds: readonly number[], reason: string | null) {
  return db.run(
    sql`update event_deliveries set event_ids = ${eventIds}::bigint[], reason = ${reason},
      status = ${reason === null ? "accepted" : "ignored"} where id = ${id}`,
  );
}

/** A delivery with its body and headers. */
export function findKeptDelivery(db: Queries, sourceId: number, id: number) {
  return db.find(
    KeptDeliveryRow,
    sql`select ${deliveryColumns}, raw, headers from event_deliveries where source_id = ${sourceId} and id = ${id}`,
  );
}

/**
 * Locks a delivery until the transaction ends, and returns it with its body and headers. Undefined: not of this source, or gone.
 */
export function lockDelivery(db: Queries, sourceId: number, id: number) {
  return db.find(
    KeptDeliveryRow,
    sql`select ${deliveryColumns}, raw, headers from event_deliveries where source_id = ${sourceId} and id = ${id} for update`,
  );
}

const deliveryColumns = sql`id, delivery_id, kind, status, reason, event_ids, received_at`;

export function findDelivery(
  db: Queries,
  sourceId: number,
  deliveryId: string,
): Promise<Delivery | undefined> {
  return db.find(
    DeliveryRow,
    sql`select ${deliveryColumns} from event_deliveries where source_id = ${sourceId} and delivery_id = ${deliveryId}`,
  );
}

/** Newest first. */
export function listDeliveries(db: Queries, sourceId: number, page: { limit: number; offset: number }) {
  return db.many(
    DeliveryRow,
    sql`select ${deliveryColumns} from event_deliveries where source_id = ${sourceId} order by id desc
      limit ${page.limit} offset ${page.offset}`,
  );
}

export function countDeliveries(db: Queries, sourceId: number): Promise<number> {
  return countOf(db, sql`select count(*) as n from event_deliveries where source_id = ${sourceId}`);
}
