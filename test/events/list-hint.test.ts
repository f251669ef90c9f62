/** How the way in which a list is read is chosen by what it took. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SoughtQuery } from "../../src/events/filter.ts";
import { hintFor } from "../../src/events/list-hint.ts";

let askers = 0;
/** A list of all one's projects that nobody read before. */
function aList(): SoughtQuery {
  return {
    subject: "memberships",
    asker: { id: ++askers, isAdmin: false },
    filter: {},
    limit: 20,
    offset: 0,
  };
}

/** Reads it once, in so many milliseconds by either way; returns the way it was read. */
function read(list: SoughtQuery, took: { time: number; projects: number }) {
  const hint = hintFor(list);
  const { way } = hint.plan;
  assert.ok(way && way !== "days");
  hint.took(took[way]);
  return way;
}
const waysOf = (list: SoughtQuery, times: number, took: { time: number; projects: number }) =>
  Array.from({ length: times }, () => read(list, took));

/** One whose newest events are not among the newest of all, and that holds much of what happens. */
function aDenseList(): SoughtQuery {
  const list = aList();
  const hint = hintFor(list);
  hint.took(5);
  assert.equal(hint.widen(), true);
  hint.choose({ total: 100_000, all: 1_000_000 });
  return list;
}

test("a list that is found among the newest of all events is read there, whatever a moment of load made of it (decision 0183)", () => {
  const list = aList();
  assert.equal(hintFor(list).plan.most, 2000);
  assert.deepEqual(waysOf(list, 3, { time: 900, projects: 1 }), ["time", "time", "time"]);
  const hint = hintFor(list);
  assert.equal(hint.widen(), true);
  assert.equal(hint.plan.most, undefined);
});

test("a list of which nothing is known shares a statement where eight of its kind were quick, and none after a slow one (decision 0183)", () => {
  const unknown = () => hintFor({ ...aList(), limit: 70 });
  const first = unknown();
  assert.equal(first.isCheap, false);
  first.took(8);
  for (let times = 0; times < 7; times++) unknown().took(8);
  const trusted = unknown();
  assert.equal(trusted.isCheap, true);
  // A company of sixteen takes longer than one alone.
  trusted.took(70, 16);
  const slow = unknown();
  assert.equal(slow.isCheap, true);
  slow.took(90, 16);
  assert.equal(unknown().isCheap, false);
  // Those of another kind are judged by themselves.
  assert.equal(hintFor({ ...aList(), limit: 90 }).isCheap, false);
});

test("a list that keeps a company waiting is read alone, however quick it is then (decision 0183)", () => {
  const list = { ...aList(), limit: 130 };
  hintFor(list).took(20);
  assert.equal(hintFor(list).isCheap, true);
  hintFor(list).took(320, 16);
  hintFor(list).took(20);
  assert.equal(hintFor(list).isCheap, false);
});

test("a list that looks further is walked as long as that is short (decision 0093)", () => {
  assert.deepEqual(waysOf(aDenseList(), 3, { time: 8, projects: 1 }), ["time", "time", "time"]);
});

test("where a walk passes by very much, the newest of each project are tried and kept if that is shorter (decision 0093)", () => {
  assert.deepEqual(waysOf(aDenseList(), 3, { time: 900, projects: 35 }), ["time", "projects", "projects"]);
  assert.deepEqual(waysOf(aDenseList(), 4, { time: 50, projects: 300 }), [
    "time",
    "projects",
    "time",
    "time",
  ]);
});

test("the ways are compared by what they took last, so that a moment of load does not decide (decision 0093)", () => {
  const list = aDenseList();
  assert.deepEqual(waysOf(list, 2, { time: 600, projects: 35 }), ["time", "projects"]);
  assert.deepEqual(waysOf(list, 2, { time: 5000, projects: 700 }), ["projects", "time"]);
  assert.deepEqual(waysOf(list, 2, { time: 600, projects: 35 }), ["projects", "projects"]);
});

test("the newest events that were not enough say nothing of the ways: how much of everything the list holds does (decision 0093)", () => {
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

test("where a day was not enough for a list of one kind, its days are read, and all of it if those promised too much (decision 0175)", () => {
  for (const [subject, otherwise] of [
    ["memberships", "projects"],
    [{ authorId: ++askers }, "time"],
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

test("a walk of one project for one kind that passes by very much gives way to its days, if they are shorter (decision 0175)", () => {
  const subject = { authorId: ++askers };
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

test("a list of one kind looks through the newest events of its person, however old, and further the further its page is (decision 0175)", () => {
  const subject = { authorId: ++askers };
  const list = (more: Partial<SoughtQuery>) => ({ ...aList(), subject, ...more });
  const filter = { target: "snippet" as const };
  assert.deepEqual(hintFor(list({ filter })).plan, { floor: undefined, way: "time", most: 520 });
  assert.equal(hintFor(list({ filter, offset: 900, limit: 100 })).plan.most, 1500);
  for (const other of [list({}), list({ filter: { search: "disk" } })]) {
    const { floor, most } = hintFor(other).plan;
    assert.ok(floor !== undefined && most === undefined);
  }
});

test("lists of one kind of event begin with its days, where those of somebody else had to, and one in fourteen tries the walk again (decision 0175)", () => {
  const another = () =>
    hintFor({ ...aList(), subject: { authorId: ++askers }, filter: { action: "reopened" } });
  const first = another();
  assert.equal(first.plan.way, "time");
  assert.equal(first.widen(), true);
  const ways = Array.from({ length: 15 }, () => another().plan.way);
  assert.deepEqual(ways, [...Array(14).fill("days"), "time"]);
  // Another kind is not concerned.
  const others = hintFor({ ...aList(), subject: { authorId: ++askers }, filter: { action: "created" } });
  assert.equal(others.plan.way, "time");
});

test("the newest of each project are sought within the days that should hold a page, then within more (decision 0209)", () => {
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

test("a list that begins with its oldest event is read from its beginning, whatever is known of it (decision 0093)", () => {
  for (const subject of ["memberships", { authorId: ++askers }] as const) {
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
