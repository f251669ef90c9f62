/** Statements about one sign-in by password: what is read before the hash is computed, and what is written after it. */
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { type Shared, sharedStatement } from "../platform/shared-statement.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { userColumns, usersWithNames } from "./store.ts";
import { countedLogin, networkWait, signInWait, triesLeft } from "./store-sign-in-failures.ts";
import { USER_STATES } from "./user.ts";

/** The login and origin of an attempt. */
export interface Attempt {
  /** Username or mail address. */
  login: string;
  network: string;
  /** Whether failures of the whole network count as well. */
  countsNetwork: boolean;
}

/** The person's columns are null for an unknown login, which runs the same statement. */
const AttemptRow = row({
  place: integer,
  waitSeconds: integer,
  id: nullable(integer),
  username: nullable(text),
  state: nullable(oneOf(USER_STATES)),
  twoFactor: nullable(boolean),
  isAdmin: nullable(boolean),
  passwordHash: nullable(text),
});

/** Finds how long the attempt must wait, and the person with the password hash; concurrent attempts share a statement. */
export const findAttempt = sharedStatement((db: Queries, attempts: readonly Attempt[]) => {
  const logins = attempts.map(({ login }) => login);
  const networks = attempts.map(({ network }) => network);
  const countsNetwork = attempts.some((attempt) => attempt.countsNetwork);
  return db.many(
    AttemptRow,
    sql`select k.place, u.id, u.username, u.state, u.two_factor, u.is_admin, u.password_hash,
        ${waitOf(sql`k.login`, sql`k.network`, countsNetwork)} as wait_seconds
      from unnest((select ${logins}::text[]), (select ${networks}::text[])) with ordinality as k (login, network, place)
        left join lateral (
          select ${userColumns}, u.password_hash from ${usersWithNames}
          where not u.is_placeholder and (lower(u.username) = lower(k.login) or lower(u.email) = lower(k.login))
          order by lower(u.username) = lower(k.login) desc limit 1) u on true`,
  );
});

/** What is granted in the statement that accepts an attempt. */
export interface Granting<G = unknown> {
  /**
   * CTEs for several attempts at once: they read `accepted (place, user_id)`, where the first place is 1, and end with `granted
   * (place, created_at)`. Must be the same function for the same purpose.
   */
  parts(given: readonly G[]): Sql;
  given: G;
}

export interface Settlement extends Attempt {
  userId: number;
  /** The hash that the password was compared with. */
  passwordHash: string;
  /** A second step is required, so the failures are not deleted yet. */
  owesMore: boolean;
}

const SettledRow = row({
  place: integer,
  waitSeconds: integer,
  accepted: boolean,
  grantedAt: nullable(instant),
});
type Settled = RowOf<typeof SettledRow>;
type Kept = Settlement & { given: unknown };

const nothing: Granting = {
  parts: () => sql`granted as (select place, now()::timestamptz(3) as created_at from accepted)`,
  given: undefined,
};
const settling = new WeakMap<Granting["parts"], Shared<Kept, Settled>>();

/**
 * Ends an attempt whose password was right, in one statement: checks the throttle again and, if there is no wait, deletes the
 * login's failures and grants what was asked for. Refuses a person whose password, state or second factor has changed since they
 * were read. Locks the person, so that turning on a second factor ends what was granted.
 */
export async function settleAttempt(
  db: Queries,
  settlement: Settlement,
  { parts, given }: Granting = nothing,
): Promise<Settled> {
  let settle = settling.get(parts);
  if (!settle) {
    settle = sharedStatement(
      (on: Queries, all: readonly Kept[]) => on.many(SettledRow, settled(all, parts)),
      { oneByOne: true },
    );
    settling.set(parts, settle);
  }
  const found = await settle(db, { ...settlement, given });
  return found ?? { place: 0, waitSeconds: 0, accepted: false, grantedAt: null };
}

function settled(all: readonly Kept[], parts: Granting["parts"]): Sql {
  const countsNetwork = all.some((kept) => kept.countsNetwork);
  return sql`with asked as (
      select k.*, ${waitOf(sql`k.login`, sql`k.network`, countsNetwork)} as wait_seconds
      from unnest((select ${all.map(({ login }) => login)}::text[]),
        (select ${all.map(({ network }) => network)}::text[]),
        (select ${all.map(({ userId }) => userId)}::bigint[]),
        (select ${all.map(({ owesMore }) => owesMore)}::boolean[]),
        (select ${all.map(({ passwordHash }) => passwordHash)}::text[]))
        with ordinality as k (login, network, user_id, owes_more, password_hash, place)),
    accepted as materialized (
      select asked.* from asked join users u on u.id = asked.user_id
      where u.state = 'active' and asked.wait_seconds = 0 and u.password_hash = asked.password_hash
        and (u.totp_confirmed_at is not null or u.passkeys > 0) = asked.owes_more
      for share of u),
    cleared as (
      delete from sign_in_failures f using accepted
      where f.login = ${countedLogin(sql`accepted.login`)} and f.network = accepted.network and not accepted.owes_more),
    ${parts(all.map(({ given }) => given))}
    select asked.place, asked.wait_seconds, accepted.place is not null as accepted, granted.created_at as granted_at
    from asked left join accepted on accepted.place = asked.place left join granted on granted.place = asked.place`;
}

const StandingRow = row({ waitSeconds: integer, triesLeft: integer });

/** Counts a refused attempt unless it is throttled: trying again does not make the wait longer. */
export function insertFailure(db: Queries, attempt: Attempt, isWanted: boolean): Promise<number> {
  const { login, network, countsNetwork } = attempt;
  return db.run(
    sql`insert into sign_in_failures (login, network)
      select ${countedLogin(sql`${login}`)}, ${network}::text
      where ${isWanted}::boolean and ${waitOf(sql`${login}`, sql`${network}`, countsNetwork)} = 0`,
  );
}

/** Returns how long an attempt like this one must wait now, in seconds, and how many more may fail before a wait. */
export function findStanding(db: Queries, attempt: Attempt): Promise<RowOf<typeof StandingRow>> {
  const [login, network] = [sql`${attempt.login}`, sql`${attempt.network}`];
  const wait = waitOf(login, network, attempt.countsNetwork);
  return db.one(StandingRow, sql`select ${wait} as wait_seconds, ${triesLeft(login, network)} as tries_left`);
}

function waitOf(login: Sql, network: Sql, countsNetwork: boolean): Sql {
  const ofLogin = signInWait(login, network);
  return countsNetwork ? sql`greatest(${ofLogin}, ${networkWait(network)})` : ofLogin;
}
