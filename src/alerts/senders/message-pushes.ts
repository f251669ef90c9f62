/** Reads push notifications for ntfy, Gotify, Pushover, Bark, PushDeer and Apprise, and e-mails. */
import { entryOf } from "../../platform/entry-of.ts";
import type { JsonObject } from "../../platform/json-object.ts";
import type { Severity } from "../severity.ts";
import { type Message, names, stringIn, textIn } from "./chat-message.ts";
import { objectIn, ownValue, textOf } from "./member.ts";

const NTFY = names(
  "topic title message priority tags click actions attach markdown icon filename delay email call sequence_id cache",
);
const GOTIFY = names("title message priority extras");
const PUSHOVER = names(
  "token user title message url url_title priority device sound timestamp ttl html monospace retry expire callback",
);
const BARK = names(
  "title subtitle body device_key device_keys level volume badge call autoCopy copy sound icon image group isArchive url action id delete ttl ciphertext",
);
const PUSHDEER = names("pushkey text desp type");
const APPRISE = names("version title message type attachments");
const EMAIL = names("subject message body text html to from sendto recipient recipients sender cc");

const NTFY_PRIORITIES: Readonly<Record<string, Severity>> = {
  ...{
    5: "critical",
    max: "critical",
    urgent: "critical",
    4: "high",
    high: "high",
    3: "medium",
    default: "medium",
  },
  ...{ 2: "low", low: "low", 1: "info", min: "info" },
};
const APPRISE_TYPES: Readonly<Record<string, Severity>> = {
  ...{ failure: "critical", warning: "low", info: "info" },
};
/** What its types say of the state (decision 0283); a body with any other type is not Apprise's. */
const APPRISE_STATES: ReadonlyMap<string, { isOver?: boolean }> = new Map([
  ["failure", { isOver: false }],
  ["success", { isOver: true }],
  ["info", {}],
  ["warning", {}],
]);
const BARK_LEVELS: Readonly<Record<string, Severity>> = {
  ...{ critical: "critical", timesensitive: "high", passive: "info" },
};
/** A payload with a title and a body is Bark's only with one of these. */
const BARK_MARKS = ["device_key", "device_keys", "sound", "isArchive"];
/** Members by which a message with a title is known to be the service's own (decision 0309). */
const BARK_OWN = ["device_key", "device_keys", "isArchive"];
const NTFY_MARKS = ["click", "actions", "attach"];
const PUSHOVER_KEY = /^[A-Za-z0-9]{30}$/;
const GOTIFY_EXTRA = /^[^:]+::[^:]+$/;
const APPRISE_VERSION = /^\d+\.\d+$/;
const PUSHOVER_PRIORITIES: Readonly<Record<string, Severity>> = {
  ...{ 2: "critical", 1: "high", 0: "medium", "-1": "low", "-2": "info" },
};

/** Returns a payload as a push notification or an e-mail; undefined if it is neither. */
export function pushMessageOf(payload: JsonObject, members: readonly string[]): Message | undefined {
  const consistsOf = (allowed: ReadonlySet<string>) => members.every((name) => allowed.has(name));
  const has = (name: string) => textOf(ownValue(payload, name)) !== null;
  const priority = textOf(ownValue(payload, "priority"))?.toLowerCase() ?? "";
  const push = (chat: string, severity: Severity | undefined): Message => {
    const [headline] = textIn(payload, "title", "subject");
    const [text] = textIn(payload, "message", "text", "body", "html");
    const { tags } = payload;
    return {
      chat,
      headline,
      texts: text === undefined ? [] : [text],
      facts: [],
      links: [payload.click, payload.url],
      severity,
      sender: ownValue(payload, "topic"),
      tags: (Array.isArray(tags) ? tags : (textOf(tags) ?? "").split(",")).map(
        (tag) => textOf(tag)?.trim() ?? "",
      ),
    };
  };
  if (consistsOf(NTFY) && has("topic") && has("message")) {
    const isOwn = NTFY_MARKS.some(has) || Array.isArray(payload.tags);
    return { ...push("ntfy", entryOf(NTFY_PRIORITIES, priority)), hasCommonNames: !isOwn };
  }
  if (consistsOf(PUSHOVER) && has("token") && has("user") && has("message")) {
    const hasCommonNames = ![payload.token, payload.user].every((key) =>
      PUSHOVER_KEY.test(textOf(key) ?? ""),
    );
    return { ...push("Pushover", entryOf(PUSHOVER_PRIORITIES, priority)), hasCommonNames };
  }
  if (consistsOf(GOTIFY) && has("message") && typeof payload.priority === "number") {
    const extras = Object.keys(objectIn(payload, "extras"));
    const hasCommonNames = !extras.some((name) => GOTIFY_EXTRA.test(name));
    return { ...push("Gotify", gotifySeverity(payload.priority)), hasCommonNames };
  }
  if (consistsOf(BARK) && has("title") && has("body") && BARK_MARKS.some(has)) {
    const severity = entryOf(BARK_LEVELS, textOf(payload.level)?.toLowerCase() ?? "");
    return { ...push("Bark", severity), hasCommonNames: !BARK_OWN.some(has) };
  }
  if (consistsOf(PUSHDEER) && has("pushkey") && has("text")) {
    // The text is the headline, and `desp` the message.
    return {
      ...push("PushDeer", undefined),
      headline: stringIn(payload, "text"),
      texts: textIn(payload, "desp"),
    };
  }
  const type = textOf(ownValue(payload, "type")) ?? "";
  const state = APPRISE_STATES.get(type);
  // Apprise sends an empty title rather than none.
  if (state && consistsOf(APPRISE) && has("version") && has("message") && Object.hasOwn(payload, "title")) {
    const hasCommonNames = !APPRISE_VERSION.test(textOf(payload.version) ?? "");
    return { ...push("Apprise", entryOf(APPRISE_TYPES, type)), sender: "Apprise", ...state, hasCommonNames };
  }
  const isEmail = consistsOf(EMAIL) && has("subject") && ["message", "body", "text", "html"].some(has);
  return isEmail ? push("A letter", undefined) : undefined;
}

/** Returns the severity for Gotify's priority, from 0 (silent) to 10. */
function gotifySeverity(priority: number): Severity {
  if (priority >= 10) return "critical";
  if (priority >= 8) return "high";
  if (priority >= 4) return "medium";
  return priority >= 1 ? "low" : "info";
}
