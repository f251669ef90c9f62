/** The checkers of tests that break something: each is shown to find what it is there to find. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AlertLedger, EventLedger } from "../support/ledger.ts";

/** Two of "Hot" accepted and one without an answer, one of "Cold" accepted, one of "Lost" without an answer. */
function alerts(): AlertLedger {
  const ledger = new AlertLedger();
  for (const title of ["Hot", "Hot", "Cold"]) ledger.accept(title);
  for (const title of ["Hot", "Lost"]) ledger.doubt(title);
  return ledger;
}

test("what was accepted, with or without what has no answer, contradicts nothing (reference reliability B)", () => {
  const ledger = alerts();
  assert.equal(ledger.total, 3);
  const cold = { title: "Cold", events: 1 };
  for (const events of [2, 3]) assert.deepEqual(ledger.contradictions([{ title: "Hot", events }, cold]), []);
  const all = [{ title: "Hot", events: 3 }, cold, { title: "Lost", events: 1 }];
  assert.deepEqual(ledger.contradictions(all), []);
});

for (const { fault, stored, found } of [
  {
    fault: "an accepted alert that was lost",
    stored: [{ title: "Hot", events: 2 }],
    found: "Cold: counted 0 times instead of 1",
  },
  {
    fault: "an accepted repeat that was not counted, as by a counter that reads and then writes",
    stored: [
      { title: "Hot", events: 1 },
      { title: "Cold", events: 1 },
    ],
    found: "Hot: counted 1 times instead of 2 to 3",
  },
  {
    fault: "an alert that was counted twice",
    stored: [
      { title: "Hot", events: 2 },
      { title: "Cold", events: 2 },
    ],
    found: "Cold: counted 2 times instead of 1",
  },
  {
    fault: "one alert in two rows",
    stored: [
      { title: "Hot", events: 2 },
      { title: "Cold", events: 1 },
      { title: "Cold", events: 1 },
    ],
    found: "Cold: stored more than once",
  },
  {
    fault: "an alert that nobody sent",
    stored: [
      { title: "Hot", events: 2 },
      { title: "Cold", events: 1 },
      { title: "Strange", events: 1 },
    ],
    found: "Strange: counted 1 times instead of 0",
  },
]) {
  test(`the ledger of alerts finds ${fault} (reference reliability B, D, F32)`, () => {
    assert.deepEqual(alerts().contradictions(stored), [found]);
  });
}

/** "First" and "Second" accepted as 1 and 2, "Lost" without an answer. */
function events(): EventLedger {
  const ledger = new EventLedger();
  ledger.accepted.set(1, "First").set(2, "Second");
  ledger.unknown.add("Lost");
  return ledger;
}
const FIRST = { id: 1, title: "First" };
const SECOND = { id: 2, title: "Second" };

test("accepted events, with or without one that has no answer, contradict nothing (reference reliability B)", () => {
  assert.deepEqual(events().contradictions([FIRST, SECOND]), []);
  assert.deepEqual(events().contradictions([FIRST, SECOND, { id: 3, title: "Lost" }]), []);
});

for (const { fault, stored, found } of [
  {
    fault: "an accepted event that was lost, as in a failover to a standby that lags",
    stored: [FIRST],
    found: ["Second: accepted as 2, and not stored so"],
  },
  {
    fault: "an accepted event whose id another one has",
    stored: [FIRST, { id: 2, title: "Lost" }],
    found: ["Second: accepted as 2, and not stored so"],
  },
  {
    fault: "an event that was stored twice",
    stored: [FIRST, SECOND, { id: 3, title: "Second" }],
    found: ["Second: stored more than once"],
  },
  {
    fault: "an event that nobody sent",
    stored: [FIRST, SECOND, { id: 3, title: "Strange" }],
    found: ["Strange: stored, and never sent"],
  },
]) {
  test(`the ledger of events finds ${fault} (reference reliability B, D, F32)`, () => {
    assert.deepEqual(events().contradictions(stored), found);
  });
}
