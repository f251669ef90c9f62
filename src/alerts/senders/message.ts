/** Reads messages that tools write for chats and phones as alerts (decision 0141). */
import type { JsonObject } from "../../platform/json-object.ts";
import { type Fingerprint, givenFingerprint, payloadFingerprint } from "../fingerprint.ts";
import type { ReadingRules } from "../reading-rules.ts";
import type { AlertReport } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { type Severity, severityOfLabel } from "../severity.ts";
import { translated } from "../value-tables.ts";
import type { Message } from "./chat-message.ts";
import { hostList, LONGEST, shortText, textOf, UNTITLED, type Warn, webAddress } from "./member.ts";
import { alarmIn } from "./message-alarms.ts";
import { messageOf } from "./message-chats.ts";
import { type Marks, marksOf, severityOfColour, withoutSigns } from "./message-marks.ts";
import { linkedHost, ownLineIn, sentenceIn } from "./message-sentences.ts";
import { factsIn, firstLine, plainText } from "./message-text.ts";
import { isTitled } from "./specified.ts";

/** The usual names of a message's facts. */
const HOSTS = ["host", "hosts", "hostname", "host name", "instance", "server", "node", "device", "machine"];
const SERVICES = [
  "service",
  "service name",
  "monitor",
  "monitor name",
  "check",
  "application",
  "app",
  "component",
  "job",
];
const SEVERITIES = ["severity", "alert severity", "priority", "level", "urgency"];
const ENVIRONMENTS = ["environment", "env"];
const IDS = ["original problem id", "problem id", "event id", "alert id", "incident id", "alarm id"];
/** Headlines that only say that there is an alert, or which tool sent it. */
const VAGUE =
  /^(?:(?:\S+ ){0,4}(?:alerts?|notifications?|message)\W*(?:time \(\S{1,40}\))?|uptime[- ]kuma)$/i;

/** Texts of a longer message are not searched for a headline: a crafted one has thousands, each matched with many patterns. */
const MAX_TEXTS = 50;

/** `Netdata on web-1`, `Alert WARNING from netdata for web-1`. */
const NETDATA = /\bnetdata (?:on|for) \S+$/i;

/** The start of a Zabbix update about an operator's action; `Update:` counts only if the message has the problem's id. */
const UPDATED = /^(?:updated problem(?: in [\w .]{1,30})?|(update)):\s+/i;
/** Actions that are not read as an acknowledgement. */
const CHANGED = /\b(?:changed severity|unacknowledged)\b/;

type Facts = ReadonlyMap<string, string>;

/**
 * Reads a message; undefined if the payload is none, or has no headline while `strict`. One with a title, and otherwise only
 * members that any payload may have, is a message if its headline states a status, or if it is a `form` (decision 0309).
 */
export function readMessage(
  payload: JsonObject,
  rules: ReadingRules,
  warn: Warn,
  { form = false } = {},
): AlertReport | undefined {
  const message = messageOf(payload);
  // A strict integration requires a title; the first line of a text does not count as one.
  if (!message || (rules.strict && firstLine(plainText(message.headline ?? "")) === "")) return undefined;
  const texts = message.texts.map(plainText).filter((text) => text !== "");
  // The first of several facts with one name wins; facts in fields come before those in lines of text.
  const ownFacts = [...linkedHost(message.texts), ...message.facts.map(plainFact), ...texts.flatMap(factsIn)];
  const line = headlineOf(message, texts, new Map(ownFacts.toReversed()));
  const update = UPDATED.exec(withoutSigns(line));
  const isUpdate = update !== null && (!update[1] || ownFacts.some(([name]) => IDS.includes(name)));
  const headline = isUpdate ? withoutSigns(line).replace(UPDATED, "Problem: ") : line;
  const alarm = alarmIn({ links: message.links, headline: line, texts, facts: ownFacts });
  const mayBeSpecified = message.hasCommonNames === true && !form && isTitled(payload);
  // Of such a payload only the headline counts: its text and tags may be about anything.
  const headlineMarks = mayBeSpecified ? marksOf(headline, []) : marksOf(headline, texts, message.tags);
  const facts = new Map([...ownFacts, ...headlineMarks.facts].toReversed());
  const fact = (names: readonly string[]) => names.map((name) => facts.get(name)).find((value) => value);
  // The state of a vague sentence counts only if the message names a host.
  const isNamed = !headlineMarks.isVague || fact(HOSTS) !== undefined;
  if (mayBeSpecified && !alarm && !(isNamed && headlineMarks.isStated)) return undefined;
  const marks = {
    ...headlineMarks,
    isStated: isNamed && (headlineMarks.isStated || message.isOver !== undefined),
    isOver: message.isOver ?? (isNamed && headlineMarks.isOver),
  };
  const isOver = alarm?.isOver ?? marks.isOver;
  // An update without a host or an id matches no alert and must not open one, so it stays an acknowledgement.
  const isSeen =
    isUpdate && !((fact(HOSTS) || fact(IDS)) && message.texts.some((text) => CHANGED.test(text)));
  const own = marks.isStated && marks.title !== "" ? marks.title : withoutSigns(headline);
  const place = marks.isVague && [fact(SERVICES), hostIn(fact(HOSTS))].filter((part) => part).join(" on ");
  // In some chats the headline of an alarm names only the tool.
  const name = alarm && (NETDATA.test(own) || alarm.isTitled) ? alarm.title : place || own;
  if (headline === "") warn(`It says nothing that could be a title; the alert is called ${UNTITLED}.`);
  else if (!message.headline) warn("title is missing; the first line of the message stands for it.");
  const at = reportedTime(message.at) ?? null;
  const saidSeverity = severityOf(message, alarm?.word ?? fact(SEVERITIES), marks, rules);
  return {
    readAs: message.chat,
    action: isOver ? "recovery" : isSeen ? "acknowledgement" : "firing",
    title: shortText("title", name, LONGEST.title, warn) ?? UNTITLED,
    description: shortText("description", descriptionOf(message, texts, headline), LONGEST.description, warn),
    severity: isOver ? "unknown" : (saidSeverity ?? "critical"),
    saidSeverity,
    service: shortText("service", fact(SERVICES) ?? alarm?.service, LONGEST.service, warn),
    monitoringTool: shortText("monitoring_tool", alarm?.tool ?? textOf(message.sender), LONGEST.tool, warn),
    hosts: hostList(alarm?.host ?? hostIn(fact(HOSTS)), warn),
    environmentName: fact(ENVIRONMENTS) ?? null,
    runbookUrl: webAddress(...message.links),
    startedAt: isOver ? null : at,
    endedAt: isOver ? at : null,
    fingerprint:
      givenFingerprint(alarm && ["message", ...alarm.name]) ?? identityOf(message, marks, texts, fact),
    counting: "each",
    customNames: [],
    payload,
  };
}

function plainFact([name, value]: readonly [string, string]): [string, string] {
  return [withoutColon(plainText(name)).toLowerCase(), plainText(value)];
}

/** Removes trailing colons and spaces; a loop, since a pattern would backtrack at each of thousands of colons. */
function withoutColon(name: string): string {
  let end = name.length;
  while (/[:\s]/.test(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** Removes the IP address that some tools write behind a host; the search from a bracket ends at the next one. */
function hostIn(text: string | undefined): string | undefined {
  return text?.replace(/ (?:\[[^\][]*\]|\(IP: [^()]*\))$/, "");
}

/** Returns the most specific headline: a known line, else the message's own, else the first line of its texts. */
function headlineOf(message: Message, texts: readonly string[], facts: Facts): string {
  const own = firstLine(plainText(message.headline ?? ""));
  const knownLine = texts.length > MAX_TEXTS ? undefined : ownLineIn(texts, message.facts);
  if (knownLine) return knownLine;
  // Uptime Kuma's messages for Rocket.Chat have the line `Message` before the text.
  const lines = texts.map((text) => firstLine(text.replace(/^message:?\n/i, "")));
  if (own === "") {
    const line = lines.find((text) => text !== "") ?? "";
    // Alertmanager's messages for Telegram are lists of labels without a headline.
    return (/^alerts? (?:firing|resolved):$/i.test(line) ? facts.get("alertname") : undefined) ?? line;
  }
  if (lines.length > MAX_TEXTS) return own;
  const sentence = lines.find((line) => sentenceIn(line, withoutSigns(line)));
  if (sentence && !marksOf(own, []).isStated) return sentence;
  if (!VAGUE.test(own)) return own;
  const fact = facts.get("message") ?? facts.get("summary") ?? facts.get("subject");
  return firstLine(fact ?? stateIn(lines) ?? "") || own;
}

/**
 * Returns the first meaningful line if it gives a state; later lines may describe an earlier one. Undefined if the first line
 * gives a resolved state and a later one a problem.
 */
function stateIn(lines: readonly string[]): string | undefined {
  const meaningful = lines.filter((line) => line !== "" && !VAGUE.test(line));
  const [first, ...others] = meaningful.map((line) => marksOf(line, []));
  if (!first?.isStated) return undefined;
  return first.isOver && others.some(({ isStated, isOver }) => isStated && !isOver)
    ? undefined
    : meaningful[0];
}

function descriptionOf(message: Message, texts: readonly string[], headline: string): string {
  const lines = [
    ...texts,
    ...message.facts.map(([name, value]) => `${withoutColon(plainText(name))}: ${plainText(value)}`),
  ]
    .map((text) => restOf(text, headline))
    .filter((text) => text !== "");
  return [...new Set(lines)].join("\n");
}

/** Returns the stated severity, else that of the chat's priority, of a word in the headline, or of the colour. */
function severityOf(
  message: Message,
  said: string | undefined,
  marks: Marks,
  { valueTables }: ReadingRules,
): Severity | undefined {
  const word = translated(valueTables, "severity", said);
  const colour = severityOfColour(message.colour);
  // Some tools send everything in green.
  const isWrong = colour === "info" && marks.isDown;
  return (
    severityOfLabel(word) ??
    message.severity ??
    severityOfLabel(marks.severityWord) ??
    (isWrong ? undefined : colour)
  );
}

/** Removes the headline from the start of a text, where tools repeat it for clients that show only one of them. */
function restOf(text: string, headline: string): string {
  const rest = text.startsWith(headline) ? text.slice(headline.length) : undefined;
  return rest !== undefined && /^(?:$|\n| \|)/.test(rest) ? rest.replace(/^[\s|]+/, "") : text;
}

/**
 * Returns the fingerprint: of an id, or of the headline's name with host and service, if the headline gives a state; of the
 * whole message otherwise, so that different messages stay different alerts.
 */
function identityOf(
  message: Message,
  marks: Marks,
  texts: readonly string[],
  fact: (names: readonly string[]) => string | undefined,
): Fingerprint {
  const id = fact(IDS);
  const named =
    marks.isStated &&
    (id ? ["id", id] : marks.name && [marks.name, fact(HOSTS) ?? "-", fact(SERVICES) ?? "-"]);
  const given = named ? givenFingerprint(["message", ...named]) : undefined;
  const facts = message.facts.filter(([name]) => !/\b(?:time|date|duration)\b/i.test(name));
  return given ?? payloadFingerprint({ message: { headline: message.headline ?? null, texts, facts } });
}
