/** Statements about feed tokens. */
import type { Queries } from "../platform/db.ts";
import { boolean, bytes, instant, integer, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

const SealedRow = row({ sealed: bytes });

/** A token as it is stored. */
interface NewFeedToken {
  digest: Buffer;
  sealed: Buffer;
}

/** A person's token, sealed. */
export function findFeedToken(db: Queries, userId: number) {
  return db.find(SealedRow, sql`select sealed from event_feed_tokens where user_id = ${userId}`);
}

/** Inserts the token unless there is one; returns the one that is stored. */
export function ensureFeedToken(db: Queries, userId: number, { digest, sealed }: NewFeedToken) {
  return db.one(
    SealedRow,
    sql`insert into event_feed_tokens as t (user_id, digest, sealed) values (${userId}, ${digest}, ${sealed})
      on conflict (user_id) do update set created_at = t.created_at returning sealed`,
  );
}

/** Replaces the token. */
export function replaceFeedToken(db: Queries, userId: number, { digest, sealed }: NewFeedToken) {
  return db.run(
    sql`insert into event_feed_tokens (user_id, digest, sealed) values (${userId}, ${digest}, ${sealed})
      on conflict (user_id) do update set digest = excluded.digest, sealed = excluded.sealed, created_at = now()`,
  );
}

/** The user of a feed token; blocked users read no feeds. */
export function findFeedReader(db: Queries, digest: Buffer) {
  return db.find(
    row({ id: integer, isAdmin: boolean }),
    sql`select u.id, u.is_admin from event_feed_tokens t join users u on u.id = t.user_id
      where t.digest = ${digest} and u.state = 'active'`,
  );
}

/** Deletes a token; returns whose it was. */
export function deleteFeedToken(tx: Queries, digest: Buffer) {
  return tx.find(
    row({ userId: integer }),
    sql`delete from event_feed_tokens where digest = ${digest} returning user_id`,
  );
}

/** Deletes the token of a person; feeds answer 401 to it from then on. */
export function deleteFeedTokenOf(tx: Queries, userId: number): Promise<number> {
  return tx.run(sql`delete from event_feed_tokens where user_id = ${userId}`);
}

/** When a person's token was made; undefined: they have none. */
export function findFeedTokenAge(db: Queries, userId: number) {
  return db.find(
    row({ createdAt: instant }),
    sql`select created_at from event_feed_tokens where user_id = ${userId}`,
  );
}

/** The projects in which a person has a role, by path; at most `most`. */
export function listFeedProjects(db: Queries, userId: number, most: number) {
  return db.many(
    row({ fullPath: text }),
    sql`select p.full_path from project_roles r join projects p on p.id = r.project_id
      where r.user_id = ${userId} order by p.full_path limit ${most}`,
  );
}
