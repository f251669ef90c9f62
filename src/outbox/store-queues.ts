/** The statement by which a process takes what is due, from each queue in turn. */
import type { Queries } from "../platform/db.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Taken, TakenRow } from "./delivery.ts";

/** Queues that are looked at at once, and messages of these that are compared; where more wait, others are at the next time. */
const MOST_QUEUES = 1000;
const MOST_HEADS = 1000;
/** As in the index. */
const queue = sql`outbox_queue(channel, project_id, target, purpose) collate "C"`;

/** `due_at` is rounded to a millisecond, so what has just become due may seem to be due half of one later. */
const soon = sql`now() + interval '1 millisecond'`;

/** What may be taken. */
export interface Asked {
  /** At most so many mails about accounts. */
  accountMails: number;
  /** At most so many of all others; of these, mails of projects. */
  others: number;
  projectMails: number;
  /** Most tries at once for one target. */
  perTarget: number;
  /** Whose turn it was, and the target, of each try that is running, without mails about accounts. */
  busy: readonly { owner: string; target: string }[];
  /** One that is not finished by then counts as lost and is due again. */
  leaseSeconds: number;
}

/**
 * Takes deliveries that are due, each for one process: the oldest mails about accounts, and of all others those whose owner has
 * the fewest running tries (decision 0298). How many wait does not matter: of each queue only the oldest are read.
 */
export function takeDue(db: Queries, asked: Asked): Promise<Taken[]> {
  const { accountMails, others, projectMails, perTarget, busy, leaseSeconds } = asked;
  const owners = busy.map(({ owner }) => owner);
  const targets = busy.map(({ target }) => target);
  // Anywhere in the order of queues, so that each has its turn where there are more than are looked at.
  const from = Math.floor(Math.random() * 0x10000)
    .toString(16)
    .padStart(4, "0");
  const firstQueue = (where: Sql) =>
    sql`select ${queue} as key from outbox_deliveries where state = 'waiting' and ${where} order by 1 limit 1`;
  return db.many(
    TakenRow,
    sql`with recursive ahead as (
        (${firstQueue(sql`${queue} >= ${from} and ${others > 0}`)})
        union all
        select (${firstQueue(sql`${queue} > ahead.key`)}) from ahead where ahead.key is not null),
      behind as (
        (${firstQueue(sql`${queue} > '' and ${queue} < ${from} and ${others > 0}`)})
        union all
        select (${firstQueue(sql`${queue} > behind.key and ${queue} < ${from}`)}) from behind where behind.key is not null),
      heads as (
        select h.*, coalesce(h.project_id::text, case when h.is_mail then h.purpose else h.target end) as owner, random() as chance,
          row_number() over (partition by h.key order by h.due_at, h.id)
            + (select count(*) from unnest(${targets}::text[]) b where b = h.target) as of_queue
        from (select q.key, d.*
          from (select key from (select key from ahead union all select key from behind) both_ways
            where key is not null limit ${MOST_QUEUES}) q
          cross join lateral (select id, channel = 'mail' as is_mail, target, purpose, project_id, due_at from outbox_deliveries
            where state = 'waiting' and ${queue} = q.key and due_at <= ${soon} order by due_at limit ${perTarget}) d
          limit ${MOST_HEADS}) h),
      turns as (
        select *, row_number() over (partition by owner order by of_queue, due_at, id)
            + (select count(*) from unnest(${owners}::text[]) b where b = owner) as turn
        from heads where of_queue <= ${perTarget} and (not is_mail or ${projectMails > 0})),
      placed as (
        select id, is_mail, turn, chance, row_number() over (partition by is_mail order by turn, chance) as of_kind,
          row_number() over (partition by target order by turn, chance)
            + (select count(*) from unnest(${targets}::text[]) b where b = target) as of_target
        from turns),
      mails as (
        select id from outbox_deliveries where state = 'waiting' and ${queue} = '' and due_at <= ${soon}
        order by due_at limit ${accountMails} for update skip locked),
      rest as (
        select d.id from placed p join outbox_deliveries d on d.id = p.id
        where p.of_target <= ${perTarget} and (not p.is_mail or p.of_kind <= ${projectMails})
          and d.state = 'waiting' and d.due_at <= ${soon}
        order by p.turn, p.chance limit ${others} for update of d skip locked)
      update outbox_deliveries d
      set attempts = attempts + 1, due_at = now() + make_interval(secs => ${leaseSeconds})
      from (select id from mails union all select id from rest) taken where d.id = taken.id
      returning d.id, message_id, channel, target, purpose, project_id, content, sealed_url, sealed_secret, attempts,
        now() as taken_at`,
  );
}
