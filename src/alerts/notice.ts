/** Writes the messages about an alert, for each kind of channel. */
import { cutText } from "../platform/cut-text.ts";
import type { ChannelEvent } from "./channel.ts";

/** The alert as messages describe it. */
export interface Told {
  projectPath: string;
  projectName: string;
  iid: number;
  title: string;
  description: string | null;
  severity: string;
  status: string;
  service: string | null;
  environment: string | null;
  hosts: readonly string[];
  integrationName: string | null;
  runbookUrl: string | null;
  incidentIid: number | null;
  recurrenceOf: number | null;
  events: number;
  startedAt: Date;
  endedAt: Date | null;
}

/** A message before its recipients are known. */
export interface Notice {
  event: string;
  subject: string;
  text: string;
  /** Shared by all mails about one alert, incident or storm, for threading; absent in messages that stand alone. */
  thread?: string;
  slack: { text: string; blocks: readonly unknown[] };
  body: unknown;
}

/** What happened to an alert, as messages say it. */
export const EVENT_WORDS: Readonly<Record<ChannelEvent, string>> = {
  opened: "opened",
  reopened: "opened again",
  acknowledged: "acknowledged",
  resolved: "resolved",
};

/** Returns the message about an event; `by` is the name of the person who caused it, undefined if the sender did. */
export function alertNotice(
  what: ChannelEvent,
  told: Told,
  by: string | undefined,
  publicUrl: string,
): Notice {
  const home = `${publicUrl}/${told.projectPath}`;
  const url = `${home}/-/alerts/${told.iid}`;
  const words = `Alert #${told.iid} was ${EVENT_WORDS[what]}${by === undefined ? "" : ` by ${by}`}`;
  return noticeOf({
    event: `alert.${what}`,
    subject: `[${what === "resolved" ? "Resolved" : told.severity}] ${told.title} (${told.projectPath})`,
    words,
    about: told,
    shortly: `${told.title} (${told.severity})`,
    facts: factsOf(told, home),
    url,
    body: { event: `alert.${what}`, by: by ?? null, ...recordOf(told, publicUrl) },
  });
}

/** The parts of a message, for alerts, incidents and storms. */
interface Words {
  event: string;
  subject: string;
  /** The first sentence. */
  words: string;
  about: { title: string; projectPath: string };
  /** The title in messages of one line. */
  shortly: string;
  facts: readonly (readonly [name: string, value: string])[];
  /** The page that it links to. */
  url: string;
  /** The body for webhooks. */
  body: unknown;
}

/** Slack's limit for a section is 3,000 characters; some are left for markup. */
const MAX_FACTS = 2900;

/** Formats the message for each kind of channel. */
export function noticeOf({ event, subject, words, about, shortly, facts, url, body }: Words): Notice {
  const { title, projectPath } = about;
  const said = facts.map(([name, value]) => [name, indented(value)] as const);
  const lines = said.map(([name, value]) => `${name}: ${value}`);
  const marked = said.map(([name, value]) => `*${name}*: ${escaped(value)}`).join("\n");
  return {
    event,
    subject: oneLine(subject),
    text: [`${oneLine(words)} in ${projectPath}.`, "", oneLine(title), "", ...lines, "", url, ""].join("\n"),
    thread: new URL(url).pathname.slice(1),
    slack: {
      text: `${escaped(words)}: ${escaped(shortly)} ${url}`,
      blocks: [
        section(`*<${url}|${escaped(oneLine(title))}>*\n${escaped(words)} in ${escaped(projectPath)}`),
        section(cutText(marked, MAX_FACTS)),
      ],
    },
    body,
  };
}

/** Returns the message that tests a channel. */
export function testNotice(name: string, projectPath: string, publicUrl: string): Notice {
  const words = `This is a test of the channel ${name} of ${projectPath}. Nothing is wrong.`;
  return {
    event: "alert.test",
    subject: oneLine(`Test of ${name} (${projectPath})`),
    text: `${words}\n\n${publicUrl}/${projectPath}/-/alerts\n`,
    slack: { text: escaped(words), blocks: [section(escaped(words))] },
    body: { event: "alert.test", message: words, project: projectOf({ projectPath }, publicUrl) },
  };
}

function factsOf(told: Told, home: string): [string, string][] {
  const all: [string, string | null][] = [
    ["Severity", told.severity],
    ["Service", told.service],
    ["Environment", told.environment],
    ["Hosts", told.hosts.slice(0, 10).join(", ") || null],
    ["From", told.integrationName],
    ["Began", told.startedAt.toISOString()],
    ["Ended", told.endedAt?.toISOString() ?? null],
    ["Occurrences", told.events > 1 ? `${told.events}` : null],
    ["Recurrence of", told.recurrenceOf === null ? null : `#${told.recurrenceOf}`],
    ["Incident", told.incidentIid === null ? null : `${home}/-/incidents/${told.incidentIid}`],
    ["Runbook", told.runbookUrl],
    ["Description", told.description],
  ];
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as [string, string]]));
}

function recordOf(told: Told, publicUrl: string) {
  const home = `${publicUrl}/${told.projectPath}`;
  return {
    project: projectOf(told, publicUrl),
    alert: {
      iid: told.iid,
      title: told.title,
      description: told.description,
      severity: told.severity,
      status: told.status,
      service: told.service,
      environment: told.environment,
      hosts: told.hosts,
      integration: told.integrationName,
      runbook: told.runbookUrl,
      events: told.events,
      started_at: told.startedAt.toISOString(),
      ended_at: told.endedAt?.toISOString() ?? null,
      recurrence_of: told.recurrenceOf,
      incident_iid: told.incidentIid,
      web_url: `${home}/-/alerts/${told.iid}`,
    },
  };
}

/** Returns the project as it appears in the bodies of webhooks. */
export function projectOf({ projectPath }: Pick<Told, "projectPath">, publicUrl: string) {
  return { path_with_namespace: projectPath, web_url: `${publicUrl}/${projectPath}` };
}

/** Returns a Slack section. */
export function section(text: string) {
  return { type: "section", text: { type: "mrkdwn", text } };
}

/** Escapes a sender's text, so that it cannot mention people or make links in a chat. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Indents all but the first line of a sender's text, so that none looks like one of ours. */
function indented(text: string): string {
  return text.trim().replace(/\r\n?|[\n\v\f\u0085\u2028\u2029]/g, "\n  ");
}

/** Returns text in one line, for subjects. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
