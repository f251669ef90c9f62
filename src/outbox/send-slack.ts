/** Sends a message to an incoming webhook of Slack, or of a service that understands the same JSON. */
import type { Platform } from "../platform/platform.ts";
import type { Outcome, Taken } from "./delivery.ts";
import type { SlackContent } from "./message.ts";
import { postJson, urlOf } from "./post.ts";

export function sendSlack(platform: Platform, taken: Taken): Promise<Outcome> {
  const { body, url } = taken.content as SlackContent;
  return postJson(platform, urlOf(platform, taken, url), JSON.stringify(body), {});
}
