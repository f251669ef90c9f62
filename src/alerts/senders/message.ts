/** Messages that a tool writes for people in a chat or on a phone, read as alerts (decision 0141). */
import type { JsonObject } from "../../platform/json-object.ts";
import { type Fingerprint, givenFingerprint, payloadFingerprint } from "../fingerprint.ts";
import type { ReadingRules } from "../reading-rules.ts";
import type { AlertReport } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { type Severity, severityOfLabel } from "../severity.ts";
import { translated } from "../value-tables.ts";
import type { Message } from "./chat-message.ts";
import { hostList, shortText, textOf, UNTITLED, type Warn, webAddress } from "./member.ts";
import { messageOf } from "./message-chats.ts";
import {
  linkedAlarm,
  type Marks,
  marksOf,
  severityOfColour,
  toldAlarm,
  withoutSigns,
} from "./message-marks.ts";
import { linkedHost, monikaAlarm, ownLineIn, sentenceIn } from "./message-sentences.ts";
import { factsIn, firstLine, plainText } from "./message-text.ts";

/** Names that people give to the facts that matter here. */
const HOSTS = ["host", "hosts", "hostname", "host name", "instance", "server", "node", "device", "machine"];
const SERVICES = [
  ...[
    "service",
    "service name",
    "monitor",
    "monitor name",
    "check",
    "application",
    "app",
    "component",
    "job",
  ],
];
const SEVERITIES = ["severity", "alert severity", "priority", "level", "urgency"];
const ENVIRONMENTS = ["environment", "env"];
const IDS = ["original problem id", "problem id", "event id", "alert id", "incident id", "alarm id"];
/** Headlines that say only that there is an alert, or whose. */
const VAGUE =
  /^(?:(?:\S+ ){0,4}(?:alerts?|notifications?|message)\W*(?:time \(\S{1,40}\))?|uptime[- ]kuma)$/i;

/** A message of more parts speaks of many things; a crafted one has thousands, and each is matched with many patterns. */
const MAX_TEXTS = 50;

/** `Netdata on web-1`, `Alert WARNING from netdata for web-1`. */
const NETDATA = /\bnetdata (?:on|for) \S+$/i;

/** How Zabbix begins to tell what people did about a problem; the shorter way counts where the problem's number is told. */
const UPDATED = /^(?:updated problem(?: in [\w .]{1,30})?|(update)):\s+/i;
/** What they did that is more than to look at it. */
const CHANGED = /\b(?:changed severity|unacknowledged)\b/;

type Facts = ReadonlyMap<string, string>;

/** What a message says; undefined where the payload is none, or speaks of itself in this service's own words. */
export function readMessage(payload: JsonObject, rules: ReadingRules, warn: Warn): AlertReport | undefined {
  const message = messageOf(payload);
  // Whoever asks for a title is not content with a first line.
  if (!message || (rules.strict && firstLine(plainText(message.headline ?? "")) === "")) return undefined;
  const texts = message.texts.map(plainText).filter((text) => text !== "");
  // Of two facts of one name the first counts, and those in a place of their own go before lines of a text.
  const told = [...linkedHost(message.texts), ...message.facts.map(plainFact), ...texts.flatMap(factsIn)];
  const line = headlineOf(message, texts, new Map(told.toReversed()));
  const update = UPDATED.exec(withoutSigns(line));
  const isUpdate = update !== null && (!update[1] || told.some(([name]) => IDS.includes(name)));
  const headline = isUpdate ? withoutSigns(line).replace(UPDATED, "Problem: ") : line;
  const alarm = linkedAlarm(message.links) ?? toldAlarm(line, texts) ?? monikaAlarm(line, texts, told);
  const said = marksOf(headline, texts, message.tags);
  const facts = new Map([...told, ...said.facts].toReversed());
  const fact = (names: readonly string[]) => names.map((name) => facts.get(name)).find((value) => value);
  // A state of nothing that is told is the state of nothing.
  const marks = said.isVague && !fact(HOSTS) ? { ...said, isStated: false, isOver: false } : said;
  const isOver = alarm?.isOver ?? marks.isOver;
  // What is told without a place belongs to no alert that could be found, and must not open one.
  const isSeen =
    isUpdate && !((fact(HOSTS) || fact(IDS)) && message.texts.some((text) => CHANGED.test(text)));
  const own = marks.isStated && marks.title !== "" ? marks.title : withoutSigns(headline);
  const place = marks.isVague && [fact(SERVICES), hostIn(fact(HOSTS))].filter((part) => part).join(" on ");
  // In some chats the headline tells of an alarm only whose it is.
  const name = alarm && (NETDATA.test(own) || alarm.isTitled) ? alarm.title : place || own;
  if (headline === "") warn(`It says nothing that could be a title; the alert is called ${UNTITLED}.`);
  else if (!message.headline) warn("title is missing; the first line of the message stands for it.");
  const at = reportedTime(message.at) ?? null;
  const saidSeverity = severityOf(message, alarm?.word ?? fact(SEVERITIES), marks, rules);
  return {
    readAs: message.chat,
    action: isOver ? "recovery" : isSeen ? "acknowledgement" : "firing",
    title: shortText("title", name, 200, warn) ?? UNTITLED,
    description: shortText("description", descriptionOf(message, texts, headline), 1000, warn),
    severity: isOver ? "unknown" : (saidSeverity ?? "critical"),
    saidSeverity,
    service: shortText("service", fact(SERVICES) ?? alarm?.chart, 100, warn),
    monitoringTool: shortText("monitoring_tool", alarm?.tool ?? textOf(message.sender), 100, warn),
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

/** A pattern would begin anew at each of thousands of colons, in each of hundreds of names. */
function withoutColon(name: string): string {
  let end = name.length;
  while (/[:\s]/.test(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** Without the address that some write behind a host. */
function hostIn(text: string | undefined): string | undefined {
  return text?.replace(/ (?:\[[^\]]*\]|\(IP: [^)]*\))$/, "");
}

/** What stands in the place of a title, else the first line; a headline that says nothing gives way to what is told. */
function headlineOf(message: Message, texts: readonly string[], facts: Facts): string {
  const own = firstLine(plainText(message.headline ?? ""));
  const told = texts.length > MAX_TEXTS ? undefined : ownLineIn(texts, message.facts);
  if (told) return told;
  // Uptime Kuma writes to Rocket.Chat what its message is on the line before it.
  const lines = texts.map((text) => firstLine(text.replace(/^message:?\n/i, "")));
  if (own === "") {
    const line = lines.find((text) => text !== "") ?? "";
    // Alertmanager's to Telegram are a list of labels without a headline.
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
 * The first thing that is said, where that is a state: what comes behind it may tell how it was before. It is none where
 * something else is said to be in trouble meanwhile.
 */
function stateIn(lines: readonly string[]): string | undefined {
  const said = lines.filter((line) => line !== "" && !VAGUE.test(line));
  const [first, ...others] = said.map((line) => marksOf(line, []));
  if (!first?.isStated) return undefined;
  return first.isOver && others.some(({ isStated, isOver }) => isStated && !isOver) ? undefined : said[0];
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

/** What it says it is, then how urgent its sender thinks it, the first word of its headline, its colour. */
function severityOf(
  message: Message,
  said: string | undefined,
  marks: Marks,
  { valueTables }: ReadingRules,
): Severity | undefined {
  const word = translated(valueTables, "severity", said);
  const colour = severityOfColour(message.colour);
  // Some write in green whatever it is.
  const isWrong = colour === "info" && marks.isDown;
  return (
    severityOfLabel(word) ??
    message.severity ??
    severityOfLabel(marks.severityWord) ??
    (isWrong ? undefined : colour)
  );
}

/** A text without its first line where that is the headline; senders write both into one for those who see one only. */
function restOf(text: string, headline: string): string {
  const rest = text.startsWith(headline) ? text.slice(headline.length) : undefined;
  return rest !== undefined && /^(?:$|\n| \|)/.test(rest) ? rest.replace(/^[\s|]+/, "") : text;
}

/**
 * A headline that says in which state something is names that thing, and what is said of it without the state is its
 * name, with the places it speaks of; any other message is compared as a whole, so that none hides another.
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
