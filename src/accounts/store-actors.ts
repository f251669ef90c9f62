/** Statements that lock the actor of a change, and the session or token by which they act. */
import type { Queries } from "../platform/db.ts";
import { sql } from "../platform/sql.ts";

/** Holds people until the commit, in an order in which nobody waits for another in a circle; null: nobody. */
export function lockPeople(tx: Queries, ids: readonly (number | null)[]): Promise<number> {
  return tx.run(sql`select 1 as held from users where id = any (${ids}::bigint[]) order by id for share`);
}

/** Holds a person whose own row is to be changed: of two transactions that share it neither could change it. */
export function lockPersonAlone(tx: Queries, id: number): Promise<number> {
  return tx.run(sql`select 1 as held from users where id = ${id} for update`);
}

/** Keeps a session of this person from ending until the commit; 0: it has ended. */
export function lockLiveSession(tx: Queries, digest: Buffer, userId: number): Promise<number> {
  return tx.run(
    sql`select 1 as held from sessions
      where digest = ${digest} and user_id = ${userId} and expires_at > now() for key share`,
  );
}

/** Whether a token of this person still counts, and they may sign in; whoever ends all of theirs is waited for before. */
export function lockLiveToken(tx: Queries, id: number, userId: number): Promise<number> {
  return tx.run(
    sql`select 1 as held from access_tokens t join users u on u.id = t.user_id
      where t.id = ${id} and t.user_id = ${userId} and u.state = 'active' and t.revoked_at is null
        and (t.expires_at is null or t.expires_at > now()) for key share of t`,
  );
}
