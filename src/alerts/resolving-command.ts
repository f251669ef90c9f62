/** Builds the shell command that resolves an alert as its tool would, if there is one that is certain to work. */
import { Problem } from "../platform/problem.ts";
import { shellQuoted } from "../platform/shell-quoted.ts";
import type { Alert } from "./alert.ts";
import { readDelivery } from "./read-delivery.ts";
import type { ReadingRules } from "./reading-rules.ts";

/** The placeholder for the time at which the command will run. */
const NOW = "@now@";
/** Of the quoted body, in UTF-16 units. */
const MAX_LENGTH = 3002;

/**
 * Returns a curl command that sends the end of this alert, verified by reading its payload: it must be a recovery with the
 * same fingerprint. Undefined if the alert has the format of another tool, which sends the end by itself; empty if the command
 * would be too long to paste.
 */
export function resolvingCommand(
  alert: Pick<Alert, "title" | "payload" | "fingerprintHash">,
  rules: ReadingRules,
  url: string,
): string | undefined {
  const { title, payload } = alert;
  const members = typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>) : {};
  const { end_time: _end, ...whole } = members;
  const short = { title, fingerprint: members.fingerprint };
  const candidates = members.fingerprint === undefined ? [whole] : [short, whole];
  const body = candidates
    .map((one) => ({ ...one, end_time: NOW }))
    .find((one) => resolves(one, alert.fingerprintHash, rules));
  if (!body) return undefined;
  const quoted = shellQuoted(JSON.stringify(body)).replace(NOW, `'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'`);
  if (quoted.length > MAX_LENGTH) return "";
  return `curl ${url} \\
  -H "Authorization: Bearer $ALERT_KEY" \\
  -H "Content-Type: application/json" \\
  -d ${quoted}`;
}

function resolves(body: object, hash: Buffer, rules: ReadingRules): boolean {
  try {
    const text = JSON.stringify(body).replace(NOW, "2100-01-01T00:00:00Z");
    const { reports, shape } = readDelivery(text, rules);
    const [report] = reports;
    return shape === "generic" && report?.action === "recovery" && report.fingerprint.hash.equals(hash);
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
