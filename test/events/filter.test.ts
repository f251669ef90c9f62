/** The interval and the rows that a filter means, and whether it restricts the list. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asksForKinds,
  type EventFilter,
  isFiltered,
  isOfAllKinds,
  rowsOfTargets,
  spanOf,
} from "../../src/events/filter.ts";
import { hasDays } from "../../src/events/store-days.ts";
import type { Subject } from "../../src/events/subject.ts";

const at = (text: string) => new Date(`${text}Z`);

test("the days of after and before are excluded, and the narrower of several bounds applies (spec: Limits 3; reference events A3)", () => {
  const days = { after: "2026-05-01", before: "2026-05-10" };
  assert.deepEqual(spanOf(days), { from: at("2026-05-02T00:00:00"), to: at("2026-05-10T00:00:00") });
  const inner = { from: at("2026-05-02T12:00:00"), to: at("2026-05-09T12:00:00") };
  assert.deepEqual(spanOf({ ...days, ...inner }), inner);
  const outer = { from: at("2026-05-01T12:00:00"), to: at("2026-05-10T12:00:00") };
  assert.deepEqual(spanOf({ ...days, ...outer }), spanOf(days));
  assert.deepEqual(spanOf({ after: "2026-05-01" }), { from: at("2026-05-02T00:00:00") });
  assert.deepEqual(spanOf({}), {});
});

test("a moment outside of the years 1 to 9999 is replaced by the first or last that the database can represent (reference events A3)", () => {
  const far = { from: new Date(-8e15), to: new Date(8e15) };
  assert.deepEqual(spanOf(far), { from: at("0001-01-01T00:00:00"), to: at("9999-12-31T00:00:00") });
  assert.deepEqual(spanOf({ after: "9999-12-31" }), { from: at("9999-12-31T00:00:00") });
});

test("a filter word for targets means all their types, and for some words rows without a target (reference events A7)", () => {
  assert.deepEqual(rowsOfTargets(["issue", "note", "epic"]), {
    types: ["Issue", "WorkItem", "Incident", "Note", "DiscussionNote", "DiffNote"],
    targetless: [],
  });
  assert.deepEqual(rowsOfTargets(["project", "push"]), {
    types: ["Project"],
    targetless: ["created", "updated", "joined", "left", "expired", "pushed"],
  });
  assert.deepEqual(rowsOfTargets(["design"]), { types: [], targetless: [] });
});

test("every condition but the sort order restricts a list; counts by day support all but search words (decision 0175)", () => {
  const kinds: [EventFilter, boolean, boolean, boolean][] = [
    [{ sort: "asc" }, false, true, false],
    [{ authorIds: [], action: undefined }, false, true, false],
    [{ after: "2026-05-01", to: new Date() }, true, true, false],
    [{ action: "created" }, true, false, true],
    [{ notAuthorNames: ["dev"] }, true, false, true],
    [{ groupId: 1, before: "2026-05-01" }, true, false, true],
    [{ search: "disk" }, true, false, false],
    [{ search: "disk", action: "created" }, true, false, false],
  ];
  for (const [filter, filtered, all, asks] of kinds) {
    const told = JSON.stringify(filter);
    assert.deepEqual(
      [isFiltered(filter), isOfAllKinds(filter), asksForKinds(filter)],
      [filtered, all, asks],
      told,
    );
  }
});

test("counts by day are used for many projects only without further conditions, and only for whole days (decisions 0135, 0189)", () => {
  const one: Subject = { kind: "project", projectId: 1, visibility: "private", access: 20 };
  const asked = (subject: Subject, filter: EventFilter) =>
    hasDays({ subject, filter, asker: undefined, limit: 20, offset: 0 });
  const wide: Subject[] = [{ kind: "memberships" }, { kind: "group", groupId: 1 }];
  for (const subject of wide) {
    assert.equal(asked(subject, { after: "2026-05-01", before: "2026-05-10" }), true);
    for (const filter of [
      { action: "created" as const },
      { notTargets: ["issue" as const] },
      { authorIds: [1] },
    ]) {
      assert.equal(asked(subject, filter), false);
      assert.equal(asked(one, filter), true);
    }
  }
  assert.equal(asked(one, { to: at("2026-05-10T12:00:00") }), false);
  assert.equal(asked(one, { to: at("2026-05-10T00:00:00") }), true);
});
