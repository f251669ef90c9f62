/** A heartbeat: a source that is expected to ping at regular intervals, and opens an alert when it does not (decision 0098). */
import { nameFault } from "../accounts/name.ts";
import { boolean, bytes, instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { SEVERITIES, type Severity } from "./severity.ts";

export const HeartbeatRow = row({
  id: integer,
  projectId: integer,
  projectPath: text,
  name: text,
  identifier: text,
  keyDigest: bytes,
  keySealed: bytes,
  /** Whether it is switched on and its project is not archived. */
  active: boolean,
  /** Whether it is switched on. */
  isOn: boolean,
  intervalSeconds: integer,
  graceSeconds: integer,
  severity: oneOf(SEVERITIES),
  lastPingAt: nullable(instant),
  dueAt: nullable(instant),
  late: boolean,
  /** Settings of its project: whether an alert opens an incident, with which template, and whether anything else applies. */
  createIncident: boolean,
  incidentTemplateId: nullable(integer),
  reaches: boolean,
  /** The database's time when it was read. */
  now: instant,
  createdAt: instant,
  updatedAt: instant,
});
export type Heartbeat = RowOf<typeof HeartbeatRow>;

/** The fields of a heartbeat that can be set. */
export interface HeartbeatFields {
  name: string;
  active: boolean;
  intervalSeconds: number;
  graceSeconds: number;
  severity: Severity;
}

/** `waiting`: no ping was received yet. */
export const HEARTBEAT_STATES = ["waiting", "up", "late", "off"] as const;

export function heartbeatState({
  active,
  late,
  dueAt,
}: Pick<Heartbeat, "active" | "late" | "dueAt">): (typeof HEARTBEAT_STATES)[number] {
  if (!active) return "off";
  if (!dueAt) return "waiting";
  return late ? "late" : "up";
}

/** Returns the context under which its key is sealed. */
export function heartbeatContext(identifier: string): string {
  return `alert_heartbeats:${identifier}`;
}

/** What the path at which it is pinged is made of. */
export type HeartbeatAddress = Pick<Heartbeat, "projectPath" | "identifier">;

/** Returns the path at which it is pinged. */
export function heartbeatPath({ projectPath, identifier }: HeartbeatAddress): string {
  return `/${projectPath}/heartbeats/${identifier}`;
}

/** What happens to a heartbeat: a ping is overdue, or one is received at last. */
export type HeartbeatTurn = "late" | "back";

/** Returns the payload that reports it as late, or as back, with how long no ping was received. */
export function heartbeatPayload(beat: Heartbeat, turn: HeartbeatTurn): Record<string, unknown> {
  const { lastPingAt, now } = beat;
  const isBack = turn === "back";
  const every = `A ping is expected every ${beat.intervalSeconds} s, with a grace period of ${beat.graceSeconds} s.`;
  const last = lastPingAt ? ` The last ping was received at ${lastPingAt.toISOString()}.` : "";
  const silent = lastPingAt && isBack ? Math.round((now.getTime() - lastPingAt.getTime()) / 1000) : undefined;
  return {
    title: `Heartbeat missed: ${beat.name}`,
    description: every + last + (silent === undefined ? "" : ` No ping was received for ${silent} s.`),
    severity: beat.severity,
    monitoring_tool: "Heartbeat",
    fingerprint: ["heartbeat", beat.identifier],
    ...(isBack ? { end_time: now.toISOString() } : { start_time: (beat.dueAt ?? now).toISOString() }),
    heartbeat: beat.identifier,
    ...(silent === undefined ? {} : { silent_seconds: silent }),
  };
}

/** How often a ping may be expected at most and at least, and how late it may be at most. */
const SHORTEST_INTERVAL_SECONDS = 10;
const LONGEST_INTERVAL_SECONDS = 366 * 24 * 3600;
const LONGEST_GRACE_SECONDS = 7 * 24 * 3600;

/**
 * Returns the errors in a heartbeat's fields.
 * @param before its current name, if it has one
 */
export function heartbeatFaults(fields: HeartbeatFields, before?: string): Record<string, string[]> {
  const { name, intervalSeconds, graceSeconds } = fields;
  const wrongName = nameFault(name, 100, before);
  const within = (n: number, least: number, most: number) => Number.isInteger(n) && n >= least && n <= most;
  return {
    ...(wrongName ? { name: [wrongName] } : {}),
    ...(within(intervalSeconds, SHORTEST_INTERVAL_SECONDS, LONGEST_INTERVAL_SECONDS)
      ? {}
      : { interval_seconds: ["must be from 10 seconds to a year"] }),
    ...(within(graceSeconds, 0, LONGEST_GRACE_SECONDS)
      ? {}
      : { grace_seconds: ["must be from 0 seconds to a week"] }),
  };
}
