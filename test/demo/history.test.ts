/** The demo's two years of events are plausible: in order, mostly on weekdays, by people who were there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PEOPLE, PROJECTS, type Username } from "../../src/demo/cast.ts";
import { historyOf } from "../../src/demo/history.ts";
import { createRandom } from "../../src/demo/random.ts";
import { arrivalOf, DAY, isAway, isWeekend } from "../../src/demo/working-time.ts";
import { isAllowedPair, type NewEvent } from "../../src/events/event.ts";

const until = Date.UTC(2026, 5, 17, 13);
const period = { from: until - 728 * DAY, until };
const idOf = (username: Username) => PEOPLE.findIndex((actor) => actor.username === username);
const historyNo = (index: number, seed = 1) => {
  const project = PROJECTS[index] as (typeof PROJECTS)[number];
  return historyOf({ ...project, id: index + 1 }, idOf("ines"), idOf, createRandom(seed), period);
};
const histories = PROJECTS.map((_project, index) => historyNo(index));
const events = histories.flat();

/** The time of an event of the demo, which always has one. */
const momentOf = (event: NewEvent) => event.createdAt?.getTime() ?? Number.NaN;

test("the same seed and the same day give the same history (decision 0060)", () => {
  assert.deepEqual(historyNo(0), histories[0]);
  assert.notDeepEqual(historyNo(0, 2), histories[0]);
});

test("every project of the demo has between 1,000 and 4,000 events, all within its two years (decision 0060)", () => {
  for (const history of histories)
    assert.ok(history.length > 1000 && history.length < 4000, `${history.length}`);
  for (const event of events) assert.ok(momentOf(event) >= period.from && momentOf(event) < until);
});

test("people mostly work on weekdays: less than a twentieth of the events are at weekends (caption of src/demo/working-time.ts)", () => {
  const atWeekends = events.filter((event) => isWeekend(momentOf(event))).length;
  assert.ok(atWeekends > 0 && atWeekends < events.length / 20, `${atWeekends} of ${events.length}`);
});

test("nobody has events before they arrived, and almost none while they are away (caption of src/demo/working-time.ts)", () => {
  let away = 0;
  for (const event of events.filter((one) => one.targetType !== "Project")) {
    const actor = PEOPLE[event.authorId];
    assert.ok(actor && momentOf(event) > arrivalOf(actor, period.from), JSON.stringify(event));
    if (event.action !== "joined" && isAway(actor, momentOf(event))) away++;
  }
  assert.ok(away < events.length / 100, `${away}`);
});

test("every event has an allowed pair of action and target type (contract-events §1, allowed pairs)", () => {
  for (const { action, targetType = null } of events)
    assert.ok(isAllowedPair(action, targetType), `${action} ${targetType}`);
  const seen = new Set(events.map(({ action }) => action));
  for (const action of [
    "pushed",
    "created",
    "closed",
    "reopened",
    "commented",
    "approved",
    "merged",
    "joined",
  ] as const) {
    assert.ok(seen.has(action), action);
  }
});

test("targets are numbered in the order of their creation, and have no events before it (decision 0060)", () => {
  for (const history of histories) {
    const made = new Map<string, number>();
    for (const { action, targetType, targetIid, createdAt } of history) {
      if (targetType !== "Issue" && targetType !== "MergeRequest" && targetType !== "Milestone") continue;
      const last = made.get(targetType) ?? 0;
      if (action === "created") {
        assert.equal(targetIid, last + 1);
        made.set(targetType, last + 1);
      } else
        assert.ok((targetIid ?? 0) >= 1 && (targetIid ?? 0) <= last, `${action} ${targetType} ${createdAt}`);
    }
  }
});

test("a merge request is merged at most once, directly after its approval, and then has no further events (decision 0060)", () => {
  for (const history of histories) {
    const states = new Map<number, string>();
    for (const { action, targetType, targetIid = 0 } of history) {
      if (targetType !== "MergeRequest") continue;
      const before = states.get(targetIid);
      if (action === "merged") assert.equal(before, "approved", `!${targetIid}`);
      else assert.notEqual(before, "merged", `!${targetIid} ${action}`);
      states.set(targetIid, action);
    }
  }
});

test("no issue is closed twice without being reopened in between (decision 0060)", () => {
  for (const history of histories) {
    const closed = new Set<number>();
    for (const { action, targetType, targetIid = 0 } of history) {
      if (targetType !== "Issue") continue;
      if (action === "closed") {
        assert.ok(!closed.has(targetIid), `#${targetIid}`);
        closed.add(targetIid);
      } else if (action === "reopened") {
        assert.ok(closed.delete(targetIid), `#${targetIid}`);
      }
    }
  }
});
