/** What Opsgenie's clients ask of a list of alerts, in the words of its search that have a meaning here. */
import { FieldProblem } from "../../platform/problem.ts";
import { ALERT_STATUSES, type AlertStatus } from "../alert.ts";
import { SEVERITIES, type Severity } from "../severity.ts";

const OPEN: readonly AlertStatus[] = ALERT_STATUSES.filter((status) => status !== "resolved");

/** How severe P1 to P5 are. */
const PRIORITIES = ["critical", "high", "medium", "low", "info"] as const satisfies readonly Severity[];

/** The priority of a severity; what is unknown is in the middle, as an alert without a priority is there. */
export function opsgeniePriority(severity: Severity): string {
  const index = (PRIORITIES as readonly Severity[]).indexOf(severity);
  return `P${(index < 0 ? 2 : index) + 1}`;
}

export interface OpsgenieFilter {
  statuses?: readonly AlertStatus[];
  severities?: readonly Severity[];
}

/**
 * `status: open AND priority: P1`; of the same name several narrow each other.
 * @throws FieldProblem unprocessable: what is not understood is not left out, for then a list would hold what nobody asked for
 */
export function opsgenieFilter(query: string | undefined): OpsgenieFilter {
  const terms = (query ?? "")
    .trim()
    .split(/\s+and\s+/i)
    .filter(Boolean);
  let statuses: readonly AlertStatus[] = ALERT_STATUSES;
  let severities: readonly Severity[] = SEVERITIES;
  for (const term of terms.slice(0, 20)) {
    const [, name = "", given = ""] = /^(\w+)\s*[:=]\s*"?(\w+)"?$/.exec(term) ?? [];
    const word = given.toLowerCase();
    const wanted = name === "status" ? { open: OPEN, closed: ["resolved" as const] }[word] : undefined;
    const isYes = { true: true, false: false }[word];
    const severity = PRIORITIES[Number(/^p([1-5])$/.exec(word)?.[1]) - 1];
    if (wanted) statuses = statuses.filter((status) => wanted.some((one) => one === status));
    else if (name === "acknowledged" && isYes !== undefined) {
      statuses = statuses.filter((status) => (status === "acknowledged") === isYes);
    } else if (name === "priority" && severity) severities = severities.filter((one) => one === severity);
    else throw new FieldProblem({ query: [WORDS] }, "unprocessable");
  }
  if (terms.length > 20 || statuses.length === 0 || severities.length === 0) {
    throw new FieldProblem({ query: [WORDS] }, "unprocessable");
  }
  return {
    ...(statuses.length < ALERT_STATUSES.length ? { statuses } : {}),
    ...(severities.length < SEVERITIES.length ? { severities } : {}),
  };
}

const WORDS =
  "is understood as far as it says status: open or closed, acknowledged: true or false, and priority: P1 to P5, joined by AND";
