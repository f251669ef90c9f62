/** The mail to the owners of a project or group that was marked for deletion (decision 0171). */
import { DELETION_PURPOSE, type MailMessage } from "../outbox/message.ts";
import { minuteUtc } from "../platform/minute-utc.ts";
import { type PlaceKind, settingsAddress } from "./lifecycle.ts";

/** What was marked, by whom, and when it is removed. */
export interface Mark {
  kind: PlaceKind;
  id: number;
  fullPath: string;
  /** The username of whoever marked it. */
  by: string;
  at: Date;
  dueAt: Date;
}

const A_MINUTE_MS = 60_000;

/** The mail to one owner. If the removal is due at once, nobody can restore the place any more, and the mail says so. */
export function deletionMail({ publicUrl }: { publicUrl: string }, to: string, mark: Mark): MailMessage {
  const { kind, id, fullPath, by, at, dueAt } = mark;
  const isNow = dueAt.getTime() < at.getTime() + A_MINUTE_MS;
  const what = kind === "group" ? "its groups, projects, applications and members" : "its alerts and events";
  const fact = isNow
    ? `The ${kind} ${fullPath} at ${publicUrl} is being deleted, and ${what} with it.`
    : `The ${kind} ${fullPath} at ${publicUrl} is marked for deletion, and ${what} with it.`;
  const gone = isNow ? "within a few minutes" : minuteUtc(dueAt);
  const way = isNow
    ? "Only a backup can bring it back. If it should not be deleted, tell an administrator immediately."
    : `Until then it can be read, and any of its owners can restore it here:

${publicUrl}${settingsAddress(kind, { fullPath })}#delete

If it should be deleted, there is nothing to do.`;
  return {
    channel: "mail",
    to,
    purpose: DELETION_PURPOSE,
    // At most one mail an hour about one place, even if it is marked and restored repeatedly.
    dedupeKey: `${kind} ${id} ${dueAt.toISOString().slice(0, 13)} ${to.toLowerCase()}`,
    subject: isNow ? `${fullPath} is being deleted` : `${fullPath} is marked for deletion`,
    text: `${fact}

By: @${by}
When: ${minuteUtc(at)}
Deleted permanently: ${gone}

${way}

You receive this mail as an owner. Turn such mails off at ${publicUrl}/profile#mails`,
  };
}
