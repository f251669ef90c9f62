/** How the reports of several requests are split into rounds, and how several firings are combined. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  believedUntil,
  countDeliveries,
  distinctStarts,
  hostsOf,
  newestStart,
  type Op,
  roundsOf,
} from "../../src/alerts/batch.ts";
import type { Delivery } from "../../src/alerts/delivery.ts";
import type { AlertReport } from "../../src/alerts/report.ts";
import { aDelivery } from "../support/alerts.ts";

const FIRING = { title: "Disk", fingerprint: "disk" };
const RECOVERY = { ...FIRING, end_time: "2026-05-01T12:00:00Z" };

/** Firings of one alert, each in a separate delivery. */
function firings(reports: readonly Partial<AlertReport>[]): Op[] {
  return reports.map((change) => {
    const delivery = aDelivery(FIRING);
    const report = { ...(delivery.reading.reports[0] as AlertReport), ...change };
    return { delivery, item: 0, report, grouped: true, hash: report.fingerprint.hash.toString("hex") };
  });
}

const at = (hour: number) => new Date(Date.UTC(2026, 4, 1, hour));
const told = (deliveries: readonly Delivery[]) =>
  roundsOf(deliveries).map((round) =>
    round.map(({ kind, ops }) => [kind, ops.map(({ delivery }) => deliveries.indexOf(delivery))]),
  );

test("consecutive firings are one step, and a recovery between them separates them (spec: States 1, 2, 3)", () => {
  const all = [FIRING, FIRING, RECOVERY, RECOVERY, FIRING].map((payload) => aDelivery(payload));
  assert.deepEqual(told(all), [[["firing", [0, 1]]], [["recovery", [2, 3]]], [["firing", [4]]]]);
});

test("notes and acknowledgements of one alert are processed one by one, in order (decisions 0086, 0186)", () => {
  const said = (["note", "note", "acknowledgement"] as const).map((action) => {
    const delivery = aDelivery(FIRING);
    const [report] = delivery.reading.reports as [AlertReport];
    return aDelivery(FIRING, { reading: { ...delivery.reading, reports: [{ ...report, action }] } });
  });
  assert.deepEqual(told(said), [[["note", [0]]], [["note", [1]]], [["acknowledgement", [2]]]]);
});

test("the same fingerprint in two projects is two alerts, also within one batch (spec: States 3)", () => {
  const all = [1, 2, 1].map((projectId) => aDelivery(FIRING, { projectId }));
  assert.deepEqual(told(all), [
    [
      ["firing", [0, 2]],
      ["firing", [1]],
    ],
  ]);
});

test("the start of combined firings is the newest one, and none if one of them has no start (decisions 0179, 0180)", () => {
  const starts = [at(3), at(5), at(4)].map((startedAt) => ({ startedAt }));
  assert.deepEqual(newestStart(firings(starts)), at(5));
  assert.equal(newestStart(firings([...starts, { startedAt: null }])), undefined);
});

test("a start counts once, for the source that reported it first, and an alert that counts once has a single start (contract-alerts, counting; decision 0113)", () => {
  const counting = "starts" as const;
  const said = firings([
    { counting, startedAt: at(3), source: "one" },
    { counting, startedAt: at(3), source: "two" },
    { counting, startedAt: at(4), source: "two" },
    { counting, startedAt: null, source: "two" },
    { counting: "each", startedAt: at(5) },
  ]);
  assert.deepEqual(distinctStarts(said), [
    { start: at(3).toISOString(), source: "one" },
    { start: at(4).toISOString(), source: "two" },
  ]);
  const once = { counting: "once", startedAt: at(3) } as const;
  assert.equal(distinctStarts(firings([once, { ...once, startedAt: at(4) }])).length, 1);
});

test("a request that names an alert several times is one delivery of it (contract-alerts, counting)", () => {
  const [first, second] = firings([{}, {}]) as [Op, Op];
  assert.equal(countDeliveries([first]), 1);
  assert.equal(countDeliveries([first, { ...first, item: 1 }, second]), 2);
});

test("combined firings expire at the latest of their ends, and never if the newest has no end (decision 0113)", () => {
  const ends = [at(3), at(5), at(4)].map((end) => ({ believedUntil: end }));
  assert.deepEqual(believedUntil(firings(ends)), at(5));
  assert.equal(believedUntil(firings([...ends, { believedUntil: undefined }])), undefined);
  assert.deepEqual(believedUntil(firings([{ believedUntil: undefined }, ...ends])), at(5));
});

test("the hosts of combined firings are merged without duplicates, up to 1,000 (spec: Alert payload hosts)", () => {
  const many = Array.from({ length: 1500 }, (_, n) => `h${n}`);
  assert.deepEqual(hostsOf(firings([{ hosts: ["a", "b"] }, { hosts: ["b", "c"] }])), ["a", "b", "c"]);
  assert.deepEqual(hostsOf(firings([{ hosts: many }])), many.slice(0, 1000));
});
