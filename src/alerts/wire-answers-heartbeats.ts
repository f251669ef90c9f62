/** The answers about heartbeats, as the OpenAPI document describes them (decision 0098). */
import { moment, nullable, record } from "../platform/answer-shapes.ts";
import {
  doneAnswers,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { HEARTBEAT_STATES } from "./heartbeat.ts";
import { SEVERITIES } from "./severity.ts";

export const HEARTBEAT = record("AlertHeartbeat", {
  id: Type.Integer(),
  name: Type.String(),
  url: Type.String({ description: "where it is pinged" }),
  key: Type.String({ description: "empty where the master key is another" }),
  active: Type.Boolean(),
  interval_seconds: Type.Integer(),
  grace_seconds: Type.Integer(),
  severity: Type.Enum([...SEVERITIES]),
  state: Type.Enum([...HEARTBEAT_STATES], { description: "waiting: for its first ping" }),
  last_ping_at: nullable(moment()),
  due_at: nullable(moment()),
  created_at: moment(),
  updated_at: moment(),
});

export const HEARTBEATS_ANSWERS = pageAnswers("The heartbeats of the project, late ones first", HEARTBEAT);

export const HEARTBEAT_ANSWERS = readAnswers("The heartbeat", HEARTBEAT);

export const NEW_HEARTBEAT_ANSWERS = writeAnswers(201, "The new heartbeat", HEARTBEAT, {
  ...REFUSED.write,
  422: refusal("The project has as many heartbeats as it may, or an external alerting tool shuts it out"),
});

export const CHANGED_HEARTBEAT_ANSWERS = writeAnswers(200, "The heartbeat as it is now", HEARTBEAT, {
  ...REFUSED.write,
  422: refusal("It may not be switched on while an external alerting tool is linked"),
});

export const HEARTBEAT_KEY_ANSWERS = writeAnswers(200, "The heartbeat with its new key", HEARTBEAT);

export const REMOVED_HEARTBEAT_ANSWERS = doneAnswers(
  "The heartbeat is gone; an alert that it opened stays",
  REFUSED.write,
);
