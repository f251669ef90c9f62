/** Notifies people by mail of actions on their accounts, based on the audit log. */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { NOTICES, noticeMail } from "./mails.ts";
import { newSignIns } from "./new-sign-ins.ts";
import { findLastOfNext, findLastOlder, listNotable } from "./store-audit.ts";

/**
 * The last entry processed. A new process looks again at the last day, as the one before it may have ended before it came to them, and
 * the host been away since; the outbox drops duplicates for thirty days.
 */
const seen = new WeakMap<Db, number>();
const LOOK_BACK_SECONDS = 86_400;
/** Entries per statement. */
const AT_ONCE = 2000;

/**
 * Reads the audit log instead of being called by each action, so that no change of an account goes unnoticed; reads every entry,
 * so that nobody can hide one behind many others.
 */
export async function sendNotices({ db, config }: Platform): Promise<void> {
  if (!mailIsOn(config)) return;
  let after = seen.get(db) ?? (await findLastOlder(db.pooled, LOOK_BACK_SECONDS));
  let upTo = await findLastOfNext(db.pooled, after, AT_ONCE);
  while (upTo !== undefined) {
    const notable = await listNotable(db.pooled, { after, upTo }, Object.keys(NOTICES));
    const isSignIn = ({ action }: { action: string }) => action === "sign_in";
    const isNew = await newSignIns(db.pooled, notable.filter(isSignIn));
    const told = notable.filter((entry) => !isSignIn(entry) || isNew.has(entry.id));
    await enqueue(
      db.pooled,
      told.map((entry) => noticeMail(config, entry)),
    );
    seen.set(db, upTo);
    after = upTo;
    upTo = await findLastOfNext(db.pooled, after, AT_ONCE);
  }
}
