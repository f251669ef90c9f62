/** Lists of labelled alerts, as Prometheus, vmalert and other rulers post them to Alertmanager (API v2). */
import { cutText } from "../../platform/cut-text.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { Problem } from "../../platform/problem.ts";
import { labelFingerprint } from "../fingerprint.ts";
import type { Reading } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { readLabelled } from "./alertmanager.ts";
import { labelHash } from "./label-hash.ts";
import { objectIn, textOf } from "./member.ts";

const MAX_ALERTS = 10_000;

/**
 * Reads a list of alerts. One whose `endsAt` is not after `at`, the time of receipt, is resolved; a later `endsAt` is when an
 * alert that is not sent again expires. Items that are not alerts are skipped with a warning, as in Alertmanager (decision 0128).
 * @throws Problem invalid: not a list, or a non-empty one without an alert with labels; too_large: more than 10,000
 */
export function readPrometheus(value: unknown, at: Date): Reading {
  if (!Array.isArray(value)) throw new Problem("invalid", "A JSON list of alerts is expected.");
  if (value.length > MAX_ALERTS) {
    throw new Problem("too_large", `More than ${MAX_ALERTS} alerts in one request.`);
  }
  const warnings = new Set<string>();
  const alerts = value.filter((alert): alert is JsonObject => isObject(alert) && isObject(alert.labels));
  if (alerts.length < value.length) {
    if (alerts.length === 0) throw new Problem("invalid", "Each alert is a JSON object with labels.");
    warnings.add(
      `${value.length - alerts.length} alerts are no JSON objects with labels; they were left out.`,
    );
  }
  const reports = alerts.map((alert) => {
    const endsAt = reportedTime(alert.endsAt);
    const threshold = collectdThreshold(objectIn(alert, "labels"));
    const recovery = threshold?.isOver ?? (endsAt !== undefined && endsAt <= at);
    const tool = threshold ? "collectd" : "Prometheus";
    const read = readLabelled(alert, (text) => warnings.add(text), { recovery, tool, payload: alert });
    const report = threshold ? { ...read, fingerprint: threshold.fingerprint } : read;
    return recovery ? report : { ...report, believedUntil: endsAt, source: rulerOf(alert.generatorURL) };
  });
  return { shape: "prometheus", reports, warnings: [...warnings] };
}

/**
 * Reads an alert of a collectd threshold, undefined for other labels: the label `severity` is its state and no part of the
 * fingerprint, and it has no end time (decision 0124).
 */
function collectdThreshold(labels: JsonObject) {
  const { severity, ...name } = labels;
  if (name.service !== "collectd" || !/^collectd_/.test(textOf(name.alertname) ?? "")) return undefined;
  const isOver = severity === "OKAY" || undefined;
  return { isOver, fingerprint: labelFingerprint(labelHash(name), name) };
}

/** Returns the ruler in an alert's link: the URL without its query. */
function rulerOf(generatorUrl: unknown): string | undefined {
  return cutText(textOf(generatorUrl)?.split("?")[0] ?? "", 200) || undefined;
}
