/** Statements about integrations and their endpoints. */
import { PLANS } from "../accounts/namespace.ts";
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import {
  boolean,
  bytes,
  integer,
  jsonb,
  list,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import type { EndpointAddress } from "./endpoint-address.ts";
import { INTEGRATION_TYPES, type Integration, IntegrationRow, type IntegrationType } from "./integration.ts";
import type { Mapping } from "./reading-rules.ts";
import { SIGNATURES, type SignatureKind } from "./signature.ts";
import type { ValueTables } from "./value-tables.ts";

export const EndpointRow = row({
  id: integer,
  projectId: integer,
  projectPath: text,
  type: oneOf(INTEGRATION_TYPES),
  name: text,
  active: boolean,
  /** Whether its project is archived or marked for deletion, and accepts nothing (decision 0153). */
  isReadOnly: boolean,
  strict: boolean,
  keyInAddress: boolean,
  mapping: jsonb<Mapping | null>(),
  valueTables: jsonb<ValueTables | null>(),
  groupBy: list(text),
  ignore: list(text),
  keyDigest: bytes,
  /** Null if there is none or it has expired. */
  oldKeyDigest: nullable(bytes),
  identifier: text,
  /** Null: its requests need no signature. */
  signature: nullable(oneOf(SIGNATURES)),
  signatureHeader: nullable(text),
  signatureSealed: nullable(bytes),
  plan: oneOf(PLANS),
  grouping: boolean,
  createIncident: boolean,
  /** The template for its incidents. */
  incidentTemplateId: nullable(integer),
  /** Whether its project has anything that recording must look up (decision 0096). */
  reaches: boolean,
});
export type Endpoint = RowOf<typeof EndpointRow>;

const endpointColumns = sql`i.id, i.project_id, p.full_path as project_path, i.type, i.name,
  i.active, p.archived as is_read_only, i.strict, i.key_in_address, i.mapping, i.value_tables, i.group_by, i.ignore, i.key_digest,
  case when i.old_key_until > now() then i.old_key_digest end as old_key_digest,
  i.identifier, i.signature, i.signature_header, i.signature_sealed,
  (select top.plan from namespaces top where top.id = coalesce(n.lineage[1], n.id)) as plan,
  coalesce(s.grouping, true) as grouping, coalesce(s.create_incident, true) as create_incident, s.incident_template_id,
  coalesce(s.reaches, false) as reaches`;
const endpoints = sql`alert_integrations i join projects p on p.id = i.project_id
  join namespaces n on n.id = p.namespace_id left join alert_settings s on s.project_id = p.id`;

/**
 * Lists the integrations behind an endpoint address: one by its identifier, or all metrics instances, or for an Alertmanager's
 * address all integrations.
 */
export function findEndpoints(
  db: Queries,
  { projectPath, identifier, isManager }: EndpointAddress,
): Promise<Endpoint[]> {
  const which = isManager
    ? sql`i.type <> 'external_tool'`
    : identifier === undefined
      ? sql`i.type = 'prometheus'`
      : sql`i.identifier = ${identifier} and i.type <> 'external_tool'`;
  return db.many(
    EndpointRow,
    sql`select ${endpointColumns} from ${endpoints}
      where p.id = coalesce((select id from projects where lower(full_path) = lower(${projectPath})),
          (select project_id from project_redirects where old_path = lower(${projectPath})))
        and ${which}`,
  );
}

/** Returns the integration whose current or previous key has this digest, for senders whose address names no project. */
export function findEndpointByKey(db: Queries, keyDigest: Buffer): Promise<Endpoint | undefined> {
  return db.find(
    EndpointRow,
    sql`select ${endpointColumns} from ${endpoints}
      where i.type <> 'external_tool'
        and (i.key_digest = ${keyDigest} or (i.old_key_digest = ${keyDigest} and i.old_key_until > now()))
      limit 1`,
  );
}

/** Returns the endpoint of an integration, for its test alerts. */
export function findEndpoint(db: Queries, projectId: number, id: number): Promise<Endpoint | undefined> {
  return db.find(
    EndpointRow,
    sql`select ${endpointColumns} from ${endpoints} where i.id = ${id} and i.project_id = ${projectId}`,
  );
}

const integrationColumns = sql`id, project_id, signature, signature_header, type, name, identifier, active, key_sealed,
  case when old_key_until > now() then old_key_until end as old_key_until, strict, key_in_address, api_url, alertmanager_url,
  payload_example, mapping, value_tables, group_by, ignore, last_received_at, created_at, updated_at`;

export function listIntegrations(
  db: Queries,
  projectId: number,
  page: { limit: number; offset: number },
): Promise<Integration[]> {
  return db.many(
    IntegrationRow,
    sql`select ${integrationColumns} from alert_integrations where project_id = ${projectId}
      order by id limit ${page.limit} offset ${page.offset}`,
  );
}

/**
 * Lists the integrations that a page lets people choose from: the first 100, active ones before others, and beyond these the
 * ones that it needs to know anyway: `chosen`, the generic endpoint and the link to an external tool.
 */
export function listOfferedIntegrations(
  db: Queries,
  projectId: number,
  chosen: readonly number[] = [],
): Promise<Integration[]> {
  return db.many(
    IntegrationRow,
    sql`select ${integrationColumns} from alert_integrations
      where project_id = ${projectId} and (id = any (${chosen}::bigint[]) or type in ('generic', 'external_tool')
        or id in (select id from alert_integrations where project_id = ${projectId} order by active desc, id limit 100))
      order by id`,
  );
}

/** Returns those of these integrations that the project still has. */
export function listIntegrationsAmong(
  db: Queries,
  projectId: number,
  ids: readonly number[],
): Promise<Pick<Integration, "id" | "name">[]> {
  return db.many(
    row({ id: integer, name: text }),
    sql`select id, name from alert_integrations
      where project_id = ${projectId} and id = any (${ids}::bigint[]) order by id`,
  );
}

export function countIntegrations(db: Queries, projectId: number): Promise<number> {
  return countOf(db, sql`select count(*) as n from alert_integrations where project_id = ${projectId}`);
}

export function findIntegration(
  db: Queries,
  projectId: number,
  id: number,
): Promise<Integration | undefined> {
  return db.find(
    IntegrationRow,
    sql`select ${integrationColumns} from alert_integrations where project_id = ${projectId} and id = ${id}`,
  );
}

/** The fields of an integration that can be set. */
export interface IntegrationFields {
  name: string;
  active: boolean;
  strict: boolean;
  /** Undefined: unchanged, at first off. */
  keyInAddress?: boolean;
  apiUrl: string | null;
  alertmanagerUrl: string | null;
  payloadExample: unknown;
  mapping?: Mapping | null;
  valueTables?: ValueTables | null;
  groupBy?: readonly string[];
  ignore?: readonly string[];
  /** Undefined: unchanged; null: requests need no signature. */
  signature?: SignatureKind | null;
  signatureHeader?: string | null;
  /** In plain text; undefined: unchanged. */
  signatureSecret?: string;
}

export interface NewIntegration extends IntegrationFields {
  projectId: number;
  type: IntegrationType;
  identifier: string;
  keyDigest: Buffer;
  keySealed: Buffer;
}

export function insertIntegration(db: Queries, one: NewIntegration): Promise<Integration> {
  return db.one(
    IntegrationRow,
    sql`insert into alert_integrations (project_id, type, name, identifier, active, key_digest, key_sealed, strict,
        key_in_address, api_url, alertmanager_url, payload_example, mapping, value_tables, group_by, ignore)
      values (${one.projectId}, ${one.type}, ${one.name}, ${one.identifier}, ${one.active}, ${one.keyDigest},
        ${one.keySealed}, ${one.strict}, ${one.keyInAddress ?? false}, ${one.apiUrl}, ${one.alertmanagerUrl},
        ${one.payloadExample === null ? null : json(one.payloadExample)}::json,
        ${one.mapping ? json(one.mapping) : null}::jsonb,
        ${one.valueTables ? json(one.valueTables) : null}::jsonb, ${one.groupBy ?? []}::text[], ${one.ignore ?? []}::text[])
      returning ${integrationColumns}`,
  );
}

/** Updates an integration; undefined if it does not exist. */
export function updateIntegration(
  db: Queries,
  projectId: number,
  id: number,
  one: IntegrationFields,
): Promise<Integration | undefined> {
  return db.find(
    IntegrationRow,
    sql`update alert_integrations set name = ${one.name}, active = ${one.active}, strict = ${one.strict},
        key_in_address = coalesce(${one.keyInAddress ?? null}::boolean, key_in_address),
        api_url = ${one.apiUrl}, alertmanager_url = ${one.alertmanagerUrl},
        payload_example = ${one.payloadExample === null ? null : json(one.payloadExample)}::json,
        mapping = ${one.mapping ? json(one.mapping) : null}::jsonb,
        value_tables = ${one.valueTables ? json(one.valueTables) : null}::jsonb, group_by = ${one.groupBy ?? []}::text[],
        ignore = ${one.ignore ?? []}::text[], updated_at = now()
      where project_id = ${projectId} and id = ${id}
      returning ${integrationColumns}`,
  );
}

/** Sets how requests must be signed; without a secret the current one stays. */
export function updateSignature(
  db: Queries,
  projectId: number,
  id: number,
  one: { kind: SignatureKind | null; header: string | null; sealed: Buffer | undefined },
): Promise<Integration> {
  return db.one(
    IntegrationRow,
    sql`update alert_integrations set signature = ${one.kind}, signature_header = ${one.header},
        signature_sealed = case when ${one.kind}::text is not null
          then coalesce(${one.sealed ?? null}::bytea, signature_sealed) end, updated_at = now()
      where project_id = ${projectId} and id = ${id}
      returning ${integrationColumns}`,
  );
}

/** Sets a new key; the current one works for `graceSeconds` more, and the one before it stops at once. */
export function replaceKey(
  db: Queries,
  projectId: number,
  id: number,
  key: { digest: Buffer; sealed: Buffer; graceSeconds: number },
): Promise<Integration | undefined> {
  return db.find(
    IntegrationRow,
    sql`update alert_integrations set
        old_key_digest = case when ${key.graceSeconds}::integer > 0 then key_digest end,
        old_key_until = case when ${key.graceSeconds}::integer > 0
          then now() + make_interval(secs => ${key.graceSeconds}::integer) end,
        key_digest = ${key.digest}, key_sealed = ${key.sealed}, updated_at = now()
      where project_id = ${projectId} and id = ${id}
      returning ${integrationColumns}`,
  );
}

export function deleteIntegration(db: Queries, projectId: number, id: number): Promise<number> {
  return db.run(sql`delete from alert_integrations where project_id = ${projectId} and id = ${id}`);
}

/** Counts what else is active in a project: external tools, and other integrations and heartbeats, which exclude each other. */
export function findActiveOthers(db: Queries, projectId: number, exceptId: number | null) {
  return db.one(
    row({ tools: integer, services: integer }),
    sql`select count(*) filter (where type = 'external_tool') as tools,
        count(*) filter (where type <> 'external_tool')
          + (select count(*) from alert_heartbeats where project_id = ${projectId} and active) as services
      from alert_integrations
      where project_id = ${projectId} and active and id is distinct from ${exceptId}::bigint`,
  );
}
