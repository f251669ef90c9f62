/** Lets the alerts that a batch opens in a storm share an incident, where their project chose so (decision 0177). */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import type { Effects } from "./effects.ts";
import type { Reach } from "./reach.ts";
import { type AlertDraft, findOpenAlerts } from "./store-batch.ts";
import { shareIncident } from "./storm-incident.ts";

/**
 * The drafts, of which those that are too many are to have the incident that they share; its number by their places. The
 * projects are locked; those that did not choose it are asked nothing.
 */
export async function shareIncidents(
  platform: Platform,
  tx: Queries,
  drafts: readonly AlertDraft[],
  effects: Effects,
  botId: number,
  { projects }: Reach,
): Promise<{ drafts: readonly AlertDraft[]; shared: ReadonlyMap<number, { iid: number }> }> {
  const shared = new Map<number, { id: number; iid: number }>();
  const wanting = drafts.flatMap((draft, ord) => {
    const { projectId, incidentBody } = draft;
    return incidentBody !== null && projects.get(projectId)?.collapsesIncidents ? [{ ...draft, ord }] : [];
  });
  if (wanting.length === 0) return { drafts, shared };
  const grouped = wanting.filter((draft) => draft.grouped);
  const open = await findOpenAlerts(
    tx,
    grouped.map(({ ord, projectId, hash }) => ({ ord, projectId, hash })),
  );
  const opening = wanting.filter(({ ord }) => !open.has(ord));
  for (const projectId of new Set(opening.map((one) => one.projectId))) {
    const here = opening.filter((one) => one.projectId === projectId);
    const severities = here.map(({ severity }) => severity);
    const sharing = await shareIncident(platform, tx, projectId, severities, botId);
    if (sharing.made) effects.incidents.push(sharing.made);
    for (const { ord } of here.slice(sharing.own)) if (sharing.shared) shared.set(ord, sharing.shared);
  }
  return {
    drafts: drafts.map((draft, ord) => {
      const incident = shared.get(ord);
      return incident ? { ...draft, incidentBody: null, sharedIncidentId: incident.id } : draft;
    }),
    shared,
  };
}
