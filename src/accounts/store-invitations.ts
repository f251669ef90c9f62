/** Statements about invitations. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { lockName } from "../platform/lock-name.ts";
import { boolean, integer, row } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { type Invitation, InvitationRow } from "./invitation.ts";

const columns = sql`i.id, i.email, i.invited_by, u.name as inviter_name, i.project_id, i.namespace_id, i.access_level,
  i.member_until, i.place, i.created_at, i.sent_at, i.expires_at`;
const withInviter = sql`left join users u on u.id = i.invited_by`;
/** Whether `b` may currently invite there with this role (decision 0148). */
const mayInvite = sql`(b.is_admin
  or exists (select 1 from project_roles r where r.project_id = i.project_id and r.user_id = b.id
    and r.access_level >= greatest(40, i.access_level))
  or exists (select 1 from namespaces n join members m on m.namespace_id = any (n.lineage)
    where n.id = i.namespace_id and m.user_id = b.id and m.access_level = 50
      and (m.expires_at is null or m.expires_at > now())))`;
/** A valid invitation: not expired, and whoever sent it last may still invite there. */
const live = sql`i.expires_at > now() and (i.invited_by is null
  or exists (select 1 from users b where b.id = i.invited_by and b.state = 'active' and ${mayInvite}))`;

export interface NewInvitation {
  digest: Buffer;
  email: string;
  invitedBy: number | null;
  projectId: number | null;
  namespaceId: number | null;
  accessLevel: number | null;
  memberUntil: Date | null;
  place: string;
}

/** Returns the id, or undefined if the address has a valid invitation to that place already. */
export async function insertInvitation(
  db: Queries,
  made: NewInvitation,
  seconds: number,
): Promise<number | undefined> {
  const found = await db.find(
    row({ id: integer }),
    sql`insert into invitations as i
        (digest, email, invited_by, project_id, namespace_id, access_level, member_until, place, expires_at)
      values (${made.digest}, ${made.email}, ${made.invitedBy}, ${made.projectId}, ${made.namespaceId},
        ${made.accessLevel}, ${made.memberUntil}, ${made.place}, now() + make_interval(secs => ${seconds}))
      on conflict (lower(email), coalesce(project_id, 0), coalesce(namespace_id, 0), (invited_by is null))
      do update set digest = excluded.digest, email = excluded.email, invited_by = excluded.invited_by,
        access_level = excluded.access_level, member_until = excluded.member_until, place = excluded.place,
        created_at = now(), sent_at = now(), expires_at = excluded.expires_at
      where not (${live}) returning i.id`,
  );
  return found?.id;
}

/** Inserts or replaces the link of a sign-up, at most once in `pauseSeconds`; returns 0 if it is too soon. */
export function upsertRegistration(
  db: Queries,
  made: { digest: Buffer; email: string },
  { seconds, pauseSeconds }: { seconds: number; pauseSeconds: number },
): Promise<number> {
  return db.run(
    sql`insert into invitations as i (digest, email, expires_at)
      values (${made.digest}, ${made.email}, now() + make_interval(secs => ${seconds}))
      on conflict (lower(email), coalesce(project_id, 0), coalesce(namespace_id, 0), (invited_by is null))
      do update set digest = excluded.digest, sent_at = now(), expires_at = excluded.expires_at
      where i.sent_at < now() - make_interval(secs => ${pauseSeconds})`,
  );
}

/** Whether an instant has passed, by the database's clock. */
export async function hasPassed(db: Queries, at: Date): Promise<boolean> {
  const shape = row({ hasPassed: boolean });
  return (await db.one(shape, sql`select ${at}::timestamptz <= now() as has_passed`)).hasPassed;
}

/**
 * Replaces the link by a new one with its full lifetime and this sender; returns 0 if it does not exist or was sent within
 * `pauseSeconds`.
 */
export function renewInvitation(
  db: Queries,
  id: number,
  filter: InvitationFilter,
  { digest, invitedBy }: { digest: Buffer; invitedBy: number },
  { seconds, pauseSeconds }: { seconds: number; pauseSeconds: number },
): Promise<number> {
  return db.run(
    sql`update invitations i set digest = ${digest}, invited_by = ${invitedBy}, sent_at = now(), expires_at = now() + make_interval(secs => ${seconds})
      where i.id = ${id} and i.sent_at <= now() - make_interval(secs => ${pauseSeconds}) and ${conditions(filter)}`,
  );
}

/** Selects invitations: of a place, or those by administrators for an account only. */
export interface InvitationFilter {
  projectId?: number | undefined;
  namespaceId?: number | undefined;
  /** All places, for administrators. */
  everywhere?: boolean;
  email?: string | undefined;
  id?: number | undefined;
}

function conditions({ projectId, namespaceId, everywhere, email, id }: InvitationFilter): Sql {
  return joinSql(
    [
      sql`i.invited_by is not null`,
      projectId !== undefined && sql`i.project_id = ${projectId}`,
      namespaceId !== undefined && sql`i.namespace_id = ${namespaceId}`,
      projectId === undefined && namespaceId === undefined && !everywhere && sql`i.access_level is null`,
      email !== undefined && sql`lower(i.email) = lower(${email})`,
      id !== undefined && sql`i.id = ${id}`,
    ],
    " and ",
  );
}

/** Newest first, including expired ones until they are deleted. */
export function listInvitations(
  db: Queries,
  filter: InvitationFilter,
  page: { limit: number; offset: number },
): Promise<Invitation[]> {
  return db.many(
    InvitationRow,
    sql`select ${columns} from invitations i ${withInviter} where ${conditions(filter)}
      order by i.id desc limit ${page.limit} offset ${page.offset}`,
  );
}

export function countInvitations(db: Queries, filter: InvitationFilter): Promise<number> {
  return countOf(db, sql`select count(*) as n from invitations i where ${conditions(filter)}`);
}

/** Blocks other invitations by this person until the transaction ends. */
export function lockInviter(tx: Queries, invitedBy: number): Promise<number> {
  return lockName(tx, `invitations by ${invitedBy}`);
}

/** Counts the invitations that this person sent in the last day, including withdrawn and repeated ones, up to `most`. */
export function countSentLately(db: Queries, invitedBy: number, most: number): Promise<number> {
  return countOf(
    db,
    sql`select count(*) as n from (
        select from audit_entries
        where actor_id = ${invitedBy} and action = 'invitation_sent' and at > now() - interval '1 day'
        limit ${most}) sent`,
  );
}

/** Changes role, end and inviter; an undefined role or end stays. Returns 0 if there is no such invitation. */
export function updateInvitation(
  db: Queries,
  filter: InvitationFilter,
  change: { accessLevel: number | undefined; memberUntil: Date | null | undefined; invitedBy: number },
): Promise<number> {
  const { accessLevel, memberUntil } = change;
  return db.run(
    sql`update invitations i set access_level = coalesce(${accessLevel ?? null}, i.access_level),
        member_until = case when ${memberUntil === undefined} then i.member_until else ${memberUntil ?? null} end,
        invited_by = ${change.invitedBy}
      where ${conditions(filter)}`,
  );
}

export function deleteInvitations(db: Queries, filter: InvitationFilter): Promise<number> {
  return db.run(sql`delete from invitations i where ${conditions(filter)}`);
}

/** Returns the invitation of a link while it is valid. */
export function findLiveInvitation(db: Queries, digest: Buffer): Promise<Invitation | undefined> {
  return db.find(
    InvitationRow,
    sql`select ${columns} from invitations i ${withInviter} where i.digest = ${digest} and ${live}`,
  );
}

/** Deletes the invitation and returns it; of concurrent calls one gets it. */
export function spendInvitation(db: Queries, digest: Buffer): Promise<Invitation | undefined> {
  return db.find(
    InvitationRow,
    sql`with spent as (delete from invitations i where i.digest = ${digest} and ${live} returning *)
      select ${columns} from spent i ${withInviter}`,
  );
}

/** Deletes a batch of invitations that expired 30 days ago. */
export function deleteOldInvitations(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`invitations`, sql`expires_at < now() - interval '30 days'`, most);
}
