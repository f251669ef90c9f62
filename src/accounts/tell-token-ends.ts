/** Writes to people whose personal access tokens end within a week, and again when they have ended. */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { tokenEndMail } from "./mails.ts";
import { takeEndingTokens } from "./store-tokens.ts";

/** Told by one transaction. */
const AT_ONCE = 500;

/** Of each token once before and once after its end (decision 0193), however many processes look. */
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
