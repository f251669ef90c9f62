/** The effects of a batch, collected while its reports are decided and written at its end. */
import type { IncidentChange } from "./announce-incidents.ts";
import type { Op } from "./batch.ts";
import type { Delivery, Outcome } from "./delivery.ts";
import type { AlertHappening } from "./notify-alerts.ts";
import type { Decision } from "./receipt.ts";
import type { NewActivity, NewOccurrence } from "./store-history.ts";

/** Alerts touched (by iid) and what was decided of which report by delivery, and the rows that tell of them. */
export interface Effects {
  alerts: Map<Delivery, Map<number, Touch>>;
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
  /** Of deliveries that say several things: each alert by its id, with those operations that counted the delivery on it. */
  counters: Map<Delivery, Map<number, readonly Op[]>>;
  /** By the ids of alerts: how often a delivery was counted on it that had been before. */
  overcounts: Map<number, number>;
}

/** An alert that a delivery named, and by which of its reports first; by which of them all, where each has a name. */
interface Touch {
  title: string;
  item: number;
  items?: number[];
}

/** What became of one report of a delivery; of one that ends several alerts there are several. */
export interface Decided {
  item: number;
  decision: Decision;
}

/** By their places the reports of a delivery that came before, each with what it named then. */
export type Repeats = ReadonlyMap<number, Pick<Outcome, "alerts">>;

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
    counters: new Map(),
    overcounts: new Map(),
  };
}

/** A line of an alert's activity, by the service itself. */
export function activityLine(alertId: number, kind: NewActivity["kind"], body: string): NewActivity {
  return { alert_id: alertId, author_id: null, kind, body };
}

/** Keeps what one report did to one alert; `ops`: those that went in one statement with it. */
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
 * Keeps that a delivery named an alert. Every statement counts a delivery, but a request is one however often it names the
 * alert (contract-alerts, counting).
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
 * The alerts that a delivery named, each once, in the order in which it did: what opens is written before what is counted.
 * `repeats`: what those of its reports named that came before.
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

/** Those that one of its reports named, of a delivery in which each has a name. */
export function touchedByReport(effects: Effects, delivery: Delivery, item: number) {
  const touched = [...(effects.alerts.get(delivery) ?? [])].filter(([, { items }]) => items?.includes(item));
  return touched.map(([iid, { title }]) => ({ iid, title }));
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
