/** Writes to people about what was done to their accounts, as it stands in the audit log. */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { NOTICES, noticeMail } from "./mails.ts";
import { listNotable } from "./store-audit.ts";

/** The last entry looked at; a new process looks again at the last hour, and the outbox takes nothing twice. */
const seen = new WeakMap<Db, number>();

/** Looks at the audit log instead of standing in each verb, so that no way to change an account goes untold. */
export async function sendNotices({ db, config }: Platform): Promise<void> {
  if (!mailIsOn(config)) return;
  const notable = await listNotable(db.pooled, seen.get(db) ?? 0, Object.keys(NOTICES));
  await enqueue(
    db.pooled,
    notable.map((entry) => noticeMail(config, entry)),
  );
  const last = notable.at(-1);
  if (last) seen.set(db, last.id);
}
