/** Notifies people whose personal access tokens expire within a week, and again when they have expired. */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { tokenEndMail } from "./mails.ts";
import { takeEndingTokens } from "./store-tokens.ts";

/** Tokens per transaction. */
const AT_ONCE = 500;

/** Notifies once before and once after the end of each token (decision 0193), over all processes. */
export async function tellTokenEnds({ db, config }: Platform): Promise<void> {
  if (!mailIsOn(config)) return;
  const tellSome = (most: number) =>
    db.transaction(async (tx) => {
      const tokens = await takeEndingTokens(tx, most);
      await enqueue(
        tx,
        tokens.map((token) => tokenEndMail(config, token)),
      );
      return tokens.length;
    });
  await inPortions(tellSome, { portion: AT_ONCE });
}
