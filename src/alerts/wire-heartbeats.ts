/** Requests about heartbeats, and their record on the API. */
import type { Described } from "../platform/answers.ts";
import { given } from "../platform/given.ts";
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { type Heartbeat, type HeartbeatFields, heartbeatPath, heartbeatState } from "./heartbeat.ts";
import { SEVERITIES } from "./severity.ts";
import type { HEARTBEAT } from "./wire-answers-heartbeats.ts";

const name = Type.String({ description: "name of the heartbeat, at most 100 characters" });
const fields = {
  active: Type.Optional(
    Type.Boolean({
      description: "whether an alert is opened if a ping is late; default for new heartbeats: true",
    }),
  ),
  interval_seconds: Type.Optional(
    Type.Integer({
      description: "expected seconds between pings, 10 to 31,622,400; default for new heartbeats: 86,400",
    }),
  ),
  grace_seconds: Type.Optional(
    Type.Integer({
      description:
        "seconds that a ping may be late before an alert is opened, 0 to 604,800; default for new heartbeats: 300",
    }),
  ),
  severity: Type.Optional(
    Type.Enum([...SEVERITIES], {
      description: "severity of the alert that is opened; default for new heartbeats: critical",
    }),
  ),
};
export const NewHeartbeatBody = Type.Object({ name, ...fields });
export type NewHeartbeatBody = Static<typeof NewHeartbeatBody>;
export const HeartbeatBody = Type.Object({ name: Type.Optional(name), ...fields });
export type HeartbeatBody = Static<typeof HeartbeatBody>;
export const HeartbeatParameters = Type.Object({
  ...ProjectParameters.properties,
  heartbeat_id: Type.String({ description: "number of the heartbeat" }),
});
export type HeartbeatParameters = Static<typeof HeartbeatParameters>;
export const HeartbeatsQuery = Type.Object({ ...pageParameters });

/** The fields of a new heartbeat. */
export function newHeartbeatOf(body: NewHeartbeatBody): HeartbeatFields {
  const usual = { active: true, intervalSeconds: 86_400, graceSeconds: 300, severity: "critical" } as const;
  return { name: "", ...usual, ...heartbeatChangeOf(body) };
}

/** The fields that a body names. */
export function heartbeatChangeOf(body: HeartbeatBody): Partial<HeartbeatFields> {
  return given({
    name: body.name?.trim(),
    active: body.active,
    intervalSeconds: body.interval_seconds,
    graceSeconds: body.grace_seconds,
    severity: body.severity,
  });
}

/** A heartbeat as the API shows it to Maintainers. */
export function heartbeatRecord(
  beat: Heartbeat,
  key: string,
  publicUrl: string,
): Described<typeof HEARTBEAT> {
  return {
    id: beat.id,
    name: beat.name,
    url: publicUrl + heartbeatPath(beat),
    key,
    active: beat.active,
    interval_seconds: beat.intervalSeconds,
    grace_seconds: beat.graceSeconds,
    severity: beat.severity,
    ...pingRecord(beat),
    created_at: beat.createdAt.toISOString(),
    updated_at: beat.updatedAt.toISOString(),
  };
}

/** The response to a ping. */
export function pingRecord(beat: Heartbeat) {
  return {
    state: heartbeatState(beat),
    last_ping_at: beat.lastPingAt?.toISOString() ?? null,
    due_at: beat.dueAt?.toISOString() ?? null,
  };
}
