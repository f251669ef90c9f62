/** Marks a project or group for deletion, or makes a marked one due for removal at once (decision 0152). */
import type { Act } from "../accounts/audit.ts";
import { holdPeople } from "../accounts/hold-people.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { enqueue } from "../outbox/enqueue.ts";
import { DELETION_PURPOSE } from "../outbox/message.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { withoutFlooded } from "../outbox/without-flooded.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { ownedPlace } from "./access.ts";
import type { Asker } from "./asker.ts";
import { deletionMail } from "./deletion-mail.ts";
import type { Lifecycle, PlaceKind, PlaceReference } from "./lifecycle.ts";
import { lockPlaces } from "./store-moves.ts";
import { findMark, listOwnerAddresses, updateMarked, updateRemovalDue } from "./store-removal.ts";

/** The request for a deletion. */
export interface Marking extends PlaceReference {
  /** After how many days it is removed. */
  days: number;
  /** What is already marked is removed now; the whole path is required, so that nothing else is. */
  atOnce?: { fullPath: string | undefined } | undefined;
}

/** The most owners who get a mail; the others see the mark on the page. */
const MAX_MAILS = 100;
/**
 * The most mails that an owner gets within an hour, whatever is marked: people are made owners without being asked, of places that
 * are made to be deleted (decision 0299).
 */
const MAX_AN_HOUR = 20;

/**
 * Marks a place for deletion, for its owners, who are told by mail. A group takes everything in it along, without a mail to
 * the owners of what is in it. A place inside a marked group stays as it is.
 * @throws Problem not_found; forbidden: not theirs; invalid, in the words of GitLab's API: marked already, not marked yet, not
 *   its path, or a top-level group, which is never removed before its time
 */
export async function markPlace(
  { db, config }: Platform,
  owner: Asker,
  act: Act,
  { kind, reference, days, atOnce }: Marking,
): Promise<void> {
  await db.transaction(async (tx) => {
    const held = await holdPeople(tx, owner, []);
    await lockPlaces(tx);
    const place = await ownedPlace(tx, held, { kind, reference });
    const action = atOnce ? "hastened" : "marked";
    const isNews = atOnce
      ? await removeAtOnce(tx, kind, place, atOnce.fullPath)
      : await mark(tx, kind, place, days);
    if (!isNews) return;
    if (mailIsOn(config)) await mailOwners(tx, config, kind, place, owner);
    const details = { [kind]: place.fullPath, ...(atOnce ? {} : { days }) };
    await recordAudit(tx, { ...act, action: `${kind}_deletion_${action}`, userId: null, details });
  });
}

/** False: a group around it is marked already, and takes it along. */
async function mark(tx: Queries, kind: PlaceKind, place: Lifecycle & { id: number }, days: number) {
  if (place.isMarkedItself) throw refusal(kind, "has been already marked for deletion");
  if (place.markedWith !== null) return false;
  return (await updateMarked(tx, kind, place.id, days)) > 0;
}

/** Returns false if its removal is due already. */
async function removeAtOnce(
  tx: Queries,
  kind: PlaceKind,
  place: Lifecycle & { id: number; fullPath: string },
  fullPath: string | undefined,
) {
  if (kind === "group" && !place.fullPath.includes("/")) {
    throw new Problem("invalid", "`permanently_remove` option is only available for subgroups.");
  }
  if (!place.isMarkedItself) throw refusal(kind, "must be marked for deletion first.");
  if (fullPath !== place.fullPath) {
    const what = kind === "group" ? "subgroup" : kind;
    throw new Problem(
      "invalid",
      `\`full_path\` is incorrect. You must enter the complete path for the ${what}.`,
    );
  }
  return (await updateRemovalDue(tx, kind, place.id)) > 0;
}

/** Sends the mails in the transaction that marks it, so that whoever gets one can still restore it. */
async function mailOwners(
  tx: Queries,
  config: Platform["config"],
  kind: PlaceKind,
  { id, fullPath }: { id: number; fullPath: string },
  owner: Asker,
): Promise<void> {
  const mark = await findMark(tx, kind, id, owner.id);
  // Without the acting person there is no name for the mail (decision 0151); `holdPeople` keeps them.
  if (!mark) throw new Problem("conflict", "The resource was removed during the request.");
  const owners = await listOwnerAddresses(tx, kind, id, MAX_MAILS);
  const mailboxes = await withoutFlooded(tx, {
    purpose: DELETION_PURPOSE,
    mailboxes: owners.map(({ email }) => email),
    most: MAX_AN_HOUR,
    seconds: 3600,
  });
  await enqueue(
    tx,
    mailboxes.map((to) => deletionMail(config, to, { kind, id, fullPath, ...mark })),
  );
}

function refusal(kind: PlaceKind, words: string): Problem {
  return new Problem("invalid", `${kind === "project" ? "Project" : "Group"} ${words}`);
}
