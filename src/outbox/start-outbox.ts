/** Sends what is in the outbox while the process serves. */
import { setTimeout as pause } from "node:timers/promises";
import { logFailure, noteReached } from "../platform/outage.ts";
import type { Platform } from "../platform/platform.ts";
import { deliverDue } from "./deliver-due.ts";
import type { Senders } from "./delivery.ts";

/** How long a message waits for its first try at most, when no other try is running. */
const LOOK_EVERY_MS = 500;

/**
 * Starts to send, with the senders of the rooms `above` too; returns a function that stops it and waits for the running tries,
 * so many seconds at most: one that is not over by then is repeated, once its lease has ended. Every serving process may do so.
 */
export function startOutbox(
  platform: Platform,
  above: Senders = {},
): (patienceSeconds: number) => Promise<void> {
  let mayGoOn = true;
  let wake = () => {};
  const running = (async () => {
    while (mayGoOn) {
      try {
        await deliverDue(platform, () => mayGoOn, above);
        noteReached(platform);
      } catch (error) {
        logFailure(platform, error, "the outbox could not be read");
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
  return async (patienceSeconds) => {
    mayGoOn = false;
    wake();
    await Promise.race([running, pause(patienceSeconds * 1000, undefined, { ref: false })]);
  };
}
