/** A request's body → what it says; the reader is chosen by the shape of the payload, not by the address. */
import { Problem } from "../platform/problem.ts";
import { readJson, readJsonText } from "./payload.ts";
import type { ReadingRules } from "./reading-rules.ts";
import type { Reading } from "./report.ts";
import { groupShape, readGroup } from "./senders/alertmanager.ts";
import { readGeneric } from "./senders/generic.ts";

/** Largest body of a generic payload; groups of Alertmanager and Grafana may be sixteen times as large. */
export const GENERIC_LIMIT_BYTES = 1024 * 1024;
export const GROUP_LIMIT_BYTES = 16 * 1024 * 1024;

/** The refusal of a body beyond its limit. */
export function tooLarge(): Problem {
  return new Problem(
    "too_large",
    "413 Request Entity Too Large: at most 1 MiB, or 16 MiB for Alertmanager and Grafana.",
  );
}

/**
 * Reads the inflated bytes of a request, or the text of a test alert.
 * @throws Problem invalid (with line and column for bad JSON), too_large, unprocessable
 */
export function readDelivery(body: Uint8Array | string, rules: ReadingRules): Reading {
  const { value, warnings } = typeof body === "string" ? readJsonText(body) : readJson(body);
  const shape = groupShape(value);
  if (!shape && Buffer.byteLength(body) > GENERIC_LIMIT_BYTES) throw tooLarge();
  const reading = shape ? readGroup(value as Record<string, unknown>, shape) : readGeneric(value, rules);
  return { ...reading, warnings: [...warnings, ...reading.warnings] };
}
