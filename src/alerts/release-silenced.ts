/** Opens the incidents of alerts that are still open when no silence covers them any more, and notifies channels of them. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import type { Alert } from "./alert.ts";
import { alertBot } from "./alert-bot.ts";
import type { AlertTransaction } from "./alert-transaction.ts";
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

/** Alerts of one project in one transaction; requests that send alerts to the project wait for its end. */
const PORTION = 100;
/** Portions of one project in one round, so that other projects have their turn; the rest follows in the next round. */
const MAX_PORTIONS = 20;

/** One round over all projects; several processes may do it at a time. */
export async function releaseSilenced(platform: Platform): Promise<void> {
  const projectIds = (await listReleasable(platform.db.pooled)).map(({ projectId }) => projectId);
  await eachProject(platform, projectIds, async (projectId) => {
    const botId = await alertBot(platform);
    for (let portion = 0; portion < MAX_PORTIONS; portion++) {
      if ((await releaseSome(platform, projectId, botId)) < PORTION) return;
    }
  });
}

/** Checks one portion of a project's silenced alerts again; returns how many there were. */
function releaseSome(platform: Platform, projectId: number, botId: number): Promise<number> {
  return platform.db.transaction(async (tx) => {
    await lockAlerts(tx, [projectId]);
    // Locked before the conditions are read: a later change is found by the next round.
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
    await openIncidents({ platform, tx, botId }, projectId, released);
    const told = released.filter(({ status }) => status === "triggered");
    const happenings = told.map(({ id }) => ({ projectId, alertId: id, what: "opened" as const }));
    await notifyAlerts(platform, tx, happenings, reach);
    return held.length;
  });
}

/** Returns the id of another silence in force that covers the alert, or null. */
function nextSilence(reach: Reach, alert: Alert): number | null {
  return silenceOver(reach, alert.projectId, () => subjectOfAlert(alert))?.id ?? null;
}

/** Notes in the activity of released alerts that their silence is over (`over`), or no longer covers them. */
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

/** Opens the incidents that the silence prevented, if the project opens incidents. */
async function openIncidents(
  transaction: AlertTransaction,
  projectId: number,
  released: readonly Alert[],
): Promise<void> {
  const wanted = released.filter(({ status }) => status !== "ignored");
  if (wanted.length === 0) return;
  const { createIncident, collapseIncidents } = await findSettings(transaction.tx, projectId);
  const bare = wanted.filter(({ incidentId }) => incidentId === null);
  if (!createIncident || bare.length === 0) return;
  const own = collapseIncidents ? await shareSome(transaction, projectId, bare) : bare;
  await openLate(transaction, projectId, own);
}

/** Lets the alerts beyond the threshold of a storm share an incident; returns the others. */
async function shareSome(
  transaction: AlertTransaction,
  projectId: number,
  bare: readonly Alert[],
): Promise<readonly Alert[]> {
  const { tx } = transaction;
  const severities = bare.map(({ severity }) => severity);
  const { own, shared, made } = await shareIncident(transaction, projectId, severities);
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
  { platform, tx, botId }: AlertTransaction,
  projectId: number,
  bare: readonly Alert[],
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
  const made = await insertLateIncidents(tx, { projectId, authorId: botId }, wanted);
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
