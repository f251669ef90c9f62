/** Lets the alerts that a batch opens in a storm share an incident, in projects with the setting (decision 0177). */
import type { AlertTransaction } from "./alert-transaction.ts";
import type { Effects } from "./effects.ts";
import type { Reach } from "./reach.ts";
import { findOpenAlerts } from "./store-batch.ts";
import type { AlertDraft } from "./store-drafts.ts";
import { shareIncident } from "./storm-incident.ts";

/**
 * Returns the drafts, of which those beyond the threshold of a storm share an incident instead of opening their own; and the
 * incidents by index of these drafts. Costs no statement for projects without the setting. The caller holds the locks of the
 * projects.
 */
export async function shareIncidents(
  transaction: AlertTransaction,
  drafts: readonly AlertDraft[],
  effects: Effects,
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
    transaction.tx,
    grouped.map(({ ord, projectId, hash }) => ({ ord, projectId, hash })),
  );
  const opening = wanting.filter(({ ord }) => !open.has(ord));
  for (const projectId of new Set(opening.map((one) => one.projectId))) {
    const here = opening.filter((one) => one.projectId === projectId);
    const severities = here.map(({ severity }) => severity);
    const sharing = await shareIncident(transaction, projectId, severities);
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
