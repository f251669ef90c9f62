/** One accepted request on its way to becoming alerts, and the outcome for its sender. */
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
  /** The template whose text is appended to the descriptions of its incidents. */
  incidentTemplateId?: number | null;
  /** Whether its project has silences, channels or settings that recording must look up (`Reach`). */
  reaches?: boolean;
  receiptId: string;
  keyHint: string;
  /** The headers of the request that its receipt keeps. */
  headers: Readonly<Record<string, string>>;
  /** The body as received. */
  raw: Buffer;
  /** Its size once inflated; absent: that of `raw`. */
  inflatedBytes?: number;
  reading: Reading;
  /** SHA-256 of the Idempotency-Key or of the sender's message id, if there is one. */
  idempotencyHash: Buffer | undefined;
  /** For a request with several messages: SHA-256 of the message id of each report that has one. */
  reportHashes?: readonly (Buffer | undefined)[];
  /** SHA-256 of the body in hexadecimal, if a repeat under the same key must have the same body. */
  idempotentBody?: string;
}

/** Returns the members of a delivery that come from its integration. */
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
  /** True: the Idempotency-Key was used with another body before, and nothing was recorded. */
  isReused?: boolean;
  /** True: each of its reports was counted on an alert that was open already, or was answered before. */
  isCounted?: boolean;
}

/** Returns the status of an accepted request (contract-alerts, answer by payload shape). */
export function acceptedStatus({ shape }: Pick<Reading, "shape">): 200 | 201 | 202 {
  if (shape === "alertmanager" || shape === "grafana") return 201;
  return shape === "pagerduty" || shape === "opsgenie" ? 202 : 200;
}
