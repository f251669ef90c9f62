/** Statements about feed tokens. */
import type { Queries } from "../platform/db.ts";
import { boolean, bytes, integer, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

const SealedRow = row({ sealed: bytes });

/** Keeps the token that is there; answers the one that holds. */
export function ensureFeedToken(db: Queries, userId: number, digest: Buffer, sealed: Buffer) {
  return db.one(
    SealedRow,
    sql`insert into event_feed_tokens as t (user_id, digest, sealed) values (${userId}, ${digest}, ${sealed})
      on conflict (user_id) do update set created_at = t.created_at returning sealed`,
  );
}

/** Puts another token in the place of the one before. */
export function replaceFeedToken(db: Queries, userId: number, digest: Buffer, sealed: Buffer) {
  return db.run(
    sql`insert into event_feed_tokens (user_id, digest, sealed) values (${userId}, ${digest}, ${sealed})
      on conflict (user_id) do update set digest = excluded.digest, sealed = excluded.sealed, created_at = now()`,
  );
}

/** Whose feed token this is; blocked users read no feeds. */
export function findFeedReader(db: Queries, digest: Buffer) {
  return db.find(
    row({ id: integer, isAdmin: boolean }),
    sql`select u.id, u.is_admin from event_feed_tokens t join users u on u.id = t.user_id
      where t.digest = ${digest} and u.state = 'active'`,
  );
}
