/** What Opsgenie's clients ask of a list of alerts, in the words of its search that have a meaning here. */
import { entryOf } from "../../platform/entry-of.ts";
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
export function opsgenieFilter(query = ""): OpsgenieFilter {
  const terms = query.length > MAX_QUERY ? [query] : query.split(/ and /i).map((term) => term.trim());
  let statuses: readonly AlertStatus[] = ALERT_STATUSES;
  let severities: readonly Severity[] = SEVERITIES;
  for (const term of query.trim() === "" ? [] : terms) {
    const [, name = "", given = ""] = /^(\w{1,20}) ?[:=] ?"?(\w{1,20})"?$/.exec(term) ?? [];
    const wanted = entryOf(WANTED, `${name} ${given.toLowerCase()}`);
    if (!wanted) throw new FieldProblem({ query: [WORDS] }, "unprocessable");
    statuses = statuses.filter((status) => !wanted.statuses || wanted.statuses.includes(status));
    severities = severities.filter((severity) => !wanted.severities || wanted.severities.includes(severity));
  }
  if (statuses.length === 0 || severities.length === 0) {
    throw new FieldProblem({ query: [WORDS] }, "unprocessable");
  }
  return {
    ...(statuses.length < ALERT_STATUSES.length ? { statuses } : {}),
    ...(severities.length < SEVERITIES.length ? { severities } : {}),
  };
}

/** Longer than any that says each of its terms once. */
const MAX_QUERY = 500;

/** What each term lets through. */
const WANTED: Readonly<Record<string, OpsgenieFilter>> = {
  "status open": { statuses: OPEN },
  "status closed": { statuses: ["resolved"] },
  "acknowledged true": { statuses: ["acknowledged"] },
  "acknowledged false": { statuses: ALERT_STATUSES.filter((status) => status !== "acknowledged") },
  ...Object.fromEntries(
    PRIORITIES.map((severity, index) => [`priority p${index + 1}`, { severities: [severity] }]),
  ),
};

const WORDS =
  "is understood as far as it says status: open or closed, acknowledged: true or false, and priority: P1 to P5, joined by AND";
