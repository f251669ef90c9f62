/** What Prometheus itself, vmalert and other rulers post to an Alertmanager: a list of labelled alerts (API v2). */
import { Problem } from "../../platform/problem.ts";
import type { Reading } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { readLabelled } from "./alertmanager.ts";
import { isObject } from "./member.ts";

const MAX_ALERTS = 10_000;

/**
 * An alert whose `endsAt` is over at `at`, the time of receipt, is resolved; one in the future only says how long to
 * believe it.
 * @throws Problem invalid: no list of alerts with labels; too_large: more than 10,000
 */
export function readPrometheus(value: unknown, at: Date): Reading {
  if (!Array.isArray(value)) throw new Problem("invalid", "A JSON list of alerts is expected.");
  if (value.length > MAX_ALERTS) {
    throw new Problem("too_large", `More than ${MAX_ALERTS} alerts in one request.`);
  }
  const warnings = new Set<string>();
  const reports = value.map((alert: unknown) => {
    if (!isObject(alert) || !isObject(alert.labels)) {
      throw new Problem("invalid", "Each alert is a JSON object with labels.");
    }
    const endsAt = reportedTime(alert.endsAt);
    return readLabelled(alert, (text) => warnings.add(text), {
      recovery: endsAt !== undefined && endsAt <= at,
      tool: "Prometheus",
      payload: alert,
    });
  });
  return { shape: "prometheus", reports, warnings: [...warnings] };
}
