/** Statements that lock the actor of a change, and the session or token by which they act. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, nullable, oneOf, type RowOf, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { BOTS, USER_STATES } from "./user.ts";

const columns = sql`id, is_admin, state, is_placeholder, bot`;
const RightsRow = row({
  id: integer,
  isAdmin: boolean,
  state: oneOf(USER_STATES),
  isPlaceholder: boolean,
  bot: nullable(oneOf(BOTS)),
});
export type Rights = RowOf<typeof RightsRow>;

/**
 * Locks people until the commit, ordered by id to avoid deadlocks, and returns what their accounts may do now; those that are gone
 * are missing. Null: nobody.
 */
export function lockRights(tx: Queries, ids: readonly (number | null)[]) {
  return tx.many(
    RightsRow,
    sql`select ${columns} from users where id = any (${ids}::bigint[]) order by id for share`,
  );
}

/**
 * Like `lockRights`, for people of whom some will be changed, with all administrators if one of them may be lost: rows that were
 * shared, or locked in another order, could not all be locked for the change.
 */
export function lockRightsAlone(tx: Queries, ids: readonly (number | null)[], withAdministrators: boolean) {
  const others = withAdministrators ? sql`or is_admin` : sql``;
  return tx.many(
    RightsRow,
    sql`select ${columns} from users where id = any (${ids}::bigint[]) ${others}
      order by id for no key update`,
  );
}

/** Locks a person whose own row will be changed: two transactions with a shared lock could not both upgrade it. */
export function lockPersonAlone(tx: Queries, id: number): Promise<number> {
  return tx.run(sql`select 1 as held from users where id = ${id} for update`);
}

/** Prevents a session of this person from ending until the commit; returns 0 if it has ended. */
export function lockLiveSession(tx: Queries, digest: Buffer, userId: number): Promise<number> {
  return tx.run(
    sql`select 1 as held from sessions
      where digest = ${digest} and user_id = ${userId} and expires_at > now() for key share`,
  );
}

/**
 * Whether a token of this person is still valid, and they may sign in. The caller holds a lock on the person, for which a
 * revocation of all their tokens waits.
 */
export function lockLiveToken(tx: Queries, id: number, userId: number): Promise<number> {
  return tx.run(
    sql`select 1 as held from access_tokens t join users u on u.id = t.user_id
      where t.id = ${id} and t.user_id = ${userId} and u.state = 'active' and t.revoked_at is null
        and (t.expires_at is null or t.expires_at > now()) for key share of t`,
  );
}
