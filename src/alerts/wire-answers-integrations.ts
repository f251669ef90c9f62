/** Responses about alert settings and integrations, for the OpenAPI document (contract-alerts, integrations). */
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

/** The alert settings of a project. */
export const SETTINGS = record("AlertSettings", {
  create_incident: Type.Boolean(),
  auto_close_incident: Type.Boolean(),
  grouping: Type.Boolean(),
  storm_threshold: Type.Integer({
    description:
      "number of new alerts within `storm_seconds` above which there is a storm; 0: storm handling is off",
  }),
  storm_seconds: Type.Integer(),
  collapse_incidents: Type.Boolean(),
  late_firings_stay_resolved: Type.Boolean(),
  resolve_after_hours: Type.Integer({
    description: "hours without a delivery after which an open alert is resolved; 0: never",
  }),
  incident_template: nullable(Type.String({ description: "name of an incident template" })),
});

export const INTEGRATION = record("AlertIntegration", {
  id: Type.Integer(),
  name: Type.String(),
  type: Type.Enum([...INTEGRATION_TYPES]),
  active: Type.Boolean(),
  url: nullable(Type.String({ description: "address to send alerts to; null for external_tool" })),
  authorization_key: nullable(
    Type.String({
      description:
        "key that senders must present; null for external_tool, if the integration is inactive (except in the response to a rotation of the key), and if the key cannot be decrypted because the master key has changed",
    }),
  ),
  old_key_expires_at: nullable(moment()),
  api_url: nullable(Type.String()),
  alertmanager_url: nullable(Type.String()),
  payload_example: Type.Unknown({ description: "a sample payload, or null" }),
  strict: Type.Boolean(),
  key_in_address: Type.Boolean(),
  mapping: nullable(
    Type.Record(Type.String(), Type.Array(Type.String()), {
      description: "paths in the payload, by field of the alert",
    }),
  ),
  value_tables: nullable(
    Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
      description: "translations of the sender's values, by field of the alert",
    }),
  ),
  group_by: Type.Array(Type.String()),
  ignore: Type.Array(Type.String()),
  signature: nullable(Type.Enum([...SIGNATURES])),
  signature_header: nullable(
    Type.String({
      description: "header with the signature; null: the default header of the signature scheme",
    }),
  ),
  last_received_at: nullable(moment()),
  created_at: moment(),
  updated_at: moment(),
});

export const SETTINGS_ANSWERS = readAnswers("The settings", SETTINGS);

export const CHANGED_SETTINGS_ANSWERS = writeAnswers(200, "The updated settings", SETTINGS, {
  ...REFUSED.write,
  422: refusal("The plan of the project does not include grouping"),
});

export const INTEGRATIONS_ANSWERS = pageAnswers("A page of integrations", INTEGRATION);

export const INTEGRATION_ANSWERS = readAnswers("The integration", INTEGRATION);

export const NEW_INTEGRATION_ANSWERS = writeAnswers(201, "The new integration", INTEGRATION, {
  ...REFUSED.write,
  422: refusal(
    "The plan does not include this type, the project already has one of this type, or another active integration prevents it",
  ),
});

export const CHANGED_INTEGRATION_ANSWERS = writeAnswers(200, "The updated integration", INTEGRATION, {
  ...REFUSED.write,
  422: refusal(
    "The integration cannot be turned on: the plan does not include its type, or another active integration prevents it",
  ),
});

export const REMOVED_INTEGRATION_ANSWERS = doneAnswers("The integration is gone", REFUSED.write);

export const KEY_ANSWERS = writeAnswers(200, "The integration with its new key", INTEGRATION, {
  ...REFUSED.write,
  422: refusal("Integrations of type external_tool have no key"),
});

/** Responses of sending a test alert. */
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
      "The payload cannot be read, or the integration is inactive",
      unnamed({ status: Type.Enum(["error"]), message: Type.String() }),
    ),
  },
);
