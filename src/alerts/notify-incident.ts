/** Enqueues the messages of notification channels about an incident that a person opened (decision 0129). */
import { enqueue } from "../outbox/enqueue.ts";
import { type Channel, concernedBefore, concerns } from "./channel.ts";
import { findReach } from "./find-reach.ts";
import type { Incident } from "./incident.ts";
import { type IncidentEvent, incidentNotice, TOLD_WITH } from "./incident-notice.ts";
import type { IncidentTransaction } from "./incident-transaction.ts";
import { messagesOf, readersOf } from "./notify-alerts.ts";
import type { Severity } from "./severity.ts";
import { findName } from "./store.ts";
import { type Facts, listActiveChannels, listFacts, listReaders } from "./store-channels.ts";

/** What happened to an incident, and the alert that it was opened from, if any. */
export interface IncidentHappening {
  what: IncidentEvent;
  alertId?: number | undefined;
  /** If it became more severe: its severity before; channels that it concerned then are not notified. */
  severityBefore?: Severity;
}

/** Notifies channels in the transaction of the change; without channels there are no further queries. */
export async function notifyIncident(
  { platform, tx, project, actorId }: IncidentTransaction,
  incident: Incident,
  { what, alertId, severityBefore }: IncidentHappening,
): Promise<void> {
  const reach = await findReach(tx, [project.id]);
  if (!reach.projects.get(project.id)?.notifies) return;
  const [channels, readers, by, [alert]] = await Promise.all([
    listActiveChannels(tx, [project.id]),
    listReaders(tx, [project.id], alertId === undefined ? [] : [alertId]),
    findName(tx, actorId),
    alertId === undefined ? [] : listFacts(tx, [alertId], true),
  ]);
  const told = { ...incident, projectPath: project.fullPath, alertIid: alert?.iid ?? null };
  const notice = incidentNotice(what, told, by, platform.config.publicUrl);
  const wanted = channels.filter(
    (channel) =>
      channel.events.includes(TOLD_WITH[what]) &&
      isAbout(channel, incident, alert) &&
      !heardBefore(channel, severityBefore, alert),
  );
  await enqueue(
    tx,
    wanted.flatMap((channel) => messagesOf(platform, channel, notice, readersOf(channel, readers, alert))),
  );
}

/** Whether the incident, or its alert, already concerned the channel before it became more severe. */
function heardBefore(channel: Channel, severity: Severity | undefined, alert: Facts | undefined): boolean {
  if (alert) return concernedBefore(channel, alert, severity);
  return severity !== undefined && isAbout(channel, { severity }, undefined);
}

/**
 * Whether the channel's filters match. An incident without a severity matches any: leaving it out does not mean that it is
 * minor.
 */
function isAbout(
  channel: Channel,
  { severity }: Pick<Incident, "severity">,
  alert: Facts | undefined,
): boolean {
  const integrationId = alert?.integrationId ?? null;
  const said = severity === "unknown" ? (channel.severities[0] ?? severity) : severity;
  return concerns(channel, { severity: said, integrationId });
}
