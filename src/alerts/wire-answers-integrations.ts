/** The answers about settings and integrations, as the OpenAPI document describes them (contract-alerts, integrations). */
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import {
  doneAnswers,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { INTEGRATION_TYPES } from "./integration.ts";
import { SIGNATURES } from "./signature.ts";
import { READING } from "./wire-answers-receipts.ts";

/** What alerts do in a project. */
export const SETTINGS = record("AlertSettings", {
  create_incident: Type.Boolean(),
  auto_close_incident: Type.Boolean(),
  grouping: Type.Boolean(),
  storm_threshold: Type.Integer({ description: "0: never a storm" }),
  storm_seconds: Type.Integer(),
  collapse_incidents: Type.Boolean(),
  late_firings_stay_resolved: Type.Boolean(),
  resolve_after_hours: Type.Integer({ description: "0: never" }),
  incident_template: nullable(Type.String({ description: "name of a template" })),
});

export const INTEGRATION = record("AlertIntegration", {
  id: Type.Integer(),
  name: Type.String(),
  type: Type.Enum([...INTEGRATION_TYPES]),
  active: Type.Boolean(),
  url: nullable(Type.String({ description: "where alerts are sent; null of external_tool" })),
  authorization_key: nullable(
    Type.String({
      description:
        "null while it is off (but in the answer to a new one), of external_tool, and where the master key is another",
    }),
  ),
  old_key_expires_at: nullable(moment()),
  api_url: nullable(Type.String()),
  alertmanager_url: nullable(Type.String()),
  payload_example: Type.Unknown({ description: "a sample payload, or null" }),
  strict: Type.Boolean(),
  key_in_address: Type.Boolean(),
  mapping: nullable(
    Type.Record(Type.String(), Type.Array(Type.String()), { description: "by field, where it may stand" }),
  ),
  value_tables: nullable(
    Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
      description: "by field, what the tool's words mean",
    }),
  ),
  group_by: Type.Array(Type.String()),
  ignore: Type.Array(Type.String()),
  signature: nullable(Type.Enum([...SIGNATURES])),
  signature_header: nullable(Type.String({ description: "null: the usual one of the signature" })),
  last_received_at: nullable(moment()),
  created_at: moment(),
  updated_at: moment(),
});

export const SETTINGS_ANSWERS = readAnswers("The settings", SETTINGS);

export const CHANGED_SETTINGS_ANSWERS = writeAnswers(200, "The settings as they are now", SETTINGS, {
  ...REFUSED.write,
  422: refusal("The plan has no grouping"),
});

export const INTEGRATIONS_ANSWERS = pageAnswers("A page of integrations", INTEGRATION);

export const INTEGRATION_ANSWERS = readAnswers("The integration", INTEGRATION);

export const NEW_INTEGRATION_ANSWERS = writeAnswers(201, "The new integration", INTEGRATION, {
  ...REFUSED.write,
  422: refusal("The plan has no such type, the project has one already, or another shuts it out"),
});

export const CHANGED_INTEGRATION_ANSWERS = writeAnswers(200, "The integration as it is now", INTEGRATION, {
  ...REFUSED.write,
  422: refusal("It may not be switched on: by the plan, or because another shuts it out"),
});

export const REMOVED_INTEGRATION_ANSWERS = doneAnswers("The integration is gone", REFUSED.write);

export const KEY_ANSWERS = writeAnswers(200, "The integration with its new key", INTEGRATION, {
  ...REFUSED.write,
  422: refusal("It is a link to a tool, which has no key"),
});

/** Of the test alert. */
export const TEST_ANSWERS = writeAnswers(
  200,
  "The test alert was opened",
  unnamed({
    status: Type.Enum(["success"]),
    message: Type.String(),
    alert_iid: Type.Integer(),
    reading: READING,
  }),
  {
    ...REFUSED.write,
    422: refusal(
      "The payload cannot be read, or the integration is off",
      unnamed({ status: Type.Enum(["error"]), message: Type.String() }),
    ),
  },
);
