/** Positions as clients send them: which are valid, and to which epoch of the database they belong. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Arrival,
  arrivalText,
  checkPosition,
  cursorText,
  positionAt,
  readArrival,
  readCursor,
} from "../../src/events/position.ts";
import { ParameterProblem } from "../../src/platform/problem.ts";

const now = { epoch: "0123abcd", horizon: "900", upcoming: "1000", settled: "900" };
const position = (change: Partial<Arrival> = {}): Arrival => ({
  ...{ epoch: now.epoch, transaction: "899", id: 7 },
  ...change,
});
const isRefused = (error: unknown) => error instanceof ParameterProblem;
const encoded = (text: string) => Buffer.from(text).toString("base64url");

test("a position is read back as it was written, and invalid ones are refused (contract-events §4, gap-free tail; spec: Events 3)", () => {
  assert.deepEqual(readArrival(arrivalText(position())), position());
  assert.deepEqual(readArrival("start"), { epoch: "", transaction: "0", id: 0 });
  // All events from the horizon on come after it, including the first.
  assert.deepEqual(positionAt(now), { epoch: now.epoch, transaction: "900", id: 0 });
  const cursor = { createdAt: new Date(1_700_000_000_123), id: 42 };
  assert.deepEqual(readCursor(cursorText(cursor)), cursor);
  const latest = { createdAt: new Date("9999-12-31T23:59:59.999Z"), id: 1 };
  assert.deepEqual(readCursor(cursorText(latest)), latest);
  for (const text of ["", "x", encoded("a0123abcd.1"), encoded("a123.1.1"), cursorText(cursor)]) {
    assert.throws(() => readArrival(text), isRefused, text);
  }
  for (const text of ["", "start", encoded("c1"), encoded("c253402300800000.1"), arrivalText(position())]) {
    assert.throws(() => readCursor(text), isRefused, text);
  }
});

test("a position of another epoch of the database, or one ahead of it, is refused (decision 0108)", () => {
  for (const one of [
    position(),
    position({ transaction: "1000" }),
    position({ epoch: "", transaction: "5000" }),
  ]) {
    checkPosition(one, now);
  }
  for (const one of [position({ epoch: "fedcba98" }), position({ transaction: "1001" })]) {
    assert.throws(() => checkPosition(one, now), isRefused);
  }
});
