/** Opens the incidents of alerts that are still open when no silence covers them any more, and tells people of them. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import type { Alert } from "./alert.ts";
import { alertBot } from "./alert-bot.ts";
import { announceIncidents } from "./announce-incidents.ts";
import { eachProject } from "./each-project.ts";
import { activityLine } from "./effects.ts";
import { findReach } from "./find-reach.ts";
import { incidentBody, saidByRule } from "./incident.ts";
import { withTemplate } from "./incident-template.ts";
import { notifyAlerts } from "./notify-alerts.ts";
import { subjectOfAlert } from "./preview-silence.ts";
import { type Reach, silenceOver } from "./reach.ts";
import { readPayloads } from "./read-payloads.ts";
import { findAlert, findProjectPath } from "./store.ts";
import { lockAlerts } from "./store-batch.ts";
import { insertActivity } from "./store-history.ts";
import { insertLateIncidents } from "./store-late-incidents.ts";
import { findSettings } from "./store-settings.ts";
import { joinIncident } from "./store-shared-incidents.ts";
import { listHeld, listReleasable, lockChanged, updateJudged, updateSilenceOf } from "./store-silences.ts";
import { findTemplateOfAlerts } from "./store-templates.ts";
import { sharedLine, shareIncident } from "./storm-incident.ts";

/** Of one project in one transaction; senders of the project wait that long. */
const PORTION = 100;
/** Of one project in one round, so that the others have their turn; the rest follows in the next. */
const MOST_PORTIONS = 20;

/** One round over all projects; several processes may do it at a time. */
export async function releaseSilenced(platform: Platform): Promise<void> {
  const projectIds = (await listReleasable(platform.db.pooled)).map(({ projectId }) => projectId);
  await eachProject(platform, projectIds, async (projectId) => {
    const botId = await alertBot(platform);
    for (let portion = 0; portion < MOST_PORTIONS; portion++) {
      if ((await releaseSome(platform, projectId, botId)) < PORTION) return;
    }
  });
}

/** Returns how many were looked at. */
function releaseSome(platform: Platform, projectId: number, botId: number): Promise<number> {
  return platform.db.transaction(async (tx) => {
    await lockAlerts(tx, [projectId]);
    // Before its conditions are read: whoever changes them again meanwhile has them judged again.
    const changed = await lockChanged(tx, projectId);
    const reach = await findReach(tx, [projectId]);
    const held = await listHeld(tx, projectId, PORTION);
    const found = await Promise.all(held.map(({ iid }) => findAlert(tx, projectId, iid, { isBare: true })));
    const alerts = found.filter((alert) => alert !== undefined);
    const isSilenced = (reach.projects.get(projectId)?.silences.length ?? 0) > 0;
    const places: { id: number; silenceId: number | null }[] = [];
    for await (const alert of isSilenced ? readPayloads(tx, alerts, { withFirst: false }) : alerts)
      places.push({ id: alert.id, silenceId: nextSilence(reach, alert) });
    if (places.length > 0) await updateSilenceOf(tx, places);
    const last = held.length < PORTION ? undefined : held.at(-1);
    if (changed.length > 0) await updateJudged(tx, changed, last?.id ?? null);
    const released = alerts.filter((_alert, index) => places[index]?.silenceId === null);
    const over = new Set(held.filter(({ isOver }) => isOver).map(({ id }) => id));
    await noteReleased(tx, released, over);
    await tellOf(platform, tx, projectId, released, botId);
    const told = released.filter(({ status }) => status === "triggered");
    const happenings = told.map(({ id }) => ({ projectId, alertId: id, what: "opened" as const }));
    await notifyAlerts(platform, tx, happenings, reach);
    return held.length;
  });
}

/** Another silence that is in force, or none. */
function nextSilence(reach: Reach, alert: Alert): number | null {
  return silenceOver(reach, alert.projectId, () => subjectOfAlert(alert))?.id ?? null;
}

/** `over`: those whose silence is over, where of others it was changed. */
async function noteReleased(
  tx: Queries,
  released: readonly Alert[],
  over: ReadonlySet<number>,
): Promise<void> {
  if (released.length === 0) return;
  const lines = released.map(({ id, silenceId }) => {
    const what = over.has(id) ? "is over" : "does not cover it any more";
    return activityLine(id, "incident", `silence **${silenceId}** ${what}, and the alert is still open`);
  });
  await insertActivity(tx, lines);
}

async function tellOf(
  platform: Platform,
  tx: Queries,
  projectId: number,
  released: readonly Alert[],
  botId: number,
): Promise<void> {
  const wanted = released.filter(({ status }) => status !== "ignored");
  if (wanted.length === 0) return;
  const { createIncident, collapseIncidents } = await findSettings(tx, projectId);
  const bare = wanted.filter(({ incidentId }) => incidentId === null);
  if (!createIncident || bare.length === 0) return;
  const own = collapseIncidents ? await shareSome(platform, tx, projectId, bare, botId) : bare;
  await openLate(platform, tx, projectId, own, botId);
}

/** In a storm some of them share an incident; returns the others. */
async function shareSome(
  platform: Platform,
  tx: Queries,
  projectId: number,
  bare: readonly Alert[],
  botId: number,
): Promise<readonly Alert[]> {
  const severities = bare.map(({ severity }) => severity);
  const { own, shared, made } = await shareIncident(platform, tx, projectId, severities, botId);
  if (!shared) return bare;
  const others = bare.slice(own).map(({ id }) => id);
  await joinIncident(tx, shared.id, others);
  await insertActivity(
    tx,
    others.map((id) => activityLine(id, "incident", sharedLine(shared))),
  );
  if (made) await announceIncidents(tx, [made]);
  return bare.slice(0, own);
}

async function openLate(
  platform: Platform,
  tx: Queries,
  projectId: number,
  bare: readonly Alert[],
  botId: number,
): Promise<void> {
  if (bare.length === 0) return;
  const { fullPath } = await findProjectPath(tx, projectId);
  const template = await findTemplateOfAlerts(tx, projectId);
  const home = `${platform.config.publicUrl}/${fullPath}/-/alerts/`;
  const wanted = [];
  for await (const alert of readPayloads(tx, bare, { withFirst: false })) {
    const { id: alertId, iid, title, severity, payload } = alert;
    const body = withTemplate(`${incidentBody(alert, home)}${iid}${saidByRule(payload)}`, template);
    wanted.push({ alertId, title, severity, body });
  }
  const made = await insertLateIncidents(tx, projectId, botId, wanted);
  await announceIncidents(
    tx,
    made.map(({ id, iid, title }) => ({
      action: "created",
      projectId,
      incidentId: id,
      iid,
      title,
      authorId: botId,
    })),
  );
}
