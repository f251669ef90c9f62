/** Statements about channels, and about the data of their messages. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { instant, integer, jsonb, list, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { ALERT_STATUSES } from "./alert.ts";
import { type Channel, type ChannelFields, type ChannelKind, ChannelRow } from "./channel.ts";
import { SEVERITIES } from "./severity.ts";

const columns = sql`id, project_id, name, kind, active, recipients, user_ids, url_sealed, url_host, secret_sealed,
  severities, events, integration_ids, created_at, updated_at`;

export function listChannels(db: Queries, projectId: number): Promise<Channel[]> {
  return db.many(
    ChannelRow,
    sql`select ${columns} from alert_channels where project_id = ${projectId} order by id limit 100`,
  );
}

/** Lists the active channels of several projects. */
export function listActiveChannels(db: Queries, projectIds: readonly number[]): Promise<Channel[]> {
  return db.many(
    ChannelRow,
    sql`select ${columns} from alert_channels where project_id = any (${projectIds}::bigint[]) and active order by id`,
  );
}

const channel = (projectId: number, id: number): Sql =>
  sql`select ${columns} from alert_channels where project_id = ${projectId} and id = ${id}`;

export function findChannel(db: Queries, projectId: number, id: number): Promise<Channel | undefined> {
  return db.find(ChannelRow, channel(projectId, id));
}

/** Returns a channel and locks it until the transaction ends. */
export function lockChannel(tx: Queries, projectId: number, id: number): Promise<Channel | undefined> {
  return tx.find(ChannelRow, sql`${channel(projectId, id)} for no key update`);
}

/** A sealed address, and the sealed secret that signs the messages sent there. */
export interface Target {
  url: Buffer | null;
  host: string | null;
  secret: Buffer | null;
}

export function insertChannel(
  db: Queries,
  projectId: number,
  kind: ChannelKind,
  one: ChannelFields,
  target: Target,
): Promise<Channel> {
  return db.one(
    ChannelRow,
    sql`insert into alert_channels (project_id, name, kind, active, recipients, user_ids, url_sealed, url_host,
        secret_sealed, severities, events, integration_ids)
      values (${projectId}, ${one.name}, ${kind}, ${one.active}, ${one.recipients}::text[], ${one.userIds}::bigint[],
        ${target.url}, ${target.host}, ${target.secret}, ${one.severities}::text[], ${one.events}::text[],
        ${one.integrationIds}::bigint[])
      returning ${columns}`,
  );
}

/** Updates a channel; null in the target is unchanged. Returns undefined if the channel does not exist. */
export function updateChannel(
  db: Queries,
  projectId: number,
  id: number,
  one: ChannelFields,
  target: Target,
): Promise<Channel | undefined> {
  return db.find(
    ChannelRow,
    sql`update alert_channels set name = ${one.name}, active = ${one.active}, recipients = ${one.recipients}::text[],
        user_ids = ${one.userIds}::bigint[], url_sealed = coalesce(${target.url}::bytea, url_sealed),
        url_host = coalesce(${target.host}::text, url_host),
        secret_sealed = coalesce(${target.secret}::bytea, secret_sealed), severities = ${one.severities}::text[],
        events = ${one.events}::text[], integration_ids = ${one.integrationIds}::bigint[], updated_at = now()
      where project_id = ${projectId} and id = ${id}
      returning ${columns}`,
  );
}

export function deleteChannel(db: Queries, projectId: number, id: number): Promise<number> {
  return db.run(sql`delete from alert_channels where project_id = ${projectId} and id = ${id}`);
}

/** Counts how many of these integrations belong to the project. */
export function countIntegrationsOf(db: Queries, projectId: number, ids: readonly number[]): Promise<number> {
  return countOf(
    db,
    sql`select count(*) as n from alert_integrations
      where project_id = ${projectId} and id = any (${ids}::bigint[])`,
  );
}

/** What messages say of an alert. */
export const FactsRow = row({
  id: integer,
  projectId: integer,
  projectPath: text,
  projectName: text,
  iid: integer,
  title: text,
  description: nullable(text),
  severity: oneOf(SEVERITIES),
  status: oneOf(ALERT_STATUSES),
  service: nullable(text),
  environment: nullable(text),
  hosts: list(text),
  integrationId: nullable(integer),
  integrationName: nullable(text),
  runbookUrl: nullable(text),
  incidentIid: nullable(integer),
  recurrenceOf: nullable(integer),
  silenceId: nullable(integer),
  events: integer,
  startedAt: instant,
  endedAt: nullable(instant),
  payload: jsonb<unknown>(),
  assigneeIds: list(integer),
});
export type Facts = RowOf<typeof FactsRow>;

/** Lists the facts of alerts; `isBare`: without payloads, which only silences need. */
export function listFacts(db: Queries, alertIds: readonly number[], isBare: boolean): Promise<Facts[]> {
  return db.many(
    FactsRow,
    sql`select a.id, a.project_id, p.full_path as project_path, p.name as project_name, a.iid, a.title, a.description,
        a.severity, a.status, a.service, e.name as environment, a.hosts[1:50] as hosts, a.integration_id,
        g.name as integration_name, a.runbook_url, n.iid as incident_iid, r.iid as recurrence_of, a.silence_id,
        a.events, a.started_at, a.ended_at,
        ${isBare ? sql`null::json` : sql`coalesce(a.payload, a.first_payload)`} as payload,
        array(select user_id from alert_assignees s where s.alert_id = a.id) as assignee_ids
      from alerts a join projects p on p.id = a.project_id left join environments e on e.id = a.environment_id
      left join alert_integrations g on g.id = a.integration_id left join incidents n on n.id = a.incident_id
      left join alerts r on r.id = a.recurrence_of
      where a.id = any (${alertIds}::bigint[]) and not a.test`,
  );
}

export const ReaderRow = row({ id: integer, email: text, projectId: integer, maintains: integer });
export type Reader = RowOf<typeof ReaderRow>;

/**
 * Lists the active people with a mail address to whom a mail channel of these projects may write: Maintainers and Owners
 * (`maintains` is 1), those whom a channel names, and the assignees of these alerts. Other members, and projects without a
 * mail channel, are not read: this runs while the project is locked.
 */
export function listReaders(
  db: Queries,
  projectIds: readonly number[],
  alertIds: readonly number[],
): Promise<Reader[]> {
  const mail = sql`alert_channels c where c.project_id = any (${projectIds}::bigint[]) and c.kind = 'mail'`;
  return db.many(
    ReaderRow,
    sql`select u.id, u.email, r.project_id, case when r.access_level >= 40 then 1 else 0 end as maintains
      from project_roles r join users u on u.id = r.user_id
      where r.project_id = any (array(select c.project_id from ${mail})) and r.access_level >= 30
        and (r.access_level >= 40 or r.user_id = any (array(select unnest(c.user_ids) from ${mail}))
          or r.user_id = any (array(select user_id from alert_assignees where alert_id = any (${alertIds}::bigint[]))))
        and u.state = 'active' and not u.is_placeholder and u.email <> ''
      order by u.id`,
  );
}

export async function findUserIds(db: Queries, usernames: readonly string[]): Promise<number[]> {
  const found = await db.many(
    row({ id: integer }),
    sql`select id from users where lower(username) = any (${usernames.map((one) => one.toLowerCase())}::text[])
        and not is_placeholder order by id`,
  );
  return found.map(({ id }) => id);
}

export function listUsernames(db: Queries, ids: readonly number[]) {
  return db.many(
    row({ username: text }),
    sql`select username from users where id = any (${ids}::bigint[]) order by username`,
  );
}

/** Lists the people who have one of these mail addresses. */
export function listHolders(db: Queries, addresses: readonly string[]) {
  return db.many(
    row({ email: text, username: text }),
    sql`select email, username from users where not is_placeholder
        and lower(email) = any (${addresses.map((one) => one.toLowerCase())}::text[])`,
  );
}
