import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { reportedTime } from "../../src/alerts/reported-time.ts";

describe("reads the times that tools write (spec: Alert payload start_time)", () => {
  for (const [given, expected] of [
    ["2026-01-27T13:01:11Z", "2026-01-27T13:01:11.000Z"],
    ["2026-01-27t13:01:11.987654321z", "2026-01-27T13:01:11.987Z"],
    ["2026-01-27 13:01:11 +02:30", "2026-01-27T10:31:11.000Z"],
    ["2026-01-27T13:01-0330", "2026-01-27T16:31:00.000Z"],
    ["2026-01-27T13:01:11", "2026-01-27T13:01:11.000Z"],
    ["2026-01-27 13:01:11 UTC", "2026-01-27T13:01:11.000Z"],
    ["20260127T130111Z", "2026-01-27T13:01:11.000Z"],
    ["2026-01-27", "2026-01-27T00:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["Tue, 27 Jan 2026 13:01:11 GMT", "2026-01-27T13:01:11.000Z"],
    ["27 Jan 2026 13:01:11 -0500 (EST)", "2026-01-27T18:01:11.000Z"],
    ["Tue, 27 Jan 2026 13:01:11 EST", "2026-01-27T18:01:11.000Z"],
    ["27 Jul 2026 13:01:11 pdt", "2026-07-27T20:01:11.000Z"],
    [1769518871, "2026-01-27T13:01:11.000Z"],
    ["1769518871", "2026-01-27T13:01:11.000Z"],
    [1769518871123, "2026-01-27T13:01:11.123Z"],
    [0, "1970-01-01T00:00:00.000Z"],
  ] as const) {
    test(`${given}`, () => assert.equal(reportedTime(given)?.toISOString(), expected));
  }
});

describe("finds no time where there is none (reference alerts A5)", () => {
  for (const given of [
    ...["", "tomorrow", "10:30", "2026-02-30", "2026-13-01", "2026-01-27T24:00:01Z", "2026-01-27T13:61Z"],
    ...["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:60Z", "10000-01-01T00:00:00Z"],
    ...["275760-01-01T00:00:00Z", "27 Foo 2026 13:01:11 GMT", "2026-01-27T13:01:11+25:00", "x".repeat(100)],
    ...[-1, 1e300, Number.NaN, Number.POSITIVE_INFINITY, true, null, undefined, [], {}, ["2026-01-27"]],
  ]) {
    test(`${JSON.stringify(given)}`, () => assert.equal(reportedTime(given), undefined));
  }
});
