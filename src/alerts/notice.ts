/** What is told of an alert, in the words of each kind of channel. */
import { cutText } from "../platform/cut-text.ts";
import type { ChannelEvent } from "./channel.ts";

/** The alert as it is told. */
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

/** A message before it is known whom it goes to. */
export interface Notice {
  event: string;
  subject: string;
  text: string;
  /** What all mails about one thing have in common; none where it is told of once. */
  thread?: string;
  slack: { text: string; blocks: readonly unknown[] };
  body: unknown;
}

const EVENT_WORDS: Readonly<Record<ChannelEvent, string>> = {
  opened: "opened",
  reopened: "opened again",
  acknowledged: "acknowledged",
  resolved: "resolved",
};

/** What is said when this happens to an alert; `by` is who did it, undefined for its sender. */
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

/** What a message says, whatever it tells of. */
interface Words {
  event: string;
  subject: string;
  /** The sentence that it begins with. */
  words: string;
  about: { title: string; projectPath: string };
  /** The title where there is one line only. */
  shortly: string;
  facts: readonly (readonly [name: string, value: string])[];
  /** Its page. */
  url: string;
  /** For webhooks. */
  body: unknown;
}

/** As much as a paragraph of a chat takes, less what its marks need. */
const MOST_FACTS = 2900;

/** The message in the form of each kind of channel. */
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
        section(cutText(marked, MOST_FACTS)),
      ],
    },
    body,
  };
}

/** What is said to try a channel out. */
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
    ["Came before as", told.recurrenceOf === null ? null : `#${told.recurrenceOf}`],
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

/** The project as a webhook hears of it. */
export function projectOf({ projectPath }: Pick<Told, "projectPath">, publicUrl: string) {
  return { path_with_namespace: projectPath, web_url: `${publicUrl}/${projectPath}` };
}

/** A paragraph in a chat. */
export function section(text: string) {
  return { type: "section", text: { type: "mrkdwn", text } };
}

/** Text of a sender must not call people or make links in a chat. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** No line of a sender's text looks like one of ours. */
function indented(text: string): string {
  return text.trim().replace(/\r\n?|[\n\v\f\u0085\u2028\u2029]/g, "\n  ");
}

/** A subject has one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
