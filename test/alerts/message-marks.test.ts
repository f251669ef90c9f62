/** The states that the headlines of messages give, and those that they only seem to give. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { marksOf } from "../../src/alerts/senders/message-marks.ts";

const stateOf = (headline: string) => {
  const { isStated, isOver } = marksOf(headline, []);
  return isOver ? "over" : isStated ? "trouble" : "none";
};

test("a headline that measures something with “up”, or denies a good state, states nothing (decisions 0141, 0305)", () => {
  for (const headline of [
    "Error rate is up 300% in checkout",
    "Costs are up 45% this week",
    "Costs are up $300 this week",
    "Latency is up ~3x",
    "Latency is back up to 900 ms",
    "CPU usage on web-1 is up to 97%",
    "Queue is up by 500 messages",
    "Queue is up from 20 to 500 messages",
    "Node web-1 is up-to-date with security patches",
    "Incident has not been resolved",
    "Incident hasn't been resolved",
    "The outage in eu-1 has still not been fixed",
    "The outage in eu-1 has not yet been fixed",
    "web-1 is not currently up",
    "web-1 has not been back up since noon",
    "web-1 has never been reachable",
    "Backup is ok: false",
  ])
    assert.equal(stateOf(headline), "none", headline);
});

test("that something is in trouble now takes precedence over that it or something else was well (decision 0305)", () => {
  assert.equal(stateOf("web-1 was up for 3 days and is now down"), "trouble");
  assert.equal(stateOf("Shop is up. The search is down."), "trouble");
});

test("a headline that states a good state resolves, whatever times or reasons follow (decision 0141)", () => {
  for (const headline of [
    "web-1 is up",
    "web-1 is up again",
    "web-1 is now back online",
    "web-1 is back up (down for 3 minutes)",
    "The monitor is back UP. It was down for 3 minutes.",
    "Shop is UP - 200 OK",
    "Shop is up 10:32",
    "Shop is up 2026-05-01 10:32",
    "Shop is up 01.05.2026",
    "Shop is up after 5 minutes",
    "Disk on db-1 is OK: DISK OK - free space 20 %",
    "This is not a drill: shop is up",
    "Problem has been resolved at 10:01:00",
    "Incident has been resolved: API is down",
    "Alert is resolved - Checkout is failing",
  ])
    assert.equal(stateOf(headline), "over", headline);
  assert.equal(marksOf("web-1 is up", []).name, marksOf("web-1 is down", []).name);
});
