/** What a batch has done so far, kept while it decides and written at its end. */
import type { IncidentChange } from "./announce-incidents.ts";
import type { Op } from "./batch.ts";
import type { Delivery } from "./delivery.ts";
import type { AlertHappening } from "./notify-alerts.ts";
import type { Decision } from "./receipt.ts";
import type { NewActivity, NewOccurrence } from "./store-history.ts";

/** Alerts touched (iid → title) and what was decided of which report by delivery, and the rows that tell of them. */
export interface Effects {
  alerts: Map<Delivery, Map<number, string>>;
  decisions: Map<Delivery, Decided[]>;
  occurrences: NewOccurrence[];
  activity: NewActivity[];
  /** On incidents that closed. */
  notes: { incidentId: number; authorId: number; body: string }[];
  incidents: IncidentChange[];
  /** What channels may want to hear of. */
  happenings: AlertHappening[];
  /** What the receipt of a delivery says besides. */
  remarks: Map<Delivery, Set<string>>;
}

/** What became of one report of a delivery; of one that ends several alerts there are several. */
export interface Decided {
  item: number;
  decision: Decision;
}

/** Nothing yet. */
export function noEffects(): Effects {
  return {
    alerts: new Map(),
    decisions: new Map(),
    occurrences: [],
    activity: [],
    notes: [],
    incidents: [],
    happenings: [],
    remarks: new Map(),
  };
}

/** A line of an alert's activity, by the service itself. */
export function activityLine(alertId: number, kind: NewActivity["kind"], body: string): NewActivity {
  return { alert_id: alertId, author_id: null, kind, body };
}

/** Keeps what one report did to one alert. */
export function noteEffect(
  effects: Effects,
  op: Op,
  alert: { id: number; iid: number; title: string },
  decision: Decision,
): void {
  const { delivery, item, report } = op;
  const touched = effects.alerts.get(delivery) ?? new Map<number, string>();
  effects.alerts.set(delivery, touched.set(alert.iid, alert.title));
  decide(effects, op, decision);
  effects.occurrences.push({
    alert_id: alert.id,
    receipt_id: delivery.receiptId,
    item,
    kind: report.action === "recovery" ? "recovery" : "firing",
    hosts: report.hosts,
  });
}

/** Keeps a remark for the receipt; the same one stands there once. */
export function remark(effects: Effects, delivery: Delivery, words: string): void {
  const before = effects.remarks.get(delivery);
  if (before) before.add(words);
  else effects.remarks.set(delivery, new Set([words]));
}

/** Keeps a decision about a report that touched no alert, too. */
export function decide(
  effects: Effects,
  { delivery, item }: Pick<Op, "delivery" | "item">,
  decision: Decision,
): void {
  const before = effects.decisions.get(delivery);
  if (before) before.push({ item, decision });
  else effects.decisions.set(delivery, [{ item, decision }]);
}
