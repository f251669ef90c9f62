/** Responses about heartbeats, for the OpenAPI document (decision 0098). */
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
  url: Type.String({ description: "address to send pings to" }),
  key: Type.String({
    description: "key for pings; empty if it cannot be decrypted because the master key has changed",
  }),
  active: Type.Boolean(),
  interval_seconds: Type.Integer(),
  grace_seconds: Type.Integer(),
  severity: Type.Enum([...SEVERITIES]),
  state: Type.Enum([...HEARTBEAT_STATES], { description: "waiting: no ping has been received yet" }),
  last_ping_at: nullable(moment()),
  due_at: nullable(moment()),
  created_at: moment(),
  updated_at: moment(),
});

export const HEARTBEATS_ANSWERS = pageAnswers(
  "A page of the project's heartbeats, late ones first",
  HEARTBEAT,
);

export const HEARTBEAT_ANSWERS = readAnswers("The heartbeat", HEARTBEAT);

export const NEW_HEARTBEAT_ANSWERS = writeAnswers(201, "The new heartbeat", HEARTBEAT, {
  ...REFUSED.write,
  422: refusal(
    "The project has the maximum number of heartbeats, or an active external_tool integration prevents it",
  ),
});

export const CHANGED_HEARTBEAT_ANSWERS = writeAnswers(200, "The updated heartbeat", HEARTBEAT, {
  ...REFUSED.write,
  422: refusal("A heartbeat cannot be turned on while an external_tool integration is active"),
});

export const HEARTBEAT_KEY_ANSWERS = writeAnswers(200, "The heartbeat with its new key", HEARTBEAT);

export const REMOVED_HEARTBEAT_ANSWERS = doneAnswers(
  "The heartbeat was deleted; alerts that it opened remain",
  REFUSED.write,
);
