/** The demo's alerts as steps in order of time: deliveries, and what people do about them. */
import type { AlertStatus } from "../alerts/alert.ts";
import type { Username } from "./cast.ts";
import { OPEN_TROUBLES, type OpenTrouble } from "./open-troubles.ts";
import type { Random } from "./random.ts";
import { BERTHS, FINDINGS, PAST_TROUBLES, PILOTS, type SourceName, TIDES, type Trouble } from "./troubles.ts";
import { DAY, HOUR } from "./working-time.ts";

/** One step; `at` is in milliseconds since 1970, `key` identifies the problem. */
export type AlertStep = { at: number; key: string; project: string } & (
  | { kind: "deliver"; source: SourceName; payload: unknown }
  | { kind: "handle"; by: Username; status: AlertStatus; assigned: boolean }
  | { kind: "note"; by: Username; on: "alert" | "incident"; body: string }
);

const MINUTE = HOUR / 60;
const PAST_DAYS = 95;
const PAST_ALERTS = 64;
/** Who handles the alerts of which project. */
const ON_CALL: Readonly<Record<string, readonly Username[]>> = {
  [BERTHS]: ["ines", "tomas", "jonas", "maya"],
  [PILOTS]: ["jonas", "maya", "bea"],
  [TIDES]: ["tomas", "ines", "maya"],
};

/** Returns all steps up to `now`, oldest first. */
export function alertSteps(random: Random, now: number): AlertStep[] {
  const steps = [
    ...pastSteps(random, now),
    ...OPEN_TROUBLES.flatMap((trouble) => openSteps(random, trouble, now)),
  ];
  return steps.sort((a, b) => a.at - b.at);
}

function openSteps(random: Random, trouble: OpenTrouble, now: number): AlertStep[] {
  const { key, project, occurrences, handling, notes = [] } = trouble;
  const [first, last] = trouble.minutesAgo.map((minutes) => now - minutes * MINUTE) as [number, number];
  const steps: AlertStep[] = [];
  for (let i = 0; i < occurrences; i++) {
    const share = occurrences === 1 ? 0 : i / (occurrences - 1);
    const jitter = i === 0 || i === occurrences - 1 ? 0 : (random.next() - 0.5) * 0.8;
    // Most problems occur more often the longer they last.
    const along = ((i + jitter) / Math.max(1, occurrences - 1)) ** 0.75;
    const at = first + (last - first) * along;
    steps.push(delivery(trouble, { at, first, share, host: random.pick(trouble.hosts), ended: undefined }));
  }
  if (handling) {
    const { by, status, assigned } = handling;
    steps.push({
      at: now - handling.minutesAgo * MINUTE,
      key,
      project,
      kind: "handle",
      by,
      status,
      assigned,
    });
  }
  for (const { minutesAgo, by, on, body } of notes) {
    steps.push({ at: now - minutesAgo * MINUTE, key, project, kind: "note", by, on, body });
  }
  return steps;
}

/** Past problems: most resolved by their sender, some by a person, each before it occurs again. */
function pastSteps(random: Random, now: number): AlertStep[] {
  const steps: AlertStep[] = [];
  const freeAgain = new Map<string, number>();
  for (let i = 0; i < PAST_ALERTS; i++) {
    const begun = now - PAST_DAYS * DAY + (i / PAST_ALERTS) * (PAST_DAYS - 1.5) * DAY;
    const first = begun + random.next() * 20 * HOUR;
    const trouble = random.pick(PAST_TROUBLES);
    if ((freeAgain.get(trouble.key) ?? 0) > first) continue;
    const occurrences = random.between(1, 7);
    const pause = random.between(2, 11) * MINUTE;
    for (let n = 0; n < occurrences; n++) {
      const host = random.pick(trouble.hosts);
      steps.push(
        delivery(trouble, { at: first + n * pause, first, share: n / occurrences, host, ended: undefined }),
      );
    }
    const end = first + occurrences * pause + random.between(1, 40) * MINUTE;
    steps.push(...endingOf(random, trouble, first, end));
    freeAgain.set(trouble.key, end + HOUR);
  }
  return steps;
}

function endingOf(random: Random, trouble: Trouble, first: number, end: number): AlertStep[] {
  const { key, project } = trouble;
  const by = random.pick<Username>(ON_CALL[project] ?? ["ines"]);
  const body = random.pick(FINDINGS);
  const note: AlertStep = { at: end - MINUTE, key, project, kind: "note", by, on: "incident", body };
  const host = random.pick(trouble.hosts);
  const last: AlertStep = random.chance(0.7)
    ? delivery(trouble, { at: end, first, share: 1, host, ended: end })
    : { at: end, key, project, kind: "handle", by, status: "resolved", assigned: true };
  return random.chance(0.5) ? [note, last] : [last];
}

interface Occurrence {
  at: number;
  first: number;
  /** Progress from the first to the last occurrence, from 0 to 1. */
  share: number;
  host: string;
  ended: number | undefined;
}

function delivery(trouble: Trouble, occurrence: Occurrence): AlertStep {
  const { key, project, source } = trouble;
  const payload = source === "lookout" ? group(trouble, occurrence) : plain(trouble, occurrence);
  return { at: occurrence.at, key, project, kind: "deliver", source, payload };
}

function plain(trouble: Trouble, { at, share, host, ended }: Occurrence) {
  const { measure } = trouble;
  return {
    title: trouble.title,
    ...(trouble.description ? { description: trouble.description } : {}),
    ...(ended ? { end_time: iso(ended) } : { start_time: iso(at) }),
    severity: trouble.severity,
    service: trouble.service,
    monitoring_tool: trouble.source === "yard" ? "Yardwatch" : "Lookout",
    hosts: host,
    ...(trouble.environment ? { platform_environment_name: trouble.environment } : {}),
    fingerprint: trouble.key,
    ...(measure ? { [measure.name]: Math.round(measure.from + (measure.to - measure.from) * share) } : {}),
  };
}

/** A payload of Alertmanager (webhook, version 4). */
function group(trouble: Trouble, { first, host, ended }: Occurrence) {
  const labels = {
    alertname: trouble.key,
    severity: trouble.severity,
    service: trouble.service,
    instance: trouble.hosts.length === 1 ? host : trouble.hosts[0],
    ...(trouble.environment ? { environment: trouble.environment } : {}),
  };
  const annotations = {
    title: trouble.title,
    ...(trouble.description ? { description: trouble.description } : {}),
  };
  const status = ended ? "resolved" : "firing";
  const externalURL = "https://metrics.harbourlight.example";
  return {
    version: "4",
    groupKey: `{}:{alertname="${trouble.key}"}`,
    truncatedAlerts: 0,
    status,
    receiver: "gatehouse",
    groupLabels: { alertname: trouble.key },
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL,
    alerts: [
      {
        status,
        labels,
        annotations,
        startsAt: iso(first),
        endsAt: ended ? iso(ended) : "0001-01-01T00:00:00Z",
        generatorURL: `${externalURL}/graph`,
        fingerprint: `${Buffer.from(trouble.key).toString("hex").slice(0, 16)}`,
      },
    ],
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
