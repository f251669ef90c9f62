/** The part of Opsgenie's search syntax that is supported for lists of alerts. */
import { entryOf } from "../../platform/entry-of.ts";
import { FieldProblem } from "../../platform/problem.ts";
import { ALERT_STATUSES, type AlertStatus } from "../alert.ts";
import { SEVERITIES, type Severity } from "../severity.ts";

const OPEN: readonly AlertStatus[] = ALERT_STATUSES.filter((status) => status !== "resolved");

/** The severities of P1 to P5. */
const PRIORITIES = ["critical", "high", "medium", "low", "info"] as const satisfies readonly Severity[];

/** Returns the priority of a severity; P3 for `unknown`, which is also Opsgenie's default. */
export function opsgeniePriority(severity: Severity): string {
  const index = (PRIORITIES as readonly Severity[]).indexOf(severity);
  return `P${(index < 0 ? 2 : index) + 1}`;
}

export interface OpsgenieFilter {
  statuses?: readonly AlertStatus[];
  severities?: readonly Severity[];
}

/**
 * Parses a query such as `status: open AND priority: P1`; each term narrows the result.
 * @throws FieldProblem unprocessable: an unknown term, since ignoring it would widen the list; or terms that exclude each other
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

/** Longer than any query that has each term once. */
const MAX_QUERY = 500;

/** The filter of each term. */
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
