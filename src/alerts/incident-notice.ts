/** Writes the messages about an incident that a person opened, for each kind of channel (decision 0129). */
import type { ChannelEvent } from "./channel.ts";
import type { Incident } from "./incident.ts";
import { type Notice, noticeOf, projectOf } from "./notice.ts";

/** What a person did to an incident. */
export type IncidentEvent = "opened" | "raised" | "reopened" | "closed";

/** The alert event that a channel must subscribe to in order to be notified of an incident's event. */
export const TOLD_WITH: Readonly<Record<IncidentEvent, ChannelEvent>> = {
  opened: "opened",
  raised: "opened",
  reopened: "reopened",
  closed: "resolved",
};

const WORDS: Readonly<Record<IncidentEvent, string>> = {
  opened: "opened",
  raised: "made more severe",
  reopened: "opened again",
  closed: "closed",
};

/** The incident as messages describe it; `alertIid` is of the alert that it was opened from. */
export type ToldIncident = Pick<
  Incident,
  "iid" | "title" | "description" | "severity" | "createdAt" | "closedAt"
> & {
  projectPath: string;
  alertIid: number | null;
};

/** How many characters of a description a message shows. */
const MAX_SHOWN = 1000;

/** Returns the message about an event; `by` is the name of the person who caused it. */
export function incidentNotice(
  what: IncidentEvent,
  told: ToldIncident,
  by: string | undefined,
  publicUrl: string,
): Notice {
  const home = `${publicUrl}/${told.projectPath}`;
  const url = `${home}/-/incidents/${told.iid}`;
  // Those notified of a higher severity hear of the incident for the first time.
  const event = `incident.${what === "raised" ? "opened" : what}`;
  const words = `Incident #${told.iid} was ${WORDS[what]}${by === undefined ? "" : ` by ${by}`}`;
  return noticeOf({
    event,
    subject: `[${what === "closed" ? "Closed" : "Incident"}] ${told.title} (${told.projectPath})`,
    words,
    about: told,
    shortly: told.title,
    facts: factsOf(told, home),
    url,
    body: {
      event,
      by: by ?? null,
      project: projectOf(told, publicUrl),
      incident: {
        iid: told.iid,
        title: told.title,
        description: told.description,
        severity: told.severity,
        state: what === "closed" ? "closed" : "opened",
        created_at: told.createdAt.toISOString(),
        closed_at: told.closedAt?.toISOString() ?? null,
        alert_iid: told.alertIid,
        web_url: url,
      },
    },
  });
}

function factsOf({ severity, createdAt, closedAt, alertIid, description }: ToldIncident, home: string) {
  const shown = description.trim();
  const all: [string, string | null][] = [
    ["Severity", severity],
    ["Opened", createdAt.toISOString()],
    ["Closed", closedAt?.toISOString() ?? null],
    ["Alert", alertIid === null ? null : `${home}/-/alerts/${alertIid}`],
    [
      "Description",
      shown.length > MAX_SHOWN ? `${[...shown].slice(0, MAX_SHOWN).join("")}...` : shown || null,
    ],
  ];
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as [string, string]]));
}
