/** What projects have set up that the recording of their alerts has to heed, as it stood when the transaction began. */
import type { Delivery } from "./delivery.ts";
import type { Subject } from "./matcher.ts";
import type { Budget } from "./pattern.ts";
import type { AlertReport } from "./report.ts";
import { type InForce, silenceFor } from "./silence.ts";

/** Of one project. */
export interface ProjectReach {
  silences: readonly InForce[];
  /** Whether it has a channel that is on. */
  notifies: boolean;
  /** Whether the alerts of a storm share an incident. */
  collapsesIncidents: boolean;
  /** Whether a firing that began before its alert ended leaves that resolved. */
  keepsResolved: boolean;
  /** What the patterns of its silences may still look at; its own, so that no project uses up another's. */
  budget: Budget;
}

/** Of all projects of a transaction; those that use none of it are absent. */
export interface Reach {
  projects: ReadonlyMap<number, ProjectReach>;
}

/** Nothing is set up. */
export function noReach(): Reach {
  return { projects: new Map() };
}

/** The silence under which a report comes, if there is one. */
export function silenceOver(
  { projects }: Reach,
  projectId: number,
  subject: () => Subject,
): InForce | undefined {
  const reach = projects.get(projectId);
  if (!reach || reach.silences.length === 0) return undefined;
  return silenceFor(reach.silences, subject(), reach.budget);
}

/** A report as silences look at it. */
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
