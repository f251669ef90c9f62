/** One accepted request on its way to becoming alerts, and what its sender is told in the end. */
import type { Reading } from "./report.ts";

export interface Delivery {
  projectId: number;
  projectPath: string;
  integrationId: number;
  integrationName: string;
  /** The plan and the project's switch together: whether payloads without a fingerprint are grouped. */
  groupsByPayload: boolean;
  createsIncidents: boolean;
  receiptId: string;
  keyHint: string;
  /** Those headers of the request that help to understand it. */
  headers: Readonly<Record<string, string>>;
  /** The body as it came. */
  raw: Buffer;
  reading: Reading;
  /** SHA-256 of the Idempotency-Key, if one was sent. */
  idempotencyHash: Buffer | undefined;
}

/** The alerts that a request touched, each once. */
export interface Outcome {
  receiptId: string;
  alerts: { iid: number; title: string }[];
}

/** The status of an accepted request (contract-alerts, answer by payload shape). */
export function acceptedStatus(reading: Pick<Reading, "shape">): 200 | 201 {
  return reading.shape === "generic" ? 200 : 201;
}
