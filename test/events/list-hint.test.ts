/** How the way to read a list is chosen by what earlier reads cost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SoughtQuery } from "../../src/events/filter.ts";
import { hintFor } from "../../src/events/list-hint.ts";

let askers = 0;
/** A list over all projects of the asker that was not read before. */
function aList(): SoughtQuery {
  return {
    subject: { kind: "memberships" },
    asker: { id: ++askers, isAdmin: false },
    filter: {},
    limit: 20,
    offset: 0,
  };
}

/** Reads it once, with a duration for each way; returns the way that was chosen. */
function read(list: SoughtQuery, took: { time: number; projects: number }) {
  const hint = hintFor(list);
  const { way } = hint.plan;
  assert.ok(way && way !== "days");
  hint.took(took[way]);
  return way;
}
const waysOf = (list: SoughtQuery, times: number, took: { time: number; projects: number }) =>
  Array.from({ length: times }, () => read(list, took));

/** A list that has many of all events, but not the newest. */
function aDenseList(): SoughtQuery {
  const list = aList();
  const hint = hintFor(list);
  hint.took(5);
  assert.equal(hint.widen(), true);
  hint.choose({ total: 100_000, all: 1_000_000 });
  return list;
}

test("a list that is found among the newest of all events is scanned there, even after a slow read (decision 0183)", () => {
  const list = aList();
  assert.equal(hintFor(list).plan.most, 2000);
  assert.deepEqual(waysOf(list, 3, { time: 900, projects: 1 }), ["time", "time", "time"]);
  const hint = hintFor(list);
  assert.equal(hint.widen(), true);
  assert.equal(hint.plan.most, undefined);
});

test("an unknown list may share a statement once eight of its kind were quick, until one is slow (decision 0183)", () => {
  const unknown = () => hintFor({ ...aList(), limit: 70 });
  const first = unknown();
  assert.equal(first.isCheap, false);
  first.took(8);
  for (let times = 0; times < 7; times++) unknown().took(8);
  const trusted = unknown();
  assert.equal(trusted.isCheap, true);
  // Sixteen lists together take longer than one alone.
  trusted.took(70, 16);
  const slow = unknown();
  assert.equal(slow.isCheap, true);
  slow.took(90, 16);
  assert.equal(unknown().isCheap, false);
  // Lists of another kind are judged separately.
  assert.equal(hintFor({ ...aList(), limit: 90 }).isCheap, false);
});

test("a list that delayed a shared statement is read alone, however quick it is then (decision 0183)", () => {
  const list = { ...aList(), limit: 130 };
  hintFor(list).took(20);
  assert.equal(hintFor(list).isCheap, true);
  hintFor(list).took(320, 16);
  hintFor(list).took(20);
  assert.equal(hintFor(list).isCheap, false);
});

test("a list that reads further back is scanned as long as this is quick (decision 0093)", () => {
  assert.deepEqual(waysOf(aDenseList(), 3, { time: 8, projects: 1 }), ["time", "time", "time"]);
});

test("after a scan that skipped very many events, the newest events of each project are merged, and this is kept if it is quicker (decision 0093)", () => {
  assert.deepEqual(waysOf(aDenseList(), 3, { time: 900, projects: 35 }), ["time", "projects", "projects"]);
  assert.deepEqual(waysOf(aDenseList(), 4, { time: 50, projects: 300 }), [
    "time",
    "projects",
    "time",
    "time",
  ]);
});

test("the ways are compared by their last durations, so that a moment of load does not decide (decision 0093)", () => {
  const list = aDenseList();
  assert.deepEqual(waysOf(list, 2, { time: 600, projects: 35 }), ["time", "projects"]);
  assert.deepEqual(waysOf(list, 2, { time: 5000, projects: 700 }), ["projects", "time"]);
  assert.deepEqual(waysOf(list, 2, { time: 600, projects: 35 }), ["projects", "projects"]);
});

test("if the newest of all events were too few, the way is chosen by the share of all events that the list has (decision 0093)", () => {
  for (const [total, way] of [
    [100_000, "time"],
    [100, "projects"],
  ] as const) {
    const hint = hintFor(aList());
    hint.took(900);
    assert.equal(hint.widen(), true);
    assert.equal(hint.plan.way, undefined);
    hint.choose({ total, all: 1_000_000 });
    assert.equal(hint.plan.way, way);
    let wider = 0;
    while (hint.widen()) wider++;
    assert.ok(wider > 0 && wider < 5);
  }
});

test("if a list of one kind finds too few events, its days are read, and everything if these held too few as well (decision 0175)", () => {
  for (const [subject, otherwise] of [
    [{ kind: "memberships" }, "projects"],
    [{ kind: "author", authorId: ++askers }, "time"],
  ] as const) {
    const list: SoughtQuery = { ...aList(), subject, filter: { action: "closed" } };
    const hint = hintFor(list);
    assert.equal(hint.plan.way, "time");
    assert.equal(hint.widen(), true);
    hint.choose({ total: 30, all: 1_000_000 });
    assert.deepEqual(hint.plan, { floor: undefined, way: "days" });
    assert.deepEqual(hintFor(list).plan, { floor: undefined, way: "days" });
    assert.equal(hint.widen(), true);
    assert.deepEqual(hint.plan, { floor: undefined, way: otherwise });
    assert.equal(hint.widen(), false);
  }
});

test("a scan for events of one kind that takes long is replaced by reading their days, as long as this is quicker (decision 0175)", () => {
  const subject = { kind: "author" as const, authorId: ++askers };
  const list: SoughtQuery = { ...aList(), subject, filter: { action: "merged" } };
  const ways = (times: number, took: Record<"time" | "days", number>) =>
    Array.from({ length: times }, () => {
      const hint = hintFor(list);
      const { way } = hint.plan;
      assert.ok(way === "time" || way === "days");
      hint.took(took[way]);
      return way;
    });
  assert.deepEqual(ways(3, { time: 900, days: 35 }), ["time", "days", "days"]);
  assert.deepEqual(ways(2, { time: 900, days: 1000 }), ["days", "time"]);
});

test("for a list of one kind the newest events of its author are scanned, however old, and more of them for later pages (decision 0175)", () => {
  const subject = { kind: "author" as const, authorId: ++askers };
  const list = (more: Partial<SoughtQuery>) => ({ ...aList(), subject, ...more });
  const filter = { target: "snippet" as const };
  assert.deepEqual(hintFor(list({ filter })).plan, { floor: undefined, way: "time", most: 520 });
  assert.equal(hintFor(list({ filter, offset: 900, limit: 100 })).plan.most, 1500);
  for (const other of [list({}), list({ filter: { search: "disk" } })]) {
    const { floor, most } = hintFor(other).plan;
    assert.ok(floor !== undefined && most === undefined);
  }
});

test("lists of one kind start with their days if those of others had to, and one in fourteen tries the scan again (decision 0175)", () => {
  const another = () =>
    hintFor({ ...aList(), subject: { kind: "author", authorId: ++askers }, filter: { action: "reopened" } });
  const first = another();
  assert.equal(first.plan.way, "time");
  assert.equal(first.widen(), true);
  const ways = Array.from({ length: 15 }, () => another().plan.way);
  assert.deepEqual(ways, [...Array(14).fill("days"), "time"]);
  // Other kinds are not affected.
  const others = hintFor({
    ...aList(),
    subject: { kind: "author", authorId: ++askers },
    filter: { action: "created" },
  });
  assert.equal(others.plan.way, "time");
});

test("the newest events of each project are read for the days that should fill a page, then for more (decision 0209)", () => {
  const hint = hintFor({ ...aList(), limit: 300 });
  assert.equal(hint.widen(), true);
  hint.choose({ total: 300 * 730, all: 1_000_000_000 });
  const daysBack = () => hint.plan.floor && Math.round((Date.now() - hint.plan.floor.getTime()) / 86_400_000);
  const tried: (number | undefined)[] = [daysBack()];
  while (hint.widen()) tried.push(daysBack());
  assert.equal(hint.plan.way, "projects");
  const [first = 0, second = 0, third = 0, ...rest] = tried;
  assert.ok(first >= 4 && first <= 8, `${tried}`);
  assert.ok(second >= 12 && second <= 20 && third >= 36, `${tried}`);
  assert.equal(rest.at(-1), undefined);
});

test("a list in ascending order is read from its beginning, whatever is known about it (decision 0093)", () => {
  for (const subject of [{ kind: "memberships" }, { kind: "author", authorId: ++askers }] as const) {
    for (const filter of [{}, { action: "closed" as const }, { search: "disk" }]) {
      const list: SoughtQuery = { ...aList(), subject, filter: { ...filter, sort: "asc" } };
      for (let times = 0; times < 2; times++) {
        const hint = hintFor(list);
        assert.deepEqual([hint.plan.floor, hint.plan.most], [undefined, undefined]);
        hint.choose({ total: 100, all: 1_000_000 });
        hint.took(900);
        assert.equal(hint.plan.floor, undefined);
      }
    }
  }
});
