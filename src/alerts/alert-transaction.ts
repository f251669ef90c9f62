/** The transaction in which the service itself changes alerts, with what every step of it needs. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";

/** A transaction in which the service changes alerts, and the user as which it does so. */
export interface AlertTransaction {
  platform: Platform;
  tx: Queries;
  /** The user id of the alert bot, who opens and closes incidents and writes their notes. */
  botId: number;
}
