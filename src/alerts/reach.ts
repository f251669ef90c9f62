/** The silences, channels and settings of projects that recording their alerts must apply, as of the start of the transaction. */
import type { Delivery } from "./delivery.ts";
import type { Subject } from "./matcher.ts";
import type { Budget } from "./pattern.ts";
import type { AlertReport } from "./report.ts";
import { type InForce, silenceFor } from "./silence.ts";

/** What one project has set up. */
export interface ProjectReach {
  silences: readonly InForce[];
  /** Whether it has an active channel. */
  notifies: boolean;
  /** Whether alerts of a storm share an incident. */
  collapsesIncidents: boolean;
  /** Whether a resolved alert stays resolved when a firing arrives that began before its end. */
  keepsResolved: boolean;
  /** How much work the patterns of its silences may still do; separate, so that no project uses up another's. */
  budget: Budget;
}

/** What the projects of a transaction have set up; projects that have set up nothing are absent. */
export interface Reach {
  projects: ReadonlyMap<number, ProjectReach>;
}

/** The reach of projects that have set up nothing. */
export function noReach(): Reach {
  return { projects: new Map() };
}

/** The silence that covers the subject, if there is one; `subject` is called only if the project has silences. */
export function silenceOver(
  { projects }: Reach,
  projectId: number,
  subject: () => Subject,
): InForce | undefined {
  const reach = projects.get(projectId);
  if (!reach || reach.silences.length === 0) return undefined;
  return silenceFor(reach.silences, subject(), reach.budget);
}

/** The members of a report that silences match. */
export function subjectOf(report: AlertReport, delivery: Delivery): Subject {
  return {
    title: report.title,
    service: report.service,
    severity: report.severity,
    environment: report.environmentName,
    hosts: report.hosts,
    integrationId: delivery.integrationId,
    integrationName: delivery.integrationName,
    payload: report.payload,
  };
}
