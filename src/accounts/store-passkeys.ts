/** Statements about passkeys and their challenges. */
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

/** The purpose, session and person of a challenge. */
export interface PasskeyQuestion {
  purpose: PasskeyPurpose;
  /** The digest that identifies the session. */
  session: Buffer;
  /** Null: anybody. */
  userId: number | null;
}

/** Stores a challenge, which replaces the previous one of the same purpose and session. */
export function insertChallenge(db: Queries, question: PasskeyQuestion, challenge: Buffer): Promise<number> {
  return db.run(
    sql`insert into passkey_challenges (session_digest, purpose, challenge, user_id, expires_at)
      values (${question.session}, ${question.purpose}, ${challenge}, ${question.userId},
        now() + make_interval(secs => ${CHALLENGE_SECONDS}))
      on conflict (session_digest, purpose) do update set challenge = excluded.challenge,
        user_id = excluded.user_id, expires_at = excluded.expires_at`,
  );
}

/**
 * Deletes the challenge and returns it, so that one of several concurrent responses is verified; undefined if there is no valid
 * one for this user.
 */
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

/** The keys of a person, for the options of a request. */
export function listPasskeyKeys(db: Queries, userId: number): Promise<PasskeyKey[]> {
  return db.many(
    PasskeyKeyRow,
    sql`select ${keyColumns} from passkeys k join users u on u.id = k.user_id where k.user_id = ${userId} order by k.id`,
  );
}

/** Finds a key by its credential id, whoever its owner is. */
export function findPasskeyKey(db: Queries, credentialId: Buffer): Promise<PasskeyKey | undefined> {
  return db.find(
    PasskeyKeyRow,
    sql`select ${keyColumns} from passkeys k join users u on u.id = k.user_id where k.credential_id = ${credentialId}`,
  );
}

/** Returns the WebAuthn user handle of a person; the first call stores the proposed one. */
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

/** Returns 0 if the key is registered already. */
export function insertPasskey(db: Queries, passkey: NewPasskey): Promise<number> {
  return db.run(
    sql`insert into passkeys (user_id, credential_id, public_key, sign_count, transports, name, backed_up)
      values (${passkey.userId}, ${passkey.credentialId}, ${passkey.publicKey}, ${passkey.signCount},
        ${passkey.transports}, ${passkey.name}, ${passkey.backedUp})
      on conflict (credential_id) do nothing`,
  );
}

/**
 * Records a use; returns 0 if the counter did not increase (it may stay at 0), which indicates a copied key (WebAuthn 3 §6.1.1).
 */
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

/** Returns 0 if this person has no such passkey. */
export function updatePasskeyName(db: Queries, userId: number, id: number, name: string): Promise<number> {
  return db.run(sql`update passkeys set name = ${name} where id = ${id} and user_id = ${userId}`);
}

/** Returns the name of the deleted passkey; undefined if this person has no such passkey. */
export async function deletePasskey(db: Queries, userId: number, id: number): Promise<string | undefined> {
  const found = await db.find(
    row({ name: text }),
    sql`delete from passkeys where id = ${id} and user_id = ${userId} returning name`,
  );
  return found?.name;
}
