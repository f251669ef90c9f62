/** The words, signs and colours by which messages say whether a trouble began or is over, and how bad it is. */
import { entryOf } from "../../platform/entry-of.ts";
import type { Severity } from "../severity.ts";
import { textOf } from "./member.ts";
import { sentenceIn } from "./message-sentences.ts";

/** What the headline of a message is marked with. */
export interface Marks {
  /** It says in which state something is, so that what else it says is the name of that thing. */
  isStated: boolean;
  /** The state is a good one. */
  isOver: boolean;
  /** That something does not answer at all. */
  isDown: boolean;
  /** A word of it that may say how bad it is. */
  severityWord: string | undefined;
  /** The headline to show, and what is left of it without any mark, in small letters. */
  title: string;
  name: string;
  /** What it says of hosts and services, where it is a sentence that is known. */
  facts: readonly [string, string][];
  /** It is such a sentence, and tells nothing of them. */
  isVague: boolean;
}

const OVER = new Set(
  [
    "resolved",
    "resolve",
    "recovered",
    "recovery",
    "ok",
    "okay",
    "up",
    "online",
    "clear",
    "cleared",
    "closed",
  ].concat(["healthy", "normal", "back to normal", "reachable", "fixed"]),
);
const TROUBLE = new Set(
  [
    "firing",
    "alerting",
    "problem",
    "triggered",
    "re-triggered",
    "trigger",
    "down",
    "offline",
    "failing",
  ].concat(["failed", "failure", "unhealthy", "degraded", "unreachable", "no data"]),
);
/** Words before a headline that say how bad it is, or nothing at all. */
const NEUTRAL =
  "alert|alarm|incident|critical|crit|emergency|fatal|disaster|error|err|major|severe|minor|high|average|medium|moderate|low|warning|warn|information|info|notice|debug|unknown|p[1-5]|s[1-5]";
const STATES = [...OVER, ...TROUBLE].join("|");
const WORDS = `${STATES}|${NEUTRAL}`;

const SIGNS = "[\\p{Extended_Pictographic}\\u{FE0F}\\u{200D}\\p{Emoji_Modifier}\\s]|:[a-z0-9_+-]{2,40}:";
const SIGNS_AROUND = new RegExp(`^(?:${SIGNS}){1,20}|(?:${SIGNS}){1,20}$`, "gu");
/** `[FIRING:1]`, `[🔴 Down]`, `[P1]`: in brackets wherever it stands. */
const BRACKETED = new RegExp(
  `\\[[^\\p{L}\\p{N}\\]]{0,8}(${WORDS})(?:[:\\s]\\d{1,6})?[^\\p{L}\\p{N}\\]]{0,8}\\]`,
  "giu",
);
/** `Resolved in 5m: …`, `PROBLEM - …`: before all else. */
const LEADING = new RegExp(`^(${WORDS})(?: in [\\w .]{1,30})?(?:(?:${SIGNS}){0,8}[:|–—]|\\s-)\\s+`, "iu");
/** `… is down`, `… has recovered`: said of what stands before. */
const SAID =
  /\b(?:(?:is|are|was|were|went|has|have|been|now|back|again|currently|gone) ){1,3}(down|up|offline|online|ok|healthy|unhealthy|degraded|resolved|recovered|firing|triggered|failing|unreachable|reachable|normal|back to normal|fixed|critical|warning)\b[\s.!]{0,4}(?:again\b)?/iu;
/** `Shop Down [Uptime-Kuma]`, as it writes to ntfy. */
const BEFORE_SENDER = / (up|down)(?= \[Uptime-Kuma\]$)/i;
/** Alertmanager's list, and what GlitchTip says below the name of a site. */
const LISTED = /^(?:alerts? (firing|resolved):?|the monitored site (?:has gone (down)|is back (up))\.?)$/im;

const TAGS_OVER = [
  "white_check_mark",
  "heavy_check_mark",
  "ballot_box_with_check",
  "green_circle",
  "large_green_circle",
];
const TAGS_TROUBLE = ["rotating_light", "red_circle", "x", "fire", "no_entry", "skull", "boom"];

/** A headline, as far as it is read, without the pictures before and behind it; one of pictures alone stays. */
export function withoutSigns(headline: string): string {
  const text = headline.slice(0, 500);
  return text.replace(SIGNS_AROUND, "") || text;
}

/** What a headline is marked with; where it bears no state, the lists and tags of the message may. */
export function marksOf(headline: string, texts: readonly string[], tags: readonly string[] = []): Marks {
  const words: string[] = [];
  const take = (word: string): string => {
    words.push(word.toLowerCase());
    return " ";
  };
  const whole = withoutSigns(headline);
  let title = whole.replace(BRACKETED, (_all, word: string) => take(word));
  for (let at = 0; at < 3; at++) {
    title = withoutSigns(title).replace(LEADING, (_all, word: string) => take(word));
  }
  title = title.replaceAll(/\s{2,}/g, " ").trim();
  const said = sentenceIn(headline, whole, title);
  // A sentence that quotes no state gives way to one that stands before it: `[RESOLVED] Alert for device …`.
  const isMarked = words.some((word) => TROUBLE.has(word) || OVER.has(word));
  if (said && !(isMarked && said.words.length === 1)) said.words.forEach(take);
  const name =
    said?.name ??
    beforeState(whole) ??
    title
      .replace(BEFORE_SENDER, (_all, word: string) => take(word))
      .replace(SAID, (_all, word: string) => take(word));
  for (const text of texts) {
    const listed = new Set(
      [...text.matchAll(new RegExp(LISTED, "gim"))].map(([, listed, down, up]) =>
        (listed ?? down ?? up ?? "").toLowerCase(),
      ),
    );
    // What is said of several at once is over only when it is over for all of them.
    if (listed.size > 0) words.push(listed.has("firing") || listed.has("down") ? "firing" : "resolved");
  }
  if (tags.some((tag) => TAGS_TROUBLE.includes(tag))) words.push("firing");
  else if (tags.some((tag) => TAGS_OVER.includes(tag))) words.push("resolved");
  const isTrouble = words.some((word) => TROUBLE.has(word));
  return {
    isStated: isTrouble || words.some((word) => OVER.has(word)),
    isOver: !isTrouble && words.some((word) => OVER.has(word)),
    isDown: words.includes("down") || words.includes("offline"),
    severityWord: words.find((word) => !TROUBLE.has(word) && !OVER.has(word)),
    title: said?.title ?? title,
    facts: said?.facts ?? [],
    isVague: said?.isVague ?? false,
    name: name
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim()
      .toLowerCase(),
  };
}

/**
 * `[Shop] [Down] no answer`: what is up or down stands before it, and behind it why, in other words each time. What only says
 * that it is an alert (`Uptime alert: [Down] Shop`) is the name of nothing.
 */
function beforeState(headline: string): string | undefined {
  const before =
    /^(.*[\p{L}\p{N}].*?)\[[^\p{L}\p{N}\]]{0,8}(?:up|down|online|offline)[^\p{L}\p{N}\]]{0,8}\]/iu.exec(
      headline,
    )?.[1];
  return before && !/\b(?:alerts?|alarms?|notifications?|monitor(?:ing)?|status)[:\s-]{0,4}$/i.test(before)
    ? before
    : undefined;
}

const NAMED: Readonly<Record<string, Severity>> = {
  ...{
    danger: "critical",
    attention: "critical",
    red: "critical",
    warning: "low",
    orange: "low",
    yellow: "low",
  },
  ...{ good: "info", green: "info" },
};

/** What a colour says by its name or hue: red, orange to yellow, or green; undefined for all others. */
export function severityOfColour(colour: unknown): Severity | undefined {
  const text = typeof colour === "number" ? colour.toString(16).padStart(6, "0") : (textOf(colour) ?? "");
  const word = text.trim().toLowerCase();
  const named = entryOf(NAMED, word);
  if (named) return named;
  const hex = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(word);
  if (!hex) return undefined;
  const [red = 0, green = 0, blue = 0] = hex.slice(1).map((part) => Number.parseInt(part, 16));
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  // Greys, and colours too pale to mean anything.
  if (most < 48 || spread < most / 4) return undefined;
  if (most === red) return green - blue > spread * 0.45 ? "low" : "critical";
  return most === green && blue < green * 0.85 ? "info" : undefined;
}

/** An alarm of Netdata, which every message of its own agent links to, with all that names it in the link. */
export function linkedAlarm(links: readonly unknown[]) {
  for (const link of links) {
    const url = typeof link === "string" && link.length <= 4000 ? URL.parse(link) : null;
    const status = url?.searchParams.get("alarm_status");
    const alarm = url?.searchParams.get("alarm");
    if (!url || !status || !alarm) continue;
    const host = url.searchParams.get("host") ?? "";
    return netdataAlarm(status, alarm, host, url.searchParams.get("chart") ?? "");
  }
  return undefined;
}

/** One that it tells to a phone, without a link: the chart stands behind the time, in the text. */
export function toldAlarm(headline: string, texts: readonly string[]) {
  const said =
    /^(WARNING|CRITICAL|CLEAR), (\S{1,200}) = [^\n]{1,60}, on (\S{1,253})$/.exec(headline.slice(0, 600)) ??
    [];
  const [, status, alarm, host] = said;
  const chart = /^[^\n]{1,60}: ([a-z][\w-]{0,60}\.\S{1,200})(?: |$)/im.exec(texts[0] ?? "")?.[1];
  if (!status || !alarm || !host || !chart) return undefined;
  return { ...netdataAlarm(status, alarm, host, chart), isTitled: true };
}

function netdataAlarm(status: string, alarm: string, host: string, chart: string) {
  return {
    tool: "Netdata",
    isOver: /^clear$/i.test(status),
    word: status,
    host,
    chart,
    title: host ? `${alarm} on ${host}` : alarm,
    name: ["Netdata", host, chart, alarm],
    isTitled: false,
  };
}
