/** The statement by which a process takes what is due, from each queue in turn. */
import type { Queries } from "../platform/db.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Taken, TakenRow } from "./delivery.ts";

/** Queues that are looked at at once, and messages of these that are compared; where more wait, others are at the next time. */
const MAX_QUEUES = 1000;
const MAX_HEADS = 1000;
/** Fewer of notices, of which only a few are sent at once. */
const MAX_MAILBOXES = 250;
/** As in the index. */
const queue = sql`outbox_turn(channel, project_id, target, purpose, sealed_secret is not null) collate "C"`;

/**
 * Whose turn a message is: its project's, or that of notices of deletions; of sign-outs that of the person whose session ended
 * (decision 0318); of anything else that of its target.
 */
const owner = sql`coalesce(project_id::text, case channel when 'mail' then purpose
  when 'logout' then 'person ' || (content->>'user_id') end, target)`;

/** `due_at` is rounded to a millisecond, so what has just become due may seem to be due half of one later. */
const soon = sql`now() + interval '1 millisecond'`;

/** What may be taken. */
export interface Asked {
  /** At most so many mails with links. */
  linkMails: number;
  /** At most so many notices, that is other mails of no project. */
  notices: number;
  /** At most so many of all others; of these, mails of projects, and notices of sign-outs. */
  others: number;
  projectMails: number;
  logouts: number;
  /** Most tries at once for one target. */
  perTarget: number;
  /** Whose turn it was, and the target, of each try of the others that is running. */
  busy: readonly { owner: string; target: string }[];
  /** The target of each notice that is being sent. */
  busyNotices: readonly string[];
  /** One that is not finished by then counts as lost and is due again. */
  leaseSeconds: number;
}

/** Queues between two keys, which are looked at from anywhere between them, so that each has its turn where there are very many. */
interface Range {
  low: string;
  from: string;
  below: string;
  /** At most so many; 0: none is looked for. */
  most: number;
}

/**
 * Takes deliveries that are due, each for one process: the oldest mails with links, the notices to those to whom the fewest are
 * being sent, and of all others those whose owner has the fewest running tries (decisions 0298, 0306, 0318). How many wait does
 * not matter: of each queue only the oldest are read.
 */
export function takeDue(db: Queries, asked: Asked): Promise<Taken[]> {
  const { linkMails, notices, others, projectMails, logouts, perTarget, leaseSeconds } = asked;
  const { busy, busyNotices } = asked;
  const owners = busy.map((one) => one.owner);
  const targets = busy.map(({ target }) => target);
  const [place, mailbox] = [anywhere(), anywhere()];
  // queues, mailboxes: the names of queues, and of mailboxes with notices, in which something waits.
  // heads: the oldest of each queue; `of_queue` numbers them, after the running tries for their target.
  // turns: `turn` numbers those of one owner, after the owner's running tries: whoever has the lowest is next.
  // placed: `of_channel` numbers those of one channel, `of_target` those for one target, for the limits of both.
  // noticed: the oldest notices of each mailbox, numbered after those that are being sent to it.
  // links, notices, rest: what is taken, and locked; what another process is taking is passed over.
  return db.many(
    TakenRow,
    sql`with recursive
      ${queuesIn(sql`queues`, { low: "0", from: place, below: "g", most: others > 0 ? MAX_QUEUES : 0 })},
      ${queuesIn(sql`mailboxes`, { low: "n", from: `n${mailbox}`, below: "o", most: notices > 0 ? MAX_MAILBOXES : 0 })},
      heads as (
        select h.*, random() as chance,
          row_number() over (partition by h.key order by h.due_at, h.id)
            + (select count(*) from unnest(${targets}::text[]) b where b = h.target) as of_queue
        from (${headsOf(sql`queues`, perTarget)}) h),
      turns as (
        select *, row_number() over (partition by owner order by of_queue, due_at, id)
            + (select count(*) from unnest(${owners}::text[]) b where b = owner) as turn
        from heads where of_queue <= ${perTarget} and (channel <> 'mail' or ${projectMails > 0})
          and (channel <> 'logout' or ${logouts > 0})),
      placed as (
        select id, channel, turn, chance, row_number() over (partition by channel order by turn, chance) as of_channel,
          row_number() over (partition by target order by turn, chance)
            + (select count(*) from unnest(${targets}::text[]) b where b = target) as of_target
        from turns),
      noticed as (
        select id, random() as chance, row_number() over (partition by key order by due_at, id)
            + (select count(*) from unnest(${busyNotices}::text[]) b where b = target) as turn
        from (${headsOf(sql`mailboxes`, notices)}) h),
      links as (
        select id from outbox_deliveries where state = 'waiting' and ${queue} = '' and due_at <= ${soon}
        order by due_at limit ${linkMails} for update skip locked),
      notices as (
        select d.id from noticed n join outbox_deliveries d on d.id = n.id
        where d.state = 'waiting' and d.due_at <= ${soon}
        order by n.turn, n.chance limit ${notices} for update of d skip locked),
      rest as (
        select d.id from placed p join outbox_deliveries d on d.id = p.id
        where p.of_target <= ${perTarget} and (p.channel <> 'mail' or p.of_channel <= ${projectMails})
          and (p.channel <> 'logout' or p.of_channel <= ${logouts})
          and d.state = 'waiting' and d.due_at <= ${soon}
        order by p.turn, p.chance limit ${others} for update of d skip locked)
      update outbox_deliveries d
      set attempts = attempts + 1, due_at = now() + make_interval(secs => ${leaseSeconds})
      from (select id from links union all select id from notices union all select id from rest) taken where d.id = taken.id
      returning d.id, message_id, channel, target, purpose, project_id, ${owner} as owner, content, sealed_url, sealed_secret,
        attempts, now() as taken_at, give_up_at <= now() as is_too_late`,
  );
}

/** The first digits of a hash. */
function anywhere(): string {
  return Math.floor(Math.random() * 0x10000)
    .toString(16)
    .padStart(4, "0");
}

/** The keys of the queues in which something waits, each found by one step in the index. */
function queuesIn(name: Sql, { low, from, below, most }: Range): Sql {
  const isWanted = most > 0;
  const first = (where: Sql) =>
    sql`select ${queue} as key from outbox_deliveries where state = 'waiting' and ${where} order by 1 limit 1`;
  return sql`${name}_ahead as (
      (${first(sql`${queue} >= ${from} and ${queue} < ${below} and ${isWanted}`)})
      union all
      select (${first(sql`${queue} > a.key and ${queue} < ${below}`)}) from ${name}_ahead a where a.key is not null),
    ${name}_behind as (
      (${first(sql`${queue} >= ${low} and ${queue} < ${from} and ${isWanted}`)})
      union all
      select (${first(sql`${queue} > b.key and ${queue} < ${from}`)}) from ${name}_behind b where b.key is not null),
    ${name} as not materialized (
      select key from (select key from ${name}_ahead union all select key from ${name}_behind) both_ways
      where key is not null limit ${most})`;
}

/** The oldest of each queue that are due. */
function headsOf(queues: Sql, each: number): Sql {
  return sql`select q.key, d.* from ${queues} q
    cross join lateral (select id, channel, target, ${owner} as owner, due_at from outbox_deliveries
      where state = 'waiting' and ${queue} = q.key and due_at <= ${soon} order by due_at limit ${each}) d
    limit ${MAX_HEADS}`;
}
