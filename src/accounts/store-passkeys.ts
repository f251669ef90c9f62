/** Statements about passkeys and the questions that wait for them. */
import type { Queries } from "../platform/db.ts";
import { boolean, bytes, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import {
  CHALLENGE_SECONDS,
  type Passkey,
  type PasskeyKey,
  PasskeyKeyRow,
  type PasskeyPurpose,
  PasskeyRow,
} from "./passkey.ts";

/** Which question, in which session, to whom. */
export interface PasskeyQuestion {
  purpose: PasskeyPurpose;
  /** The digest that stands for the session. */
  session: Buffer;
  /** Null: whoever answers. */
  userId: number | null;
}

/** Asks: the question before of the same purpose and session no longer counts. */
export function insertChallenge(db: Queries, question: PasskeyQuestion, challenge: Buffer): Promise<number> {
  return db.run(
    sql`insert into passkey_challenges (session_digest, purpose, challenge, user_id, expires_at)
      values (${question.session}, ${question.purpose}, ${challenge}, ${question.userId},
        now() + make_interval(secs => ${CHALLENGE_SECONDS}))
      on conflict (session_digest, purpose) do update set challenge = excluded.challenge,
        user_id = excluded.user_id, expires_at = excluded.expires_at`,
  );
}

/** Takes the question away, so that one of many answers at once is judged; undefined when none waits for this user. */
export async function takeChallenge(db: Queries, question: PasskeyQuestion): Promise<Buffer | undefined> {
  const found = await db.find(
    row({ challenge: bytes, live: boolean }),
    sql`delete from passkey_challenges
      where session_digest = ${question.session} and purpose = ${question.purpose}
        and user_id is not distinct from ${question.userId}::bigint
      returning challenge, expires_at > now() as live`,
  );
  return found?.live ? found.challenge : undefined;
}

/** The passkeys of a person, oldest first. */
export function listPasskeys(db: Queries, userId: number): Promise<Passkey[]> {
  return db.many(
    PasskeyRow,
    sql`select id, name, backed_up, created_at, last_used_at from passkeys where user_id = ${userId} order by id`,
  );
}

const keyColumns = sql`k.id, k.user_id, k.credential_id, k.public_key, k.transports, u.passkey_handle as handle`;

/** The keys of a person, to ask for one of them. */
export function listPasskeyKeys(db: Queries, userId: number): Promise<PasskeyKey[]> {
  return db.many(
    PasskeyKeyRow,
    sql`select ${keyColumns} from passkeys k join users u on u.id = k.user_id where k.user_id = ${userId} order by k.id`,
  );
}

/** The key of that name among authenticators, whosever it is. */
export function findPasskeyKey(db: Queries, credentialId: Buffer): Promise<PasskeyKey | undefined> {
  return db.find(
    PasskeyKeyRow,
    sql`select ${keyColumns} from passkeys k join users u on u.id = k.user_id where k.credential_id = ${credentialId}`,
  );
}

/** The handle of a person among authenticators; the first call settles it. */
export async function settleHandle(db: Queries, userId: number, proposed: Buffer): Promise<Buffer> {
  const { handle } = await db.one(
    row({ handle: bytes }),
    sql`update users set passkey_handle = coalesce(passkey_handle, ${proposed}) where id = ${userId}
      returning passkey_handle as handle`,
  );
  return handle;
}

export interface NewPasskey {
  userId: number;
  credentialId: Buffer;
  publicKey: Buffer;
  signCount: number;
  transports: readonly string[];
  name: string;
  backedUp: boolean;
}

/** 0: the key is known here already. */
export function insertPasskey(db: Queries, passkey: NewPasskey): Promise<number> {
  return db.run(
    sql`insert into passkeys (user_id, credential_id, public_key, sign_count, transports, name, backed_up)
      values (${passkey.userId}, ${passkey.credentialId}, ${passkey.publicKey}, ${passkey.signCount},
        ${passkey.transports}, ${passkey.name}, ${passkey.backedUp})
      on conflict (credential_id) do nothing`,
  );
}

/** Notes a use: 0 when the counter went back or stood still, which a copy of the key does (WebAuthn 3 §6.1.1). */
export function updatePasskeyUse(
  db: Queries,
  id: number,
  use: { signCount: number; backedUp: boolean },
): Promise<number> {
  return db.run(
    sql`update passkeys set sign_count = ${use.signCount}, backed_up = ${use.backedUp}, last_used_at = now()
      where id = ${id} and (sign_count < ${use.signCount} or (sign_count = 0 and ${use.signCount} = 0))`,
  );
}

/** 0: this person has no such passkey. */
export function updatePasskeyName(db: Queries, userId: number, id: number, name: string): Promise<number> {
  return db.run(sql`update passkeys set name = ${name} where id = ${id} and user_id = ${userId}`);
}

/** The name of the removed passkey; undefined when this person has no such one. */
export async function deletePasskey(db: Queries, userId: number, id: number): Promise<string | undefined> {
  const found = await db.find(
    row({ name: text }),
    sql`delete from passkeys where id = ${id} and user_id = ${userId} returning name`,
  );
  return found?.name;
}
