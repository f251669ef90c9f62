/** Keeps the outbox empty while the process serves. */
import type { Platform } from "../platform/platform.ts";
import { deliverDue } from "./deliver-due.ts";
import type { Senders } from "./delivery.ts";

/** How long a message waits for its first try at most, when nothing else is under way. */
const LOOK_EVERY_MS = 500;

/** Starts to send, also what the rooms `above` put together; returns how to stop, which waits for the tries under way. Every serving process may do so. */
export function startOutbox(platform: Platform, above: Senders = {}): () => Promise<void> {
  let mayGoOn = true;
  let wake = () => {};
  const running = (async () => {
    while (mayGoOn) {
      try {
        await deliverDue(platform, () => mayGoOn, above);
      } catch (error) {
        platform.log.error({ err: error }, "the outbox could not be looked at");
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_EVERY_MS);
        timer.unref();
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (!mayGoOn) wake();
      });
    }
  })();
  return async () => {
    mayGoOn = false;
    wake();
    await running;
  };
}
