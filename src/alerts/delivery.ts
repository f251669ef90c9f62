/** One accepted request on its way to becoming alerts, and what its sender is told in the end. */
import type { Reading } from "./report.ts";
import type { Endpoint } from "./store-integrations.ts";

export interface Delivery {
  projectId: number;
  projectPath: string;
  integrationId: number;
  integrationName: string;
  /** The plan and the project's switch together: whether payloads without a fingerprint are grouped. */
  groupsByPayload: boolean;
  createsIncidents: boolean;
  /** The template whose text ends the descriptions of its incidents. */
  incidentTemplateId?: number | null;
  /** Whether its project has silences or channels to be looked at. */
  reaches?: boolean;
  receiptId: string;
  keyHint: string;
  /** Those headers of the request that help to understand it. */
  headers: Readonly<Record<string, string>>;
  /** The body as it came. */
  raw: Buffer;
  /** How large it is once inflated; as `raw` where it came uncompressed. */
  inflatedBytes?: number;
  reading: Reading;
  /** SHA-256 of the Idempotency-Key, or of what the message calls itself, if there is one. */
  idempotencyHash: Buffer | undefined;
  /** Of a request with several messages: the same of each of its reports that names its own. */
  reportHashes?: readonly (Buffer | undefined)[];
  /** SHA-256 of the body in hexadecimal where a repeat under the same key must have the same one. */
  idempotentBody?: string;
}

/** What a delivery takes over from the integration to which it came. */
export function originOf(endpoint: Endpoint) {
  return {
    projectId: endpoint.projectId,
    projectPath: endpoint.projectPath,
    integrationId: endpoint.id,
    integrationName: endpoint.name,
    groupsByPayload: endpoint.grouping && endpoint.plan === "premium",
    createsIncidents: endpoint.createIncident,
    incidentTemplateId: endpoint.incidentTemplateId,
    reaches: endpoint.reaches,
  };
}

/** The alerts that a request touched, each once. */
export interface Outcome {
  receiptId: string;
  alerts: { iid: number; title: string }[];
  /** The Idempotency-Key was used with another body before; nothing was recorded. */
  isReused?: boolean;
  /** All that it reports was counted on alerts that were open already, or came before. */
  isCounted?: boolean;
}

/** The status of an accepted request (contract-alerts, answer by payload shape). */
export function acceptedStatus({ shape }: Pick<Reading, "shape">): 200 | 201 | 202 {
  if (shape === "alertmanager" || shape === "grafana") return 201;
  return shape === "pagerduty" || shape === "opsgenie" ? 202 : 200;
}
