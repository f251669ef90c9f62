/** The effects of a batch, collected while its reports are decided and written at its end. */
import type { IncidentChange } from "./announce-incidents.ts";
import type { Op } from "./batch.ts";
import type { Delivery, Outcome } from "./delivery.ts";
import type { AlertHappening } from "./notify-alerts.ts";
import type { Decision } from "./receipt.ts";
import type { NewActivity, NewOccurrence } from "./store-history.ts";

/** What a batch has decided, and the rows that it is to write. */
export interface Effects {
  /** The alerts that each delivery named, by iid. */
  alerts: Map<Delivery, Map<number, Touch>>;
  decisions: Map<Delivery, Decided[]>;
  occurrences: NewOccurrence[];
  activity: NewActivity[];
  /** Notes of incidents that closed. */
  notes: { incidentId: number; authorId: number; body: string }[];
  incidents: IncidentChange[];
  /** Events of which channels may be notified. */
  happenings: AlertHappening[];
  /** Further warnings for the receipt of a delivery. */
  remarks: Map<Delivery, Set<string>>;
  /** For deliveries with several reports, by alert id: the operations of the statement that counted the delivery on it. */
  counters: Map<Delivery, Map<number, readonly Op[]>>;
  /** By alert id: how many times too often deliveries were counted on it. */
  overcounts: Map<number, number>;
}

/** An alert that a delivery named. */
interface Touch {
  title: string;
  /** The index of the first report that named it. */
  item: number;
  /** The indexes of all reports that named it, if the reports have message ids of their own. */
  items?: number[];
}

/** The decision about one report of a delivery; a report that ends several alerts has several. */
export interface Decided {
  item: number;
  decision: Decision;
}

/** The reports of a delivery that were answered before, by index, each with the alerts that it named then. */
export type Repeats = ReadonlyMap<number, Pick<Outcome, "alerts">>;

/** The effects of a batch that has decided nothing yet. */
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
    counters: new Map(),
    overcounts: new Map(),
  };
}

/** A line of an alert's activity whose author is the service itself. */
export function activityLine(alertId: number, kind: NewActivity["kind"], body: string): NewActivity {
  return { alert_id: alertId, author_id: null, kind, body };
}

/** Adds what one report did to one alert; `ops`: the operations that were recorded by the same statement. */
export function noteEffect(
  effects: Effects,
  op: Op,
  alert: { id: number; iid: number; title: string },
  decision: Decision,
  ops: readonly Op[],
): void {
  const { delivery, item, report } = op;
  touch(effects, op, alert, ops);
  decide(effects, op, decision);
  effects.occurrences.push({
    alert_id: alert.id,
    receipt_id: delivery.receiptId,
    item,
    kind: report.action === "recovery" ? "recovery" : "firing",
    hosts: report.hosts,
  });
}

/**
 * Adds that a delivery named an alert. Each statement counts the delivery on the alert, but a request counts once however
 * often it names the alert (contract-alerts, counting): what was counted too often goes into `overcounts`.
 */
export function touch(
  effects: Effects,
  { delivery, item }: Op,
  alert: { id: number; iid: number; title: string },
  ops: readonly Op[],
): void {
  const touched = effects.alerts.get(delivery) ?? new Map<number, Touch>();
  const first = Math.min(item, touched.get(alert.iid)?.item ?? item);
  const named = delivery.reportHashes && { items: touched.get(alert.iid)?.items ?? [] };
  named?.items.push(item);
  effects.alerts.set(delivery, touched.set(alert.iid, { title: alert.title, item: first, ...named }));
  if (delivery.reading.reports.length === 1) return;
  const counters = effects.counters.get(delivery) ?? new Map<number, readonly Op[]>();
  const before = counters.get(alert.id);
  effects.counters.set(delivery, counters.set(alert.id, ops));
  if (before === undefined || before === ops) return;
  effects.overcounts.set(alert.id, (effects.overcounts.get(alert.id) ?? 0) + 1);
}

/**
 * The alerts that a delivery named, each once, in the order of its reports; they were added in another order, since alerts
 * that open are recorded before those that are counted. `repeats`: its reports that were answered before.
 */
export function touchedBy(
  effects: Effects,
  delivery: Delivery,
  repeats: Repeats = new Map(),
): { iid: number; title: string }[] {
  const all = new Map(effects.alerts.get(delivery));
  for (const [item, { alerts }] of repeats) {
    for (const { iid, title } of alerts) {
      const before = all.get(iid);
      if (!before || before.item > item) all.set(iid, { title, item });
    }
  }
  const touched = [...all];
  if (touched.length > 1) touched.sort(([, one], [, other]) => one.item - other.item);
  return touched.map(([iid, { title }]) => ({ iid, title }));
}

/** The alerts that one report of a delivery named; only for deliveries whose reports have message ids of their own. */
export function touchedByReport(effects: Effects, delivery: Delivery, item: number) {
  const touched = [...(effects.alerts.get(delivery) ?? [])].filter(([, { items }]) => items?.includes(item));
  return touched.map(([iid, { title }]) => ({ iid, title }));
}

/** Adds a warning to the receipt of a delivery; the same one is added once. */
export function remark(effects: Effects, delivery: Delivery, words: string): void {
  const before = effects.remarks.get(delivery);
  if (before) before.add(words);
  else effects.remarks.set(delivery, new Set([words]));
}

/** Adds the decision about a report, which may have touched no alert. */
export function decide(
  effects: Effects,
  { delivery, item }: Pick<Op, "delivery" | "item">,
  decision: Decision,
): void {
  const before = effects.decisions.get(delivery);
  if (before) before.push({ item, decision });
  else effects.decisions.set(delivery, [{ item, decision }]);
}
