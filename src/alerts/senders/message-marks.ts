/** The words, emoji and colours that tell the state and the severity of the alert in a message. */
import { entryOf } from "../../platform/entry-of.ts";
import type { Severity } from "../severity.ts";
import { textOf } from "./member.ts";
import { sentenceIn } from "./message-sentences.ts";

/** The state and severity that a message's headline gives. */
export interface Marks {
  /** The headline gives a state, so the rest of it names the thing that is in that state. */
  isStated: boolean;
  /** The state means that the alert is resolved. */
  isOver: boolean;
  /** The state is `down` or `offline`. */
  isDown: boolean;
  /** A word that may be a severity. */
  severityWord: string | undefined;
  /** The headline to show. */
  title: string;
  /** The headline without state and severity, in lower case. */
  name: string;
  /** The host and service that a known sentence names. */
  facts: readonly [string, string][];
  /** A known sentence that names neither host nor service. */
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
/** Words before a headline that give a severity, or only say that it is an alert. */
const NEUTRAL =
  "alert|alarm|incident|critical|crit|emergency|fatal|disaster|error|err|major|severe|minor|high|average|medium|moderate|low|warning|warn|information|info|notice|debug|unknown|p[1-5]|s[1-5]";
const STATES = [...OVER, ...TROUBLE].join("|");
const WORDS = `${STATES}|${NEUTRAL}`;

const SIGNS = "[\\p{Extended_Pictographic}\\u{FE0F}\\u{200D}\\p{Emoji_Modifier}\\s]|:[a-z0-9_+-]{2,40}:";
const SIGNS_AROUND = new RegExp(`^(?:${SIGNS}){1,20}|(?:${SIGNS}){1,20}$`, "gu");
/** `[FIRING:1]`, `[🔴 Down]`, `[P1]`: a word in brackets, at any position. */
const BRACKETED = new RegExp(
  `\\[[^\\p{L}\\p{N}\\]]{0,8}(${WORDS})(?:[:\\s]\\d{1,6})?[^\\p{L}\\p{N}\\]]{0,8}\\]`,
  "giu",
);
/** `Resolved in 5m: …`, `PROBLEM - …`: a word at the start. */
const LEADING = new RegExp(`^(${WORDS})(?: in [\\w .]{1,30})?(?:(?:${SIGNS}){0,8}[:|–—]|\\s-)\\s+`, "iu");
const VERBS = "(?:is|are|was|were|went|has|have|been|now|back|again|currently|gone)";
/** `is up 300%`, `is back up to 900 ms` and `is up-to-date` measure something; `is up 10:32` and `is up 2026-05-01` have a time. */
const NO_AMOUNT = "(?!-|\\s+(?:(?:by|to|from)\\b|[~+$€£]|\\d(?!\\d{0,3}[-/.]\\d{1,2}[-/.]\\d|\\d?:\\d\\d)))";
/** `… is down`, `… has recovered`: the state of what precedes it; `has not been resolved` says nothing of the kind. */
const SAID = new RegExp(
  `(?<!(?:\\bnot|n['’]t|\\bnever) (?:yet )?(?:${VERBS} ){0,2})\\b(?:${VERBS} ){1,3}(down|up${NO_AMOUNT}|offline|online|ok(?!\\s*[:=]\\s*(?:false|no)\\b)|healthy|unhealthy|degraded|resolved|recovered|firing|triggered|failing|unreachable|reachable|normal|back to normal|fixed|critical|warning)\\b[\\s.!]{0,4}(?:again\\b)?`,
  "giu",
);
const PRESENT = /^(?:is|are|now|currently)\b/i;
/** `Shop Down [Uptime-Kuma]`, as Uptime Kuma writes to ntfy. */
const BEFORE_SENDER = / (up|down)(?= \[Uptime-Kuma\]$)/i;
/** The heading of Alertmanager's lists, and GlitchTip's line below the name of a site. */
const LISTED = /^(?:alerts? (firing|resolved):?|the monitored site (?:has gone (down)|is back (up))\.?)$/im;

const TAGS_OVER = [
  "white_check_mark",
  "heavy_check_mark",
  "ballot_box_with_check",
  "green_circle",
  "large_green_circle",
];
const TAGS_TROUBLE = ["rotating_light", "red_circle", "x", "fire", "no_entry", "skull", "boom"];

/** Returns the first 500 characters of a headline without leading and trailing emoji; one of emoji alone is kept. */
export function withoutSigns(headline: string): string {
  const text = headline.slice(0, 500);
  return text.replace(SIGNS_AROUND, "") || text;
}

/** Returns the state and severity that a headline gives, with those of the message's lists and tags. */
export function marksOf(headline: string, texts: readonly string[], tags: readonly string[] = []): Marks {
  const words: string[] = [];
  const takeOut = (word: string): string => {
    words.push(word.toLowerCase());
    return " ";
  };
  const whole = withoutSigns(headline);
  let title = whole.replace(BRACKETED, (_all, word: string) => takeOut(word));
  for (let at = 0; at < 3; at++) {
    title = withoutSigns(title).replace(LEADING, (_all, word: string) => takeOut(word));
  }
  title = title.replaceAll(/\s{2,}/g, " ").trim();
  const said = sentenceIn(headline, whole, title);
  // A state before the sentence takes precedence over a sentence without one of its own: `[RESOLVED] Alert for device …`.
  const isMarked = words.some((word) => TROUBLE.has(word) || OVER.has(word));
  if (said && !(isMarked && said.words.length === 1)) said.words.forEach(takeOut);
  const name =
    said?.name ??
    beforeState(whole) ??
    withoutSaid(
      title.replace(BEFORE_SENDER, (_all, word: string) => takeOut(word)),
      takeOut,
    );
  for (const text of texts) {
    const listed = new Set(
      [...text.matchAll(new RegExp(LISTED, "gim"))].map(([, listed, down, up]) =>
        (listed ?? down ?? up ?? "").toLowerCase(),
      ),
    );
    // A message about several alerts is resolved only if all of them are.
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

/** Whether a recovery names, behind it, what had been in trouble: `Incident has been resolved: API is down`. */
function quotes(headline: string, { 0: all, 1: word = "", index }: RegExpExecArray): boolean {
  const after = headline.slice(index + all.length);
  return /^(?:resolved|recovered|fixed)$/i.test(word) && /^\s*[:"'“(–—-]/.test(after);
}

/**
 * Takes the first statement of a state out of a headline; that something is in trouble now takes precedence over that another
 * thing is or was well (`was up for 3 days and is now down`).
 */
function withoutSaid(headline: string, takeOut: (word: string) => string): string {
  const [first, ...later] = headline.matchAll(SAID);
  if (!first) return headline;
  const isTrouble = ([, word = ""]: RegExpExecArray) => TROUBLE.has(word.toLowerCase());
  const stands = isTrouble(first) || quotes(headline, first);
  const now = stands ? undefined : later.find((one) => isTrouble(one) && PRESENT.test(one[0]));
  const { 0: all, 1: word = "", index } = now ?? first;
  return headline.slice(0, index) + takeOut(word) + headline.slice(index + all.length);
}

/**
 * Returns the text before a bracketed state, which names the thing; the text behind it is a reason, which varies
 * (`[Shop] [Down] no answer`). Undefined if the text before only says that it is an alert (`Uptime alert: [Down] Shop`).
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
  danger: "critical",
  attention: "critical",
  red: "critical",
  warning: "low",
  orange: "low",
  yellow: "low",
  good: "info",
  green: "info",
};

/** Returns the severity for a colour's name or hue: red, orange to yellow, or green; undefined for all others. */
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
  // Greys, and colours that are too dark or too pale.
  if (most < 48 || spread < most / 4) return undefined;
  if (most === red) return green - blue > spread * 0.45 ? "low" : "critical";
  return most === green && blue < green * 0.85 ? "info" : undefined;
}
