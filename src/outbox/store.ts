/** Statements of the outbox: deliveries and tries. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { integer, oneOf, row, text } from "../platform/row.ts";
import { joinSql, json, type Sql, sql } from "../platform/sql.ts";
import {
  type Attempt,
  AttemptRow,
  DELIVERY_STATES,
  type Delivery,
  DeliveryRow,
  type DeliveryState,
} from "./delivery.ts";
import type { Packed, SealedUrl } from "./message.ts";

const IdRow = row({ id: integer });

/** How many mails of a purpose a mailbox may get within so many seconds. */
export interface Flood {
  purpose: string;
  mailboxes: readonly string[];
  most: number;
  seconds: number;
}

/** Returns the ids of those that are new. */
export async function insertDeliveries(tx: Queries, messages: readonly Packed[]): Promise<number[]> {
  const records = messages.map((message) => ({
    channel: message.channel,
    target: message.target,
    content: message.content,
    sealed_url: message.sealedUrl?.toString("hex") ?? null,
    sealed_secret: message.sealedSecret?.toString("hex") ?? null,
    project_id: message.projectId,
    purpose: message.purpose,
    dedupe_key: message.dedupeKey,
  }));
  const rows = await tx.many(
    IdRow,
    sql`insert into outbox_deliveries
        (channel, target, content, sealed_url, sealed_secret, project_id, purpose, dedupe_key)
      select channel, target, content, decode(sealed_url, 'hex'), decode(sealed_secret, 'hex'), project_id, purpose,
        dedupe_key
      from json_to_recordset(${json(records)}) as given(channel text, target text, content json, sealed_url text,
        sealed_secret text, project_id bigint, purpose text, dedupe_key text)
      on conflict (purpose, dedupe_key) where dedupe_key is not null do nothing
      returning id`,
  );
  return rows.map(({ id }) => id);
}

/** Makes due what was written or tried at a time that has not come. */
export function updateDueAhead(db: Queries): Promise<number> {
  return db.run(
    sql`update outbox_deliveries d set due_at = date_trunc('milliseconds', now())
      where state = 'waiting' and due_at > now() and (created_at > now()
        or exists (select from outbox_attempts a where a.delivery_id = d.id and a.at > now()))`,
  );
}

/** How a try ended. */
export interface Ended {
  id: number;
  number: number;
  durationMs: number;
  status: number | null;
  error: string;
  isSent: boolean;
  isFinal: boolean;
  pauseSeconds: number;
}

/**
 * Records the try and decides the state of the delivery: sent, due again, or dead once its time is over. The secret words of a
 * mail are deleted unless it is due again. Undefined: the delivery is gone, or another process has taken it meanwhile.
 */
export async function recordAttempt(db: Queries, ended: Ended): Promise<DeliveryState | undefined> {
  const { id, number, durationMs, status, error, isSent, isFinal, pauseSeconds } = ended;
  const over = sql`case when ${isSent} then 'sent'
    when ${isFinal} or now() + make_interval(secs => ${pauseSeconds}) > give_up_at then 'dead' else 'waiting' end`;
  const found = await db.find(
    row({ state: oneOf(DELIVERY_STATES) }),
    sql`with noted as (
        insert into outbox_attempts (delivery_id, number, duration_ms, status, error)
        select id, ${number}, ${durationMs}, ${status}, ${error} from outbox_deliveries where id = ${id}
        on conflict (delivery_id, number) do nothing)
      update outbox_deliveries set state = ${over},
          finished_at = case when ${over} = 'waiting' then null else now() end,
          due_at = case when ${over} = 'waiting' then now() + make_interval(secs => ${pauseSeconds}) else due_at end,
          sealed_secret = case when channel = 'mail' and ${over} <> 'waiting' then null else sealed_secret end
        where id = ${id} and attempts = ${number} and state = 'waiting'
        returning state`,
  );
  return found?.state;
}

const deliveryColumns = sql`d.id, d.message_id, d.channel, d.target,
  coalesce(d.content ->> 'subject', d.content ->> 'event', d.content -> 'body' ->> 'text', '') as title,
  d.project_id, d.purpose, d.state, d.attempts, d.due_at, d.created_at, d.finished_at,
  last.status as last_status, last.error as last_error`;
const lastAttempt = sql`left join lateral (
  select status, error from outbox_attempts a where a.delivery_id = d.id order by number desc limit 1) last on true`;

/** Which deliveries to list; absent members do not restrict. */
export interface DeliveryFilter {
  id?: number | undefined;
  projectId?: number | undefined;
  purpose?: string | undefined;
  state?: DeliveryState | undefined;
}

const conditions = ({ id, projectId, purpose, state }: DeliveryFilter): Sql =>
  joinSql(
    [
      id !== undefined && sql`d.id = ${id}`,
      projectId !== undefined && sql`d.project_id = ${projectId}`,
      purpose !== undefined && sql`d.purpose = ${purpose}`,
      state !== undefined && sql`d.state = ${state}`,
    ],
    " and ",
  );

/** Newest first. */
export function listDeliveries(
  db: Queries,
  filter: DeliveryFilter,
  page: { limit: number; offset: number },
): Promise<Delivery[]> {
  return db.many(
    DeliveryRow,
    sql`select ${deliveryColumns} from outbox_deliveries d ${lastAttempt} where ${conditions(filter)}
      order by d.id desc limit ${page.limit} offset ${page.offset}`,
  );
}

export function countDeliveries(db: Queries, filter: DeliveryFilter): Promise<number> {
  return countOf(db, sql`select count(*) as n from outbox_deliveries d where ${conditions(filter)}`);
}

/** The tries of a delivery, the newest first. */
export function listAttempts(db: Queries, deliveryId: number): Promise<Attempt[]> {
  return db.many(
    AttemptRow,
    sql`select number, at, duration_ms, status, error from outbox_attempts where delivery_id = ${deliveryId}
      order by number desc limit 100`,
  );
}

/** Where messages go, and the secrets that sign them, sealed; absent members stay as they are. */
export interface Address {
  url?: SealedUrl | undefined;
  secret?: Buffer | undefined;
}

const addressed = ({ url, secret }: Address): Sql => sql`target = coalesce(${url?.host ?? null}, target),
  sealed_url = coalesce(${url?.sealed ?? null}, sealed_url), sealed_secret = coalesce(${secret ?? null}, sealed_secret)`;

/** Makes a delivery due now and gives it another 24 hours; 0 when there is none, or when it is a mail. */
export function restartDelivery(
  db: Queries,
  id: number,
  filter: DeliveryFilter,
  address: Address,
): Promise<number> {
  return db.run(
    sql`update outbox_deliveries d set state = 'waiting', finished_at = null, due_at = date_trunc('milliseconds', now()),
        give_up_at = now() + interval '24 hours', ${addressed(address)}
      where d.id = ${id} and ${conditions(filter)} and d.channel <> 'mail'`,
  );
}

/** Rows per statement: one for all could exceed the time limit. */
const AT_ONCE = 5000;

/**
 * Deletes some deliveries of this purpose that wait; 0: none are left. Waits for processes that are just taking one, since it
 * would be sent otherwise if its try fails.
 */
export function deleteWaiting(db: Queries, purpose: string): Promise<number> {
  return db.run(
    sql`delete from outbox_deliveries where state = 'waiting' and id in (
        select id from outbox_deliveries where purpose = ${purpose} and state = 'waiting' limit ${AT_ONCE})`,
  );
}

/** Gives some deliveries of this purpose that wait another address; 0: none are left. */
export function updateWaiting(db: Queries, purpose: string, address: Address): Promise<number> {
  const { url, secret } = address;
  return db.run(
    sql`update outbox_deliveries set ${addressed(address)} where state = 'waiting' and id in (
        select id from outbox_deliveries where purpose = ${purpose} and state = 'waiting'
          and (sealed_url is distinct from coalesce(${url?.sealed ?? null}, sealed_url)
            or sealed_secret is distinct from coalesce(${secret ?? null}, sealed_secret))
        limit ${AT_ONCE})`,
  );
}

/** Which mailboxes got at least `most` mails of this purpose, with a `dedupeKey`, in the last so many seconds. */
export async function listFlooded(
  db: Queries,
  { purpose, mailboxes, most, seconds }: Flood,
): Promise<string[]> {
  const found = await db.many(
    row({ mailbox: text }),
    sql`select given.mailbox from unnest(${mailboxes}::text[]) given (mailbox)
      where (select count(*) from (
          select from outbox_deliveries where channel = 'mail' and dedupe_key is not null and target = given.mailbox
            and created_at > now() - make_interval(secs => ${seconds}) and purpose = ${purpose}
          limit ${most}) lately) >= ${most}::bigint`,
  );
  return found.map(({ mailbox }) => mailbox);
}

/** How many wait, how many seconds the oldest is overdue, and how many were given up lately. */
export function findOutboxLoad(db: Queries) {
  return db.one(
    row({ waiting: integer, dead: integer, lateSeconds: integer }),
    sql`select count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'dead') as dead,
        coalesce(floor(extract(epoch from now() - min(due_at) filter (where state = 'waiting' and due_at < now()))),
          0)::int as late_seconds
      from outbox_deliveries where state <> 'sent'`,
  );
}

/** Deletes up to 5,000 deliveries that finished more than so many days ago; returns how many. */
export function deleteFinished(db: Queries, days: number): Promise<number> {
  return db.run(
    sql`delete from outbox_deliveries where id in (
        select id from outbox_deliveries where finished_at < now() - make_interval(days => ${days})
        order by finished_at limit 5000)`,
  );
}
