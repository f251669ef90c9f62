/** When a storm starts and ends, at the boundaries, and when summaries are sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isOver,
  isSummaryDue,
  NO_STORM,
  openedInWindow,
  withHeldBack,
  withNotice,
  withOpened,
} from "../../src/alerts/storm.ts";

const now = new Date("2026-05-01T10:00:00Z");
const clock = { now, threshold: 4, windowSeconds: 60 };
const second = now.getTime() / 1000;
const holding = (opened: number) => ({
  ...NO_STORM,
  since: "2026-05-01T09:59:00Z",
  slots: [[second - 10, opened]] as const,
});

test("a storm starts above the threshold, and lasts while at least half of it opened within the window (decision 0099)", () => {
  assert.equal(withOpened(NO_STORM, clock, 4).since, null);
  assert.equal(withOpened(NO_STORM, clock, 5).since, now.toISOString());
  assert.equal(isOver(holding(2), clock), false);
  assert.equal(isOver(holding(1), clock), true);
});

test("alerts outside the window no longer count (decision 0099)", () => {
  const slots = [
    [second - 60, 9],
    [second - 59, 2],
  ] as const;
  assert.deepEqual(withOpened({ ...NO_STORM, slots }, clock, 1).slots, [
    [second - 59, 2],
    [second, 1],
  ]);
});

test("alerts that opened before the clock went back by more than the window no longer count (decision 0292)", () => {
  const ahead = { ...holding(9), slots: [[second + 86_400, 9]] as const };
  assert.equal(isOver(ahead, clock), true);
  // That of a transaction which began a moment later.
  assert.equal(isOver({ ...ahead, slots: [[second + 5, 9]] }, clock), false);
});

test("alerts that open during a storm are counted since its start, also after they leave the window (decision 0099)", () => {
  const begun = withOpened(NO_STORM, clock, 5);
  assert.deepEqual([begun.opened, openedInWindow(begun)], [5, 5]);
  const later = { ...clock, now: new Date(now.getTime() + 60_000) };
  const after = withOpened(begun, later, 3);
  assert.deepEqual([after.since, after.opened, openedInWindow(after)], [now.toISOString(), 8, 3]);
});

test("a summary is due five minutes after the last message if notifications were withheld since (decision 0099)", () => {
  const alert = { iid: 1, title: "One", severity: "low" as const };
  const told = withNotice(withHeldBack(holding(9), [alert]), now);
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  assert.equal(isSummaryDue(told, after(300)), false, "nothing was withheld");
  const held = withHeldBack(told, [alert, alert]);
  assert.deepEqual([held.held, held.heldSince], [3, 2]);
  assert.equal(isSummaryDue(held, after(299)), false);
  assert.equal(isSummaryDue(held, after(300)), true);
  assert.equal(isSummaryDue(held, after(-86_400)), true, "told by a clock that was a day ahead");
  assert.equal(isSummaryDue(withNotice(held, after(300)), after(900)), false);
});

test("a summary names the three most severe withheld alerts, the oldest first, without duplicates (decision 0099)", () => {
  const one = (iid: number, severity: "low" | "high" | "critical") => ({ iid, title: `T${iid}`, severity });
  const first = withHeldBack(NO_STORM, [one(1, "low"), one(2, "high"), one(3, "low"), one(4, "critical")]);
  assert.deepEqual(
    first.worst.map(({ iid }) => iid),
    [4, 2, 1],
  );
  const second = withHeldBack(first, [one(6, "critical"), one(5, "critical"), one(4, "critical")]);
  assert.deepEqual(
    second.worst.map(({ iid }) => iid),
    [4, 5, 6],
  );
});
