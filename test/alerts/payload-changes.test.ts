/** The differences between two payloads, and the paths that the fields of a reading came from. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { originsOf } from "../../src/alerts/origins.ts";
import { payloadChanges } from "../../src/alerts/payload-changes.ts";
import { readDelivery } from "../../src/alerts/read-delivery.ts";

test("changes are listed by path, with the values before and after (reference alerts A7)", () => {
  const before = { a: 1, list: [1, 2], gone: { x: null }, same: "s" };
  const after = { same: "s", a: "1", list: [1], empty: {} };
  assert.deepEqual(payloadChanges(before, after), [
    { path: "a", before: "1", after: '"1"' },
    { path: "empty", before: undefined, after: "{}" },
    { path: "list.1", before: "2", after: undefined },
    { path: "gone.x", before: "null", after: undefined },
  ]);
  assert.deepEqual(payloadChanges(before, structuredClone(before)), []);
});

test("paths with long names are shortened and stay distinct, and at most 5,000 changes are listed (reference alerts A7; decision 0159)", () => {
  const long = (end: string) => `${"k".repeat(100_000)}${end}`;
  const before = { [long("x")]: 1, [long("y")]: 1 };
  const [change, ...others] = payloadChanges(before, { ...before, [long("y")]: 2 });
  assert.deepEqual([change?.before, change?.after, others], ["1", "2", []]);
  assert.match(change?.path ?? "", /^k{90}…[0-9a-f]{9}$/);
  const below = (value: number) => ({ [long("z")]: Array.from({ length: 200_000 }, () => value) });
  assert.equal(payloadChanges(below(1), below(2)).length, 5000);
});

test("the origin of a field is the first mapped path with a value, or its own name, or the grouping paths (decision 0039)", () => {
  const rules = { strict: false, mapping: { title: ["none", "event.name"] }, groupBy: ["host", "site"] };
  const payload = { event: { name: "Fan" }, host: "a", site: "b", hosts: "h" };
  const { reports, shape } = readDelivery(JSON.stringify(payload), rules);
  const report = reports[0];
  assert.ok(report);
  const from = Object.fromEntries(originsOf(report, shape, rules).map((one) => [one.field, one.from]));
  assert.deepEqual(
    [from.title, from.hosts, from.severity, from.fingerprint],
    ["event.name", "hosts", undefined, "host, site"],
  );
});
